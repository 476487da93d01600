// One entry of op-plugin's YAML as an operator.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "spec/attr_types.h"
#include "spec/cpp_expression.h"
#include "spec/diagnostics.h"
#include "spec/expression.h"
#include "spec/names.h"
#include "spec/op_plugin.h"

namespace opweld::spec {
namespace {

struct Skip {
    std::string reason;
};
struct Incomplete {
    std::string reason;
};

InputKind kind_of(const std::string& suffix, const std::string& type) {
    if (suffix.empty()) {
        return InputKind::Tensor;
    }
    if (suffix == "?") {
        return InputKind::OptionalTensor;
    }
    if (suffix == "[]") {
        return InputKind::TensorList;
    }
    if (suffix == "[]?") {
        return InputKind::OptionalList;
    }
    if (suffix == "?[]") {
        return InputKind::ListOfOptionals;
    }
    throw Skip{fmt::format("a type that specs don't have: {}", type)};
}

std::string scalar_text(const Node& map, std::string_view key) {
    const MapEntry* entry = map.find(key);
    return entry != nullptr && entry->value->is_scalar() ? entry->value->text : "";
}

std::string trim(std::string_view text) {
    const std::size_t from = text.find_first_not_of(" \n\t");
    return from == std::string_view::npos
               ? ""
               : std::string(text.substr(from, text.find_last_not_of(" \n\t") - from + 1));
}

// Commas between brackets don't separate.
std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char c : text) {
        depth += c == '(' || c == '{' || c == '[' ? 1 : c == ')' || c == '}' || c == ']' ? -1 : 0;
        if (c == ',' && depth == 0) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    for (std::string& part : parts) {
        part = trim(part);
    }
    return parts;
}

class Maker {
  public:
    Maker(const OpPluginEntry& entry, const OpPluginIndex& by_name) : entry_(entry), by_name_(by_name) {}

    OpPluginOperator make() {
        OpPluginOperator result;
        try {
            take_schema();
        } catch (const Skip& skip) {
            result.reason = skip.reason;
            return result;
        }
        try {
            take_rules();
            result.complete = true;
        } catch (const Incomplete& incomplete) {
            result.reason = incomplete.reason;
            op_.lets.clear();
            op_.kernels.clear();
        }
        result.op = std::move(op_);
        return result;
    }

  private:
    void take_schema() {
        op_.name = entry_.schema.name;
        op_.overload = entry_.schema.overload;
        op_.at = entry_.at;
        op_.backward = BackwardNone{true, {}};
        if (op_.name.starts_with("__")) {
            throw Skip{fmt::format("a reserved name: {}", op_.name)};
        }
        if (!keyword_of(op_.name).empty() || !keyword_of(op_.overload).empty()) {
            throw Skip{fmt::format("a name that is a keyword: {}", entry_.name)};
        }
        for (const SchemaArgument& argument : entry_.schema.arguments) {
            take_argument(argument);
        }
        op_.schema_given = true;
        for (std::size_t index = 0; index < entry_.schema.returns.size(); ++index) {
            take_return(entry_.schema.returns[index], index);
        }
        if (op_.outputs.empty() && !op_.mutates()) {
            throw Skip{"it returns nothing and changes nothing"};
        }
        for (InputDesc& input : op_.inputs) {  // the letters of the schema
            input.prototype_kind = input.kind;
        }
        if (derive_arguments_fit()) {
            op_.schema_given = false;
        }
        op_.schema = derive_schema(op_);
    }

    // Whether the order that a spec implies is the schema's own, so that it need not be stated.
    bool derive_arguments_fit() const {
        const std::vector<Argument> implied = derive_arguments(op_);
        return std::equal(implied.begin(), implied.end(), op_.arguments.begin(), op_.arguments.end(),
                          [](const Argument& left, const Argument& right) {
                              return left.from == right.from && left.index == right.index &&
                                     left.keyword_only == right.keyword_only &&
                                     left.default_value == right.default_value;
                          });
    }

