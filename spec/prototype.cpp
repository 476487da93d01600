#include "spec/prototype.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace opweld::spec {
namespace {

constexpr std::array<std::string_view, 3> kDescriptions = {"input_desc", "attr", "output_desc"};
// Keys that belong to the operator itself: not taken from the prototype.
constexpr std::array<std::string_view, 4> kOwn = {"op", "prototype_of", "schema", "ge_op"};

bool contains(const auto& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::string name_of(const Node& description) {
    const MapEntry* entry = description.is_map() ? description.find("name") : nullptr;
    return entry != nullptr && entry->value->is_scalar() ? entry->value->text : "";
}

void set(Node& map, const MapEntry& entry) {
    const auto known = std::find_if(map.entries.begin(), map.entries.end(),
                                    [&](const MapEntry& other) { return other.key == entry.key; });
    if (known == map.entries.end()) {
        map.entries.push_back(entry);
    } else {
        *known = entry;
    }
}

// The prototype's description with the keys of the operator's put over it.
NodePtr merge_description(const Node& base, const Node& own) {
    auto merged = std::make_shared<Node>(base);
    merged->at = own.at;
    for (const MapEntry& entry : own.entries) {
        set(*merged, entry);
    }
    return merged;
}

NodePtr merge_descriptions(const NodePtr& base, const Node& own, std::string_view key, Diagnostics& out) {
    auto merged = std::make_shared<Node>(*base);
    for (const NodePtr& item : own.items) {
        const std::string name = name_of(*item);
        const auto known = std::find_if(merged->items.begin(), merged->items.end(),
                                        [&](const NodePtr& other) { return name_of(*other) == name; });
        if (name.empty()) {
            merged->items.push_back(item);  // reported when the descriptions are read
        } else if (known == merged->items.end()) {
            std::vector<std::string> names;
            for (const NodePtr& other : base->items) {
                names.push_back(name_of(*other));
            }
            out.report("OW218", item->find("name")->value->span(),
                       fmt::format("'{}' is not in {} of the prototype", name, key),
                       names.empty() ? "nothing here" : fmt::format("one of {}", join_words(names, "or")),
                       suggestion(name, names));
        } else {
            *known = merge_description(**known, *item);
        }
    }
    return merged;
}

NodePtr append(const Node& base, const Node& own) {
    auto merged = std::make_shared<Node>(base);
    merged->items.insert(merged->items.end(), own.items.begin(), own.items.end());
    for (const MapEntry& entry : own.entries) {
        set(*merged, entry);
    }
    return merged;
}

NodePtr merge(const Node& base, const Node& own, Diagnostics& out) {
    auto merged = std::make_shared<Node>(own);
    merged->entries.clear();
    for (const MapEntry& entry : base.entries) {
        if (!contains(kOwn, entry.key)) {
            merged->entries.push_back(entry);
        }
    }
    for (const MapEntry& entry : own.entries) {
        const MapEntry* inherited = base.find(entry.key);
        MapEntry result = entry;
        if (inherited != nullptr && inherited->value->kind == entry.value->kind) {
            const bool description = contains(kDescriptions, entry.key);
            if (description && entry.value->is_sequence()) {
                result.value = merge_descriptions(inherited->value, *entry.value, entry.key, out);
            } else if (entry.key == "constraints" || entry.key == "let" || entry.key == "bind") {
                result.value = append(*inherited->value, *entry.value);
            }
        } else if (inherited == nullptr && contains(kDescriptions, entry.key) && entry.value->is_sequence()) {
            Node nothing;
            nothing.kind = Node::Kind::Sequence;
            result.value =
                merge_descriptions(std::make_shared<const Node>(nothing), *entry.value, entry.key, out);
        }
        set(*merged, result);
    }
    return merged;
}

using Names = std::map<std::string, std::size_t, std::less<>>;

void find_parent(OperatorNode& op, const std::vector<OperatorNode>& ops, const Names& by_name,
                 Diagnostics& out) {
    const MapEntry* entry = op.node->find("prototype_of");
    if (entry == nullptr || !entry->value->is_scalar()) {
        return;  // another kind of value is reported when the operator is read
    }
    op.parent_at = entry->value->at;
    const std::string wanted = split_operator_name(entry->value->text).qualified();
    const auto found = by_name.find(wanted);
    if (found != by_name.end() && &ops[found->second] != &op) {
        op.parent = found->second;
        return;
    }
    std::vector<std::string> names;
    for (const OperatorNode& other : ops) {
        if (&other != &op) {
            names.push_back(other.name.name);
        }
    }
    out.report("OW217", entry->value->span(),
               wanted == op.name.qualified()
                   ? "an operator can't be its own prototype"
                   : fmt::format("there is no operator '{}' in this file", entry->value->text),
               "another operator of this file", suggestion(entry->value->text, names));
}

// Chains beyond this are refused: every operator of one repeats the rules of all before it.
constexpr std::size_t kLongestChain = 16;

// Cuts cycles and chains that are too long.
void find_roots(std::vector<OperatorNode>& ops, Diagnostics& out) {
    for (std::size_t index = 0; index < ops.size(); ++index) {
        std::size_t root = index;
        for (std::size_t steps = 0; ops[root].parent; ++steps) {
            root = *ops[root].parent;
            if (root == index || steps == kLongestChain) {
                out.report("OW217", {ops[index].parent_at, 1},
                           root == index
                               ? fmt::format("'{}' is its own prototype by a detour", ops[index].name.name)
                               : fmt::format("'{}' is behind more than {} others", ops[index].name.name,
                                             kLongestChain),
                           "an operator without prototype_of at the end of the chain");
                ops[index].parent.reset();
                root = index;
            }
        }
        ops[index].root = root;
    }
}

}  // namespace

std::vector<std::size_t> resolve_prototypes(std::vector<OperatorNode>& ops, Diagnostics& out) {
    Names by_name;
    for (std::size_t index = 0; index < ops.size(); ++index) {
        by_name.emplace(ops[index].name.qualified(), index);
    }
    for (OperatorNode& op : ops) {
        find_parent(op, ops, by_name, out);
    }
    find_roots(ops, out);
    std::vector<std::size_t> order;
    std::vector<bool> done(ops.size(), false);
    while (order.size() < ops.size()) {
        for (std::size_t index = 0; index < ops.size(); ++index) {
            OperatorNode& op = ops[index];
            if (done[index] || (op.parent && !done[*op.parent])) {
                continue;
            }
            op.merged = op.parent ? merge(*ops[*op.parent].merged, *op.node, out) : op.node;
            order.push_back(index);
            done[index] = true;
        }
    }
    return order;
}

}  // namespace opweld::spec
