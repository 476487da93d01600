#include "spec/node_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "spec/expr/expression.h"
#include "spec/names.h"

namespace opweld::spec {
namespace {

// What a list where a text was expected usually is: an expression with brackets that YAML took for its own.
std::string bracket_hint(const Node& node, Form form) {
    const bool expression = form == Form::Expression || form == Form::Shape || form == Form::Formula ||
                            form == Form::Python || form == Form::OutputType;
    return expression && (node.is_sequence() || node.is_map()) ? "put the expression in double quotes" : "";
}

// Words that people write from habit, where spelling alone doesn't lead to the right one.
std::string word_suggestion(std::string word, const std::vector<std::string>& words) {
    static constexpr std::array kHabits = {
        std::pair<std::string_view, std::string_view>{"c++", "cpp"},
        std::pair<std::string_view, std::string_view>{"c", "cpp"},
        std::pair<std::string_view, std::string_view>{"cc", "cpp"},
        std::pair<std::string_view, std::string_view>{"cxx", "cpp"},
        std::pair<std::string_view, std::string_view>{"ascend_c", "ascendc"},
        std::pair<std::string_view, std::string_view>{"ascend c", "ascendc"},
        std::pair<std::string_view, std::string_view>{"aten", "compose"},
        std::pair<std::string_view, std::string_view>{"python", "compose"},
        std::pair<std::string_view, std::string_view>{"torch", "compose"},
        std::pair<std::string_view, std::string_view>{"cann", "aclnn"},
        std::pair<std::string_view, std::string_view>{"float32", "fp32"},
        std::pair<std::string_view, std::string_view>{"list", "dynamic"},
    };
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const auto& [habit, meant] : kHabits) {
        if (habit == word && std::find(words.begin(), words.end(), meant) != words.end()) {
            return fmt::format("did you mean '{}'?", meant);
        }
    }
    return suggestion(word, words);
}

// Keys likewise.
std::optional<std::string> meant_key(std::string_view key, const KeyTable& table) {
    static constexpr std::array kHabits = {
        std::pair<std::string_view, std::string_view>{"inputs", "input_desc"},
        std::pair<std::string_view, std::string_view>{"input", "input_desc"},
        std::pair<std::string_view, std::string_view>{"outputs", "output_desc"},
        std::pair<std::string_view, std::string_view>{"output", "output_desc"},
        std::pair<std::string_view, std::string_view>{"attrs", "attr"},
        std::pair<std::string_view, std::string_view>{"attributes", "attr"},
        std::pair<std::string_view, std::string_view>{"default", "default_value"},
        std::pair<std::string_view, std::string_view>{"dtype", "type"},
        std::pair<std::string_view, std::string_view>{"description", "doc"},
        std::pair<std::string_view, std::string_view>{"name", "op"},
        std::pair<std::string_view, std::string_view>{"size", "shape"},
        std::pair<std::string_view, std::string_view>{"inplace", "mutates"},
        std::pair<std::string_view, std::string_view>{"lang", "language"},
        std::pair<std::string_view, std::string_view>{"src", "source"},
        std::pair<std::string_view, std::string_view>{"file", "source"},
    };
    for (const auto& [habit, meant] : kHabits) {
        if (habit == key && table.find(meant) != nullptr) {
            return std::string(meant);
        }
    }
    return expr::nearest_name(key, table.names());
}

}  // namespace

void NodeReader::wrong_kind(const Node& node, std::string_view key, std::string_view expected,
                            std::string hint) {
    out_.report("OW106", node.span(), fmt::format("'{}' is {}", key, node.kind_name()), std::string(expected),
                std::move(hint));
}

void NodeReader::report_unknown_key(const MapEntry& entry, const KeyTable& table, const std::string& meant) {
    out_.report("OW102", {entry.at, std::max<std::size_t>(entry.key.size(), 1)},
                fmt::format("{} has no key '{}'", table.what, entry.key),
                fmt::format("one of {}", join_words(table.names(), "or")),
                meant.empty() ? "" : fmt::format("did you mean '{}'?", meant));
}

NodePtr NodeReader::with_right_keys(const NodePtr& node, const KeyTable& table) {
    if (node->is_sequence()) {
        std::vector<NodePtr> items = node->items;
        for (NodePtr& item : items) {
            item = with_right_keys(item, table);
        }
        if (items == node->items) {
            return node;
        }
        Node changed = *node;
        changed.items = std::move(items);
        return std::make_shared<const Node>(std::move(changed));
    }
    if (!node->is_map()) {
        return node;
    }
    std::vector<MapEntry> entries = node->entries;
    bool same = true;
    for (MapEntry& entry : entries) {
        if (table.find(entry.key) == nullptr) {
            const std::optional<std::string> meant = meant_key(entry.key, table);
            const bool free =
                meant && std::none_of(entries.begin(), entries.end(),
                                      [&](const MapEntry& other) { return other.key == *meant; });
            if (meant) {
                report_unknown_key(entry, table, *meant);
            }
            if (free) {
                entry.key = *meant;
                same = false;
            }
        }
        const KeyInfo* key = table.find(entry.key);
        const bool formulas =
            key != nullptr && key->form == Form::Backward && entry.value->find("op") == nullptr;
        if (key != nullptr && key->table != nullptr && !formulas) {
            NodePtr value = with_right_keys(entry.value, *key->table);
            same = same && value == entry.value;
            entry.value = std::move(value);
        }
    }
    if (same) {
        return node;
    }
    Node changed = *node;
    changed.entries = std::move(entries);
    return std::make_shared<const Node>(std::move(changed));
}

