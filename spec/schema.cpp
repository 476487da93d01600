#include "spec/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "spec/attr_types.h"
#include "spec/names.h"

namespace opweld::spec {
namespace {

std::string suffix(InputKind kind) {
    switch (kind) {
        case InputKind::Tensor:
            return "";
        case InputKind::OptionalTensor:
            return "?";
        case InputKind::TensorList:
            return "[]";
        case InputKind::OptionalList:
            return "[]?";
        case InputKind::ListOfOptionals:
            return "?[]";
    }
    return "";
}

// Holds a stated schema against the operator.
class Comparison {
  public:
    Comparison(Operator& op, const Node& node, const Schema& schema, Diagnostics& out)
        : op_(op), node_(node), schema_(schema), out_(out) {}

    void run() {
        const std::string own = op_.name + (op_.overload.empty() ? "" : "." + op_.overload);
        const OperatorName stated = split_operator_name(schema_.name);
        const std::string given = stated.name + (schema_.overload.empty() ? "" : "." + schema_.overload);
        if (given != own || (schema_.name.find("::") != std::string::npos && stated.ns != op_.ns)) {
            mismatch(0, given.size(), fmt::format("the schema is that of '{}'", given),
                     fmt::format("'{}'", own));
        }
        for (const SchemaArgument& argument : schema_.arguments) {
            take(argument);
        }
        for (const InputDesc& input : op_.inputs) {
            if (!input.bound_to_none && !seen_.contains(input.name)) {
                mismatch(0, 1, fmt::format("the schema lacks the input '{}'", input.name),
                         fmt::format("an argument '{} {}'", schema_type(input), input.name));
            }
        }
        for (const AttrDesc& attr : op_.attrs) {
            if (!attr.bound && !seen_.contains(attr.name)) {
                mismatch(0, 1, fmt::format("the schema lacks the attribute '{}'", attr.name),
                         fmt::format("an argument '{} {}'", schema_type(attr.type), attr.name));
            }
        }
        check_order();
        check_returns();
    }

    [[nodiscard]] bool agrees() const { return agrees_; }
    std::vector<Argument> arguments;

  private:
    void mismatch(std::size_t offset, std::size_t length, std::string message, std::string expected) {
        agrees_ = false;
        const Position from = node_.position_of(offset);
        out_.report("OW214", {from, std::max<std::size_t>(length, 1)}, std::move(message),
                    std::move(expected));
    }

    void take(const SchemaArgument& argument) {
        const std::size_t length = argument.type.text().size();
        if (!seen_.insert(argument.name).second) {
            mismatch(argument.offset, length, fmt::format("the schema has '{}' twice", argument.name),
                     "each name once");
            return;
        }
        if (const auto index = op_.find_input(argument.name); index && !op_.inputs[*index].bound_to_none) {
            take_input(argument, *index);
        } else if (const auto attr = op_.find_attr(argument.name); attr && !op_.attrs[*attr].bound) {
            take_attr(argument, *attr);
        } else {
            mismatch(argument.offset, length,
                     fmt::format("'{}' is no input or attribute of the operator", argument.name),
                     "the names under input_desc and attr");
        }
    }

    void take_input(const SchemaArgument& argument, std::size_t index) {
        InputDesc& input = op_.inputs[index];
        const std::string expected = "Tensor" + suffix(input.kind);
        if (argument.type.text() != expected) {
            mismatch(argument.offset, argument.type.text().size(),
                     fmt::format("'{}' is {} in the schema", argument.name, argument.type.text()), expected);
        }
        if (argument.type.writes() != input.mutates) {
            mismatch(argument.offset, argument.type.text().size(),
                     input.mutates
                         ? fmt::format("'{}' is written to, which the schema doesn't say", argument.name)
                         : fmt::format("'{}' is written to by the schema, which 'mutates' doesn't say",
                                       argument.name),
                     schema_type(input));
        }
        if (!argument.type.alias.empty()) {
            input.alias_set = argument.type.alias.substr(0, argument.type.alias.find_first_of("! "));
        }
        Argument result{Argument::From::Input, index, argument.keyword_only, std::nullopt};
        if (argument.default_text) {
            if (*argument.default_text != "None" || !is_optional(input.kind)) {
                mismatch(argument.offset, argument.type.text().size(),
                         fmt::format("the default of '{}' is {}", argument.name, *argument.default_text),
                         is_optional(input.kind) ? "None, or no default" : "no default");
            }
            result.default_value = Value{None{}};
        }
        arguments.push_back(std::move(result));
    }