    void take_argument(const SchemaArgument& argument) {
        if (!keyword_of(argument.name).empty()) {
            throw Skip{fmt::format("an argument whose name is a keyword: {}", argument.name)};
        }
        const std::string& alias = argument.type.alias;
        if (alias.find("->") != std::string::npos || alias.find('|') != std::string::npos) {
            throw Skip{fmt::format("an alias that specs don't have: ({})", alias)};
        }
        Argument result;
        result.keyword_only = argument.keyword_only;
        if (argument.type.base == "Tensor") {
            InputDesc input;
            input.name = argument.name;
            input.kind = kind_of(argument.type.suffix, argument.type.text());
            input.mutates = argument.type.writes();
            input.alias_set = alias.substr(0, alias.find('!'));
            result.index = op_.inputs.size();
            if (argument.default_text) {
                if (!is_optional(input.kind)) {
                    throw Skip{fmt::format("a default of a tensor: {}", argument.name)};
                }
                result.default_value = Value{None{}};
            }
            op_.inputs.push_back(std::move(input));
        } else {
            AttrDesc attr;
            attr.name = argument.name;
            const AttrTypeResult type = parse_attr_type(argument.type.text());
            if (!type.type) {
                throw Skip{fmt::format("a type that specs don't have: {}", argument.type.text())};
            }
            attr.type = *type.type;
            if (argument.default_text) {
                attr.default_value = schema_value(*argument.default_text, attr.type);
                if (!attr.default_value || !default_obstacle(*attr.default_value, attr.type).empty()) {
                    throw Skip{fmt::format("a default that specs don't have: {} {}={}", argument.type.text(),
                                           argument.name, *argument.default_text)};
                }
            }
            result.from = Argument::From::Attr;
            result.index = op_.attrs.size();
            result.default_value = attr.default_value;
            op_.attrs.push_back(std::move(attr));
        }
        names_.insert(argument.name);
        op_.arguments.push_back(std::move(result));
    }

    void take_return(const SchemaReturn& result, std::size_t index) {
        OutputDesc output;
        const std::size_t count = entry_.schema.returns.size();
        output.name = !result.name.empty() ? result.name : count == 1 ? "out" : fmt::format("out{}", index);
        while (names_.contains(output.name) || names_.contains("grad_" + output.name) ||
               !keyword_of(output.name).empty()) {
            output.name = "result" + (count == 1 ? "" : std::to_string(index)) +
                          (output.name.starts_with("result") ? "_" : "");
        }
        names_.insert(output.name);
        const std::string type = result.type.text();
        if (type == "Tensor" || type == "Tensor[]") {
            output.kind = type == "Tensor" ? OutputKind::Tensor : OutputKind::TensorList;
        } else {
            throw Skip{fmt::format("a result that specs don't have: {}", type)};
        }
        if (!result.type.alias.empty()) {
            const std::string set = result.type.alias.substr(0, result.type.alias.find('!'));
            for (std::size_t input = 0; input < op_.inputs.size(); ++input) {
                if (op_.inputs[input].alias_set == set) {
                    output.alias_of = input;
                }
            }
            if (!output.alias_of ||
                is_list(op_.inputs[*output.alias_of].kind) != (output.kind == OutputKind::TensorList)) {
                throw Skip{fmt::format("an alias that specs don't have: ({})", result.type.alias)};
            }
            output.shape.kind = ShapeRule::Kind::Alias;
        }
        op_.outputs.push_back(std::move(output));
    }

    // gen_opapi of the entry, or of the one it inherits from.
    const Node& rules() const {
        const MapEntry* own = entry_.node->find("gen_opapi");
        if (own == nullptr) {
            throw Incomplete{entry_.aclnn ? "a hand-written aclnn kernel" : "no aclnn kernel"};
        }
        if (!own->value->is_map()) {
            throw Incomplete{"gen_opapi can't be understood"};
        }
        const std::string base = scalar_text(*own->value, "structured_inherit");
        if (base.empty()) {
            return *own->value;
        }
        const auto found = by_name_.find(base);
        const MapEntry* inherited =
            found == by_name_.end() ? nullptr : found->second->node->find("gen_opapi");
        if (inherited == nullptr || !inherited->value->is_map() ||
            inherited->value->find("structured_inherit") != nullptr) {
            throw Incomplete{fmt::format("nothing to inherit: {}", base)};
        }
        return *inherited->value;
    }

    void take_rules() {
        if (!entry_.aclnn) {
            throw Incomplete{"no aclnn kernel"};
        }
        const Node& rules = this->rules();
        for (const std::string_view key : {"cpu_scalar_h2d", "cpu_scalar_op", "integral_identity_tensor"}) {
            if (rules.find(key) != nullptr) {
                throw Incomplete{fmt::format("a rule beyond allocation: {}", key)};
            }
        }
        scope_ = argument_scope(op_);
        take_parameters(rules);
        std::vector<const MapEntry*> outputs;
        for (const MapEntry& entry : rules.entries) {
            if (entry.value->is_map() && entry.key != "new_params") {
                outputs.push_back(&entry);
            }
        }
        std::size_t next = 0;
        std::string fault;
        for (OutputDesc& output : op_.outputs) {
            const MapEntry* rule = next < outputs.size() ? outputs[next] : nullptr;
            ++next;
            if (rule != nullptr) {
                aliases_[rule->key] = output.alias_of ? op_.inputs[*output.alias_of].name : output.name;
            }
            if (output.alias_of) {
                continue;
            }
            try {
                take_output(output, rule);
            } catch (const Incomplete& incomplete) {  // the other outputs are taken all the same
                fault = fault.empty() ? incomplete.reason : fault;
            }
        }
        if (!fault.empty()) {
            throw Incomplete{fault};
        }
        take_call(rules);
    }

