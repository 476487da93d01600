// Attributes and `bind`.
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "spec/attr_types.h"
#include "spec/names.h"
#include "spec/sections.h"

namespace opweld::spec {
namespace {

// Types of other languages, and of inputs.
std::string type_hint(std::string_view text) {
    struct Habit {
        std::string_view word;
        std::string_view hint;
    };
    static constexpr std::array kHabits = {
        Habit{"integer", "did you mean 'int'?"},
        Habit{"long", "did you mean 'int'?"},
        Habit{"int64", "did you mean 'int'?"},
        Habit{"int64_t", "did you mean 'int'?"},
        Habit{"int32", "did you mean 'int'?"},
        Habit{"boolean", "did you mean 'bool'?"},
        Habit{"double", "did you mean 'float'?"},
        Habit{"float32", "did you mean 'float'?"},
        Habit{"float64", "did you mean 'float'?"},
        Habit{"number", "did you mean 'Scalar'?"},
        Habit{"text", "did you mean 'str'?"},
        Habit{"list", "write 'int[]', or what its items are"},
        Habit{"List", "write 'int[]', or what its items are"},
        Habit{"Tensor", "tensors belong under input_desc"},
    };
    for (const std::string_view opening : {"list[", "List[", "Sequence[", "tuple["}) {
        if (text.starts_with(opening) && text.ends_with(']')) {
            text.remove_prefix(opening.size());
            text.remove_suffix(1);
            return fmt::format("write '{}[]'", text);
        }
    }
    if (text.starts_with("Optional[") && text.ends_with(']')) {
        return fmt::format("write '{}?'", text.substr(9, text.size() - 10));
    }
    const std::string_view word = text.substr(text.starts_with("a ") ? 2 : text.starts_with("an ") ? 3 : 0);
    for (const Habit& habit : kHabits) {
        if (habit.word == word) {
            return std::string(habit.hint);
        }
    }
    return suggestion(word, attr_kind_names());
}

void read_type(OperatorContext& context, const Node& map, AttrDesc& attr) {
    const auto text = context.reader.text(map, attr_keys(), "type");
    if (!text) {
        return;
    }
    attr.type_at = text->at;
    const AttrTypeResult result = parse_attr_type(text->value);
    if (result.type) {
        attr.type = *result.type;
        return;
    }
    const Span span = map.find("type")->value->span();
    if (result.known_kind) {
        context.out().report("OW210", span, result.fault, "int, int?, int[], int[2], int[][] and the like");
    } else {
        context.out().report("OW209", span, result.fault, join_words(attr_kind_names(), "or"),
                             type_hint(text->value));
    }
}

// Reads the default and holds it against param_type. `usable`: the type was understood.
void read_default(OperatorContext& context, const Node& map, AttrDesc& attr, bool usable) {
    const auto param = context.reader.word(map, attr_keys(), "param_type");
    const MapEntry* entry = map.find("default_value");
    const bool required = param && param->value == "required";
    if (entry != nullptr && usable) {
        attr.default_at = entry->value->at;
        ValueResult result = read_value(*entry->value, attr.type, context.options.msopgen);
        if (!result.value) {
            context.out().report("OW211", entry->value->span(), result.fault,
                                 fmt::format("a value of type {}", schema_type(attr.type)));
        } else if (const std::string obstacle = default_obstacle(*result.value, attr.type);
                   !obstacle.empty()) {
            context.out().report(
                "OW211", entry->value->span(), obstacle, "another default",
                fmt::format("make '{}' required, or optional (`?`) with default_value: null", attr.name));
        } else {
            attr.default_value = std::move(result.value);
        }
    }
    if (required && entry != nullptr && context.options.msopgen) {
        attr.default_value.reset();  // msopgen's own examples do so; required wins
    } else if (required && entry != nullptr) {
        context.out().report("OW212", {param->at, param->value.size()},
                             fmt::format("'{}' is required and has a default_value", attr.name),
                             "one of the two", "write 'param_type: optional', or remove default_value");
    } else if (entry == nullptr && usable && attr.type.optional && !required) {
        attr.default_value = Value{None{}};
    } else if (entry == nullptr && usable && param && !required) {
        context.out().report(
            "OW212", {param->at, param->value.size()},
            fmt::format("'{}' is optional and has no default_value", attr.name),
            "a default_value, or a type with `?`",
            fmt::format("add default_value, or write 'type: \"{}?\"'", schema_type(attr.type)));
    }
}

}  // namespace

void read_attrs(OperatorContext& context) {
    NodeReader& reader = context.reader;
    const NodePtr list = reader.sequence(context.node, operator_keys(), "attr");
    if (!list) {
        return;
    }
    for (const NodePtr& item : list->items) {
        if (!reader.check_map(*item, attr_keys(), item->at)) {
            continue;
        }
        AttrDesc attr;
        attr.at = item->at;
        if (const auto given = reader.text(*item, attr_keys(), "name")) {
            check_name(reader.out(), *given, "an attribute");
            attr.name = given->value;
            attr.at = given->at;
        }
        const std::size_t before = reader.out().errors_seen();
        read_type(context, *item, attr);
        const bool usable = attr.type_at.known() && reader.out().errors_seen() == before;
        read_default(context, *item, attr, usable);
        if (const auto doc = reader.text(*item, attr_keys(), "doc")) {
            attr.doc = doc->value;
        }
        context.op.attrs.push_back(std::move(attr));
    }
}

void read_bind(OperatorContext& context) {
    const NodePtr bind = context.reader.mapping(context.node, operator_keys(), "bind");
    if (!bind) {
        return;
    }
    Operator& op = context.op;
    for (const MapEntry& entry : bind->entries) {
        const Span span{entry.at, std::max<std::size_t>(entry.key.size(), 1)};
        if (const auto index = op.find_attr(entry.key)) {
            AttrDesc& attr = op.attrs[*index];
            ValueResult result = read_value(*entry.value, attr.type);
            if (!result.value) {
                context.out().report("OW216", entry.value->span(), result.fault,
                                     fmt::format("a value of type {}", schema_type(attr.type)));
                continue;
            }
            attr.bound = std::move(result.value);
            attr.bound_at = entry.value->at;
            continue;
        }
        if (const auto index = op.find_input(entry.key)) {
            InputDesc& input = op.inputs[*index];
            if (is_optional(input.kind) && entry.value->is_null()) {
                input.bound_to_none = true;
            } else {
                context.out().report("OW215", span, fmt::format("'{}' is an input", entry.key),
                                     is_optional(input.kind)
                                         ? "null: an optional input can only be bound to that"
                                         : "an attribute; an input that is required is an argument");
            }
            continue;
        }
        std::vector<std::string> names;
        for (const AttrDesc& attr : op.attrs) {
            names.push_back(attr.name);
        }
        context.out().report("OW215", span, fmt::format("there is no attribute '{}'", entry.key),
                             names.empty() ? "an attribute; there is none" : join_words(names, "or"),
                             suggestion(entry.key, names));
    }
}

}  // namespace opweld::spec