    void take_attr(const SchemaArgument& argument, std::size_t index) {
        const AttrDesc& attr = op_.attrs[index];
        const std::string expected = schema_type(attr.type);
        if (argument.type.text() != expected) {
            mismatch(argument.offset, argument.type.text().size(),
                     fmt::format("'{}' is {} in the schema", argument.name, argument.type.text()), expected);
        } else if (argument.default_text.has_value() != attr.default_value.has_value()) {
            mismatch(argument.offset, argument.type.text().size(),
                     fmt::format("'{}' has {} in the schema", argument.name,
                                 argument.default_text ? "a default" : "no default"),
                     attr.default_value ? "=" + schema_text(*attr.default_value, attr.type) : "no default");
        } else if (argument.default_text &&
                   schema_value(*argument.default_text, attr.type) != attr.default_value) {
            mismatch(
                argument.offset, argument.type.text().size(),
                fmt::format("the default of '{}' is {} in the schema", argument.name, *argument.default_text),
                schema_text(*attr.default_value, attr.type));
        }
        arguments.push_back({Argument::From::Attr, index, argument.keyword_only, attr.default_value});
    }

    // PyTorch refuses a positional argument without a default after one with a default.
    void check_order() {
        bool defaults = false;
        for (const SchemaArgument& argument : schema_.arguments) {
            if (argument.keyword_only) {
                break;
            }
            if (defaults && !argument.default_text && !argument.type.suffix.ends_with(']')) {
                mismatch(argument.offset, argument.type.text().size(),
                         fmt::format("'{}' has no default and comes after one that has", argument.name),
                         "arguments with defaults last");
            }
            defaults = defaults || argument.default_text.has_value();
        }
    }

    void check_returns() {
        if (schema_.returns.size() != op_.outputs.size()) {
            mismatch(0, 1,
                     fmt::format("the schema has {} and output_desc {}",
                                 count_of(schema_.returns.size(), "result"), op_.outputs.size()),
                     "as many results as outputs");
            return;
        }
        for (std::size_t index = 0; index < op_.outputs.size(); ++index) {
            const SchemaReturn& result = schema_.returns[index];
            const OutputDesc& output = op_.outputs[index];
            const std::string expected = schema_type(output, op_);
            const std::string plain =
                expected.substr(0, expected.find('(')) + (expected.find(')') == std::string::npos
                                                              ? std::string{}
                                                              : expected.substr(expected.find(')') + 1));
            const std::string bare = output.alias_of ? plain : expected;
            if (result.type.text() != bare) {
                mismatch(result.offset, result.type.text().size(),
                         fmt::format("result {} is {} in the schema", index, result.type.text()), expected);
            } else if (result.type.alias.empty() == output.alias_of.has_value()) {
                mismatch(result.offset, result.type.text().size(),
                         output.alias_of
                             ? fmt::format("'{}' aliases an input, which the schema doesn't say", output.name)
                             : fmt::format("result {} aliases an input, which 'alias' doesn't say", index),
                         expected);
            }
        }
    }