    void take_parameters(const Node& rules) {
        const MapEntry* parameters = rules.find("new_params");
        if (parameters == nullptr || !parameters->value->is_map()) {
            return;
        }
        for (const MapEntry& parameter : parameters->value->entries) {
            if (!parameter.value->is_scalar() || scope_.contains(parameter.key)) {
                continue;
            }
            const CppTranslation text = translate_cpp(parameter.value->text, CppPlace::Value, scope_);
            if (!text.text) {
                unknown_[parameter.key] = text.obstacle;
                continue;
            }
            const expr::CompileResult compiled = expr::compile(*text.text, scope_);
            if (!compiled.expression) {
                unknown_[parameter.key] = compiled.errors.front().message;
                continue;
            }
            scope_.emplace(parameter.key, compiled.expression->type());
            op_.lets.push_back({parameter.key, {}, Expression{*text.text, {}, nullptr}});
        }
    }

    Expression translated(const std::string& text, CppPlace place, const expr::Type& expected,
                          std::string_view what) {
        const CppTranslation translation = translate_cpp(text, place, scope_);
        if (!translation.text) {
            for (const auto& [name, obstacle] : unknown_) {
                if (text.find(name) != std::string::npos) {
                    throw Incomplete{fmt::format("a {} beyond expressions: {}", what, obstacle)};
                }
            }
            throw Incomplete{fmt::format("a {} beyond expressions: {}", what, translation.obstacle)};
        }
        const expr::CompileResult compiled = expr::compile(*translation.text, scope_, expected);
        if (!compiled.expression) {
            throw Incomplete{fmt::format("a {} that doesn't fit: {}", what, compiled.errors.front().message)};
        }
        return Expression{*translation.text, {}, nullptr};
    }

    void take_output(OutputDesc& output, const MapEntry* rule) {
        if (output.kind == OutputKind::TensorList) {
            throw Incomplete{"a list of outputs"};
        }
        if (rule == nullptr) {
            throw Incomplete{"no rule for an output"};
        }
        const std::string size = scalar_text(*rule->value, "size");
        const std::string dtype = scalar_text(*rule->value, "dtype");
        if (size.empty()) {
            throw Incomplete{"no size of an output"};
        }
        output.shape.expression =
            translated(size, CppPlace::Size, expr::Type::list(expr::Type::integer()), "size");
        output.shape.kind = ShapeRule::Kind::Expression;
        if (dtype.empty()) {
            throw Incomplete{"no dtype of an output"};
        }
        output.dtype = translated(dtype, CppPlace::DType, expr::Type::dtype(), "dtype");
    }

    void take_call(const Node& rules) {
        const std::vector<std::string> parts = split(scalar_text(rules, "exec"));
        if (parts.front().empty()) {
            throw Incomplete{"no exec"};
        }
        Kernel kernel;
        kernel.language = KernelLanguage::Aclnn;
        kernel.aclnn = parts.front();
        const auto add = [&](std::string text) {
            kernel.args.push_back(Expression{std::move(text), {}, nullptr});
        };
        expr::Scope known = scope_;
        for (const OutputDesc& output : op_.outputs) {
            known.emplace(output.name, expression_type(output));
        }
        for (std::size_t index = 1; index < parts.size(); ++index) {
            const auto alias = aliases_.find(parts[index]);
            const std::string name = alias != aliases_.end() ? alias->second : parts[index];
            if (!known.contains(name)) {
                const auto unknown = unknown_.find(name);
                throw Incomplete{fmt::format("an argument of the call beyond expressions: {}",
                                             unknown != unknown_.end() ? unknown->second : name)};
            }
            add(name);
        }
        if (parts.size() == 1) {
            for (const Argument& argument : op_.arguments) {
                add(argument.from == Argument::From::Input ? op_.inputs[argument.index].name
                                                           : op_.attrs[argument.index].name);
            }
            for (const OutputDesc& output : op_.outputs) {
                if (!output.alias_of) {
                    add(output.name);
                }
            }
        }
        op_.kernels.push_back(std::move(kernel));
    }

    const OpPluginEntry& entry_;
    const OpPluginIndex& by_name_;
    Operator op_;
    std::set<std::string> names_;
    expr::Scope scope_;
    std::map<std::string, std::string> aliases_;  // names of outputs in the entry -> in the spec
    std::map<std::string, std::string> unknown_;  // parameters that could not be translated, and why
};

}  // namespace

OpPluginOperator op_plugin_operator(const OpPluginEntry& entry, const OpPluginIndex& by_name) {
    return Maker(entry, by_name).make();
}

}  // namespace opweld::spec