bool NodeReader::check_map(const Node& node, const KeyTable& table, Position where) {
    if (!node.is_map()) {
        out_.report("OW106", node.span(), fmt::format("{} is {}", table.what, node.kind_name()),
                    fmt::format("a mapping with the keys {}", join_words(table.names())));
        return false;
    }
    for (const MapEntry& entry : node.entries) {
        if (table.find(entry.key) == nullptr) {
            report_unknown_key(entry, table, "");
        }
    }
    for (const KeyInfo& key : table.keys) {
        if (key.required && node.find(key.name) == nullptr) {
            out_.report("OW107", {where, 1}, fmt::format("{} has no '{}'", table.what, key.name),
                        fmt::format("'{}': {}", key.name, form_name(key.form)),
                        fmt::format("add '{}: {}'", key.name, key.example));
        }
    }
    return true;
}

const Node* NodeReader::value(const Node& map, std::string_view key) {
    const MapEntry* entry = map.find(key);
    return entry == nullptr ? nullptr : entry->value.get();
}

std::optional<Located<std::string>> NodeReader::text(const Node& map, const KeyTable& table,
                                                     std::string_view key) {
    const Node* node = value(map, key);
    if (node == nullptr) {
        return std::nullopt;
    }
    const Form form = table.find(key)->form;
    if (!node->is_scalar()) {
        wrong_kind(*node, key, form_name(form), bracket_hint(*node, form));
        return std::nullopt;
    }
    return Located<std::string>{node->text, node->position_of(0)};
}

std::optional<Located<std::string>> NodeReader::word(const Node& map, const KeyTable& table,
                                                     std::string_view key) {
    auto found = text(map, table, key);
    if (!found) {
        return std::nullopt;
    }
    const KeyInfo& info = *table.find(key);
    if (std::find(info.words.begin(), info.words.end(), found->value) == info.words.end()) {
        const std::vector<std::string> words(info.words.begin(), info.words.end());
        out_.report("OW113", value(map, key)->span(), fmt::format("'{}' can't be '{}'", key, found->value),
                    join_words(words, "or"), word_suggestion(found->value, words));
        return std::nullopt;
    }
    return found;
}

std::optional<Located<bool>> NodeReader::flag(const Node& map, const KeyTable& table, std::string_view key) {
    const Node* node = value(map, key);
    if (node == nullptr) {
        return std::nullopt;
    }
    if (node->is_scalar() && !node->quoted && (node->text == "true" || node->text == "false")) {
        return Located<bool>{node->text == "true", node->at};
    }
    if (node->is_scalar()) {
        out_.report("OW113", node->span(), fmt::format("'{}' can't be '{}'", key, node->text),
                    std::string(form_name(table.find(key)->form)));
    } else {
        wrong_kind(*node, key, form_name(table.find(key)->form));
    }
    return std::nullopt;
}

NodePtr NodeReader::sequence(const Node& map, const KeyTable& table, std::string_view key) {
    const MapEntry* entry = map.find(key);
    if (entry == nullptr || entry->value->is_sequence()) {
        return entry == nullptr ? nullptr : entry->value;
    }
    wrong_kind(*entry->value, key, form_name(table.find(key)->form));
    return nullptr;
}

NodePtr NodeReader::mapping(const Node& map, const KeyTable& table, std::string_view key) {
    const MapEntry* entry = map.find(key);
    if (entry == nullptr || entry->value->is_map()) {
        return entry == nullptr ? nullptr : entry->value;
    }
    wrong_kind(*entry->value, key, form_name(table.find(key)->form));
    return nullptr;
}

std::optional<Expression> NodeReader::expression(const Node& map, const KeyTable& table,
                                                 std::string_view key) {
    const auto found = text(map, table, key);
    return found ? std::optional(Expression{found->value, found->at, nullptr}) : std::nullopt;
}

std::vector<Located<std::string>> NodeReader::names(const Node& map, const KeyTable& table,
                                                    std::string_view key) {
    std::vector<Located<std::string>> result;
    const NodePtr list = sequence(map, table, key);
    if (!list) {
        return result;
    }
    for (const NodePtr& item : list->items) {
        if (item->is_scalar()) {
            result.push_back({item->text, item->at});
        } else {
            wrong_kind(*item, key, "a list of names");
        }
    }
    return result;
}

std::optional<std::int64_t> NodeReader::integer(const Node& node) {
    std::int64_t number = 0;
    const char* end = node.text.data() + node.text.size();
    const auto [stop, fault] = std::from_chars(node.text.data(), end, number);
    if (!node.is_scalar() || node.quoted || fault != std::errc{} || stop != end) {
        return std::nullopt;
    }
    return number;
}

}  // namespace opweld::spec