    Operator& op_;
    const Node& node_;
    const Schema& schema_;
    Diagnostics& out_;
    bool agrees_ = true;
    std::set<std::string, std::less<>> seen_;
};

}  // namespace

std::string schema_type(const InputDesc& input) {
    const std::string alias = input.alias_set.empty()
                                  ? (input.mutates ? "(a!)" : "")
                                  : fmt::format("({}{})", input.alias_set, input.mutates ? "!" : "");
    return "Tensor" + alias + suffix(input.kind);
}

std::string schema_type(const AttrType& type) {
    std::string text(name(type.kind));
    if (type.fixed_size) {
        text += fmt::format("[{}]", *type.fixed_size);
    } else {
        for (int depth = 0; depth < type.list_depth; ++depth) {
            text += "[]";
        }
    }
    return text + (type.optional ? "?" : "");
}

std::string schema_type(const OutputDesc& output, const Operator& op) {
    switch (output.kind) {
        case OutputKind::Int:
            return "int";
        case OutputKind::Float:
            return "float";
        case OutputKind::Bool:
            return "bool";
        case OutputKind::SymInt:
            return "SymInt";
        case OutputKind::Tensor:
        case OutputKind::TensorList:
            break;
    }
    std::string alias;
    if (output.alias_of) {
        const InputDesc& input = op.inputs[*output.alias_of];
        alias = fmt::format("({}{})", input.alias_set, input.mutates ? "!" : "");
    }
    return "Tensor" + alias + (output.kind == OutputKind::TensorList ? "[]" : "");
}

std::vector<Argument> derive_arguments(const Operator& op) {
    std::vector<Argument> arguments;
    std::size_t last_required = 0;  // how many inputs up to and with the last required one
    for (std::size_t index = 0; index < op.inputs.size(); ++index) {
        if (!is_optional(op.inputs[index].kind)) {
            last_required = index + 1;
        }
    }
    for (std::size_t index = 0; index < op.inputs.size(); ++index) {
        if (op.inputs[index].bound_to_none) {
            continue;
        }
        Argument argument{Argument::From::Input, index, false, std::nullopt};
        if (index >= last_required) {
            argument.default_value = Value{None{}};
        }
        arguments.push_back(std::move(argument));
    }
    for (std::size_t index = 0; index < op.attrs.size(); ++index) {
        if (!op.attrs[index].bound) {
            arguments.push_back({Argument::From::Attr, index, true, op.attrs[index].default_value});
        }
    }
    return arguments;
}

std::string derive_schema(const Operator& op) {
    std::string text = op.name + (op.overload.empty() ? "" : "." + op.overload) + "(";
    bool first = true;
    bool keyword_only = false;
    for (const Argument& argument : op.arguments) {
        text += first ? "" : ", ";
        first = false;
        if (argument.keyword_only && !keyword_only) {
            keyword_only = true;
            text += "*, ";
        }
        if (argument.from == Argument::From::Input) {
            const InputDesc& input = op.inputs[argument.index];
            text += schema_type(input) + " " + input.name + (argument.default_value ? "=None" : "");
        } else {
            const AttrDesc& attr = op.attrs[argument.index];
            text += schema_type(attr.type) + " " + attr.name;
            if (argument.default_value) {
                text += "=" + schema_text(*argument.default_value, attr.type);
            }
        }
    }
    text += ") -> ";
    if (op.outputs.size() == 1) {
        return text + schema_type(op.outputs.front(), op);
    }
    text += "(";
    for (std::size_t index = 0; index < op.outputs.size(); ++index) {
        text += (index == 0 ? "" : ", ") + schema_type(op.outputs[index], op);
    }
    return text + ")";
}

void apply_schema(Operator& op, const Node& node, Diagnostics& out) {
    const SchemaResult result = parse_schema(node.text);
    if (!result.schema) {
        out.report("OW213", {node.position_of(result.offset), 1}, result.fault, "a PyTorch schema",
                   fmt::format("the operator's own is '{}'", derive_schema(op)));
        return;
    }
    Comparison comparison(op, node, *result.schema, out);
    comparison.run();
    if (comparison.agrees()) {
        op.arguments = std::move(comparison.arguments);
        op.schema = derive_schema(op);
        op.schema_given = true;
    }
}

}  // namespace opweld::spec
