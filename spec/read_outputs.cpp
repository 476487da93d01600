// Outputs: kinds, dtypes, shapes and what else their expressions say.
#include <fmt/format.h>

#include <array>
#include <map>

#include "spec/expression.h"
#include "spec/names.h"
#include "spec/sections.h"

namespace opweld::spec {
namespace {

constexpr std::string_view kDataDependent = "data_dependent";

class OutputReader {
  public:
    OutputReader(OperatorContext& context, const Node& map, const expr::Scope& scope)
        : context_(context), map_(map), scope_(scope) {}

    OutputDesc read() {
        output_.at = map_.at;
        if (const auto given = context_.reader.text(map_, output_keys(), "name")) {
            check_name(context_.out(), *given, "an output");
            output_.name = given->value;
            output_.at = given->at;
        }
        if (const auto doc = context_.reader.text(map_, output_keys(), "doc")) {
            output_.doc = doc->value;
        }
        read_kind();
        if (output_.is_tensor()) {
            read_tensor();
        } else {
            read_plain();
        }
        return std::move(output_);
    }

  private:
    const Node* node(std::string_view key) const {
        const MapEntry* entry = map_.find(key);
        return entry == nullptr ? nullptr : entry->value.get();
    }

    void read_kind() {
        static const std::map<std::string_view, OutputKind> kPlain = {{"int", OutputKind::Int},
                                                                      {"float", OutputKind::Float},
                                                                      {"bool", OutputKind::Bool},
                                                                      {"SymInt", OutputKind::SymInt}};
        const Node* type = node("type");
        const auto plain = type != nullptr && type->is_scalar() ? kPlain.find(type->text) : kPlain.end();
        const bool tensor_like =
            node("shape") != nullptr || node("alias") != nullptr || node("count") != nullptr;
        if (plain != kPlain.end() &&
            (node("value") != nullptr || (plain->first == "SymInt" && !tensor_like))) {
            output_.kind = plain->second;
            return;
        }
        const auto param = context_.reader.word(map_, output_keys(), "param_type");
        if (node("count") != nullptr || (param && param->value == "dynamic")) {
            output_.kind = OutputKind::TensorList;
        }
        if (const Node* value = node("value"); value != nullptr) {
            context_.out().report(
                "OW307", value->span(), "'value' is for outputs of type int, float, bool or SymInt",
                "an output with 'type: int' or the like", "remove 'value', or change 'type'");
        }
    }

    void read_plain() {
        static constexpr std::array<std::string_view, 8> kTensorKeys = {
            "param_type", "shape", "count", "present", "strides", "memory_format", "format", "alias"};
        for (const std::string_view key : kTensorKeys) {
            if (const Node* other = node(key); other != nullptr) {
                context_.out().report("OW307", other->span(), fmt::format("'{}' is for tensors", key),
                                      "name, type and value", fmt::format("remove '{}'", key));
            }
        }
        if (node("value") == nullptr) {
            context_.out().report("OW107", {output_.at, 1}, "a plain output has no 'value'",
                                  "'value': an expression", "add 'value: x.ndim', for instance");
            return;
        }
        const expr::Type type = output_.kind == OutputKind::Float  ? expr::Type::floating()
                                : output_.kind == OutputKind::Bool ? expr::Type::boolean()
                                                                   : expr::Type::integer();
        output_.value = compiled("value", type, scope_);
        warn_of_fixed_sizes();
    }

    // A plain value that depends on sizes asks for numbers where a graph with dynamic shapes has none.
    void warn_of_fixed_sizes() {
        const auto& checked = output_.value ? output_.value->checked : nullptr;
        if (output_.kind == OutputKind::SymInt || !checked || !checked->expression.type().symbolic()) {
            return;
        }
        const std::string_view type = node("type")->text;
        context_.out().report(
            "OW310", node("type")->span(),
            fmt::format("'{}' depends on sizes, and as {} fixes them in compiled graphs", output_.name, type),
            output_.kind == OutputKind::Int ? "type: SymInt" : "a value that depends on no size",
            output_.kind == OutputKind::Int ? "write 'type: SymInt'"
                                            : "let the caller compute it, or accept a graph for each size");
    }

    void read_tensor() {
        expr::Scope inner = scope_;
        if (output_.kind == OutputKind::TensorList) {
            inner.insert_or_assign("i", expr::Type::integer());
            output_.count = compiled("count", expr::Type::integer(), scope_);
        }
        read_alias();
        read_type(inner);
        read_shape(inner);
        output_.present = compiled("present", expr::Type::boolean(), scope_);
        output_.strides = compiled("strides", expr::Type::list(expr::Type::integer()), inner);
        if (const auto format = context_.reader.word(map_, output_keys(), "memory_format")) {
            output_.memory_format = format->value;
            if (const Node* strides = node("strides"); strides != nullptr) {
                context_.out().report("OW307", strides->span(), "'strides' and 'memory_format' say the same",
                                      "one of the two", "remove 'strides' or 'memory_format'");
            }
        }
        output_.formats = read_formats(context_.reader, map_, output_keys(), output_.type_list.size());
        check_complete();
    }

    void read_alias() {
        const auto alias = context_.reader.text(map_, output_keys(), "alias");
        if (!alias) {
            return;
        }
        const Operator& op = context_.op;
        const Span span{alias->at, std::max<std::size_t>(alias->value.size(), 1)};
        const auto input = op.find_input(alias->value);
        if (!input) {
            std::vector<std::string> names;
            for (const InputDesc& other : op.inputs) {
                names.push_back(other.name);
            }
            context_.out().report("OW222", span, fmt::format("there is no input '{}'", alias->value),
                                  names.empty() ? "an input" : join_words(names, "or"),
                                  suggestion(alias->value, names));
            return;
        }
        if (is_list(op.inputs[*input].kind) != (output_.kind == OutputKind::TensorList)) {
            context_.out().report(
                "OW222", span,
                fmt::format("'{}' is {} and '{}' is {}", alias->value,
                            is_list(op.inputs[*input].kind) ? "a list" : "a tensor", output_.name,
                            output_.kind == OutputKind::TensorList ? "a list" : "a tensor"),
                "a tensor for a tensor, a list for a list");
            return;
        }
        for (const OutputDesc& other : op.outputs) {
            if (other.alias_of == input) {
                context_.out().report(
                    "OW222", span, fmt::format("'{}' is aliased by '{}' already", alias->value, other.name),
                    "one output for an input");
                return;
            }
        }
        output_.alias_of = input;
    }

    void read_type(const expr::Scope& scope) {
        const Node* type = node("type");
        if (type == nullptr) {
            return;
        }
        if (type->is_sequence()) {
            for (const NodePtr& item : type->items) {
                output_.type_list.push_back(read_dtype(context_.reader, *item).value_or(DType::Float32));
            }
            pair_output_types(context_, output_, type->at, scope);
            return;
        }
        output_.dtype = context_.reader.expression(map_, output_keys(), "type");
        if (!output_.dtype) {
            return;
        }
        if (const auto dtype = parse_dtype(output_.dtype->text);
            dtype && scope.find(output_.dtype->text) == scope.end()) {
            output_.dtype->text = std::string(name(*dtype));  // msopgen's names are no expressions
            compile(*output_.dtype, nullptr, scope, expr::Type::dtype(), context_.out());
            return;
        }
        if (is_identifier(output_.dtype->text) && scope.find(output_.dtype->text) == scope.end()) {
            read_dtype(context_.reader, *type);  // a misspelt dtype
            return;
        }
        compile(*output_.dtype, type, scope, expr::Type::dtype(), context_.out());
    }

    void read_shape(const expr::Scope& scope) {
        const Node* shape = node("shape");
        if (shape == nullptr) {
            output_.shape.kind = output_.alias_of ? ShapeRule::Kind::Alias : ShapeRule::Kind::Unknown;
            return;
        }
        auto text = context_.reader.expression(map_, output_keys(), "shape");
        if (!text) {
            output_.shape.kind = ShapeRule::Kind::Expression;
            return;
        }
        output_.shape.kind = ShapeRule::Kind::Expression;
        output_.shape.expression = std::move(*text);
        std::size_t prefix = 0;
        if (output_.shape.expression.text.starts_with(kDataDependent) &&
            scope.find(kDataDependent) == scope.end()) {
            output_.shape.kind = ShapeRule::Kind::DataDependent;
            if (!cut_bound(*shape, prefix)) {
                return;
            }
        }
        compile(output_.shape.expression, shape, scope, expr::Type::list(expr::Type::integer()),
                context_.out(), prefix);
    }

    // data_dependent(max=[...]): leaves the bound in the shape's expression. `prefix`: where it begins.
    bool cut_bound(const Node& node, std::size_t& prefix) {
        const std::string whole = output_.shape.expression.text;
        const auto skip = [&](std::size_t at) {
            while (at < whole.size() && (whole[at] == ' ' || whole[at] == '\n')) {
                ++at;
            }
            return at;
        };
        const auto expect = [&](std::string_view token, std::size_t at) -> std::size_t {
            at = skip(at);
            return whole.compare(at, token.size(), token) == 0 ? at + token.size() : std::string::npos;
        };
        std::size_t at = expect("(", kDataDependent.size());
        at = at == std::string::npos ? at : expect("max", at);
        at = at == std::string::npos ? at : expect("=", at);
        const std::size_t last = whole.find_last_not_of(" \n");
        if (at == std::string::npos || whole[last] != ')' || skip(at) >= last) {
            context_.out().report("OW306", node.span(), fmt::format("'{}' can't be understood", whole),
                                  "data_dependent(max=[...]) with the largest sizes possible",
                                  "write \"data_dependent(max=x.shape)\", for instance");
            return false;
        }
        prefix = skip(at);
        output_.shape.expression.text = whole.substr(prefix, last - prefix);
        output_.shape.expression.at = node.position_of(prefix);
        return true;
    }

    void check_complete() {
        if (node("alias") != nullptr) {
            return;
        }
        const Severity severity = context_.options.for_generation ? Severity::Error : Severity::Warning;
        const std::string like = context_.op.inputs.empty() ? "" : context_.op.inputs.front().name;
        if (output_.kind == OutputKind::TensorList && node("count") == nullptr) {
            context_.out().report_as(severity, "OW304",
                                     {output_.at, std::max<std::size_t>(output_.name.size(), 1)},
                                     fmt::format("the list '{}' has no count", output_.name),
                                     "'count': how many tensors", "add 'count: len(xs)', for instance");
        }
        if (node("shape") == nullptr) {
            context_.out().report_as(
                severity, "OW304", {output_.at, std::max<std::size_t>(output_.name.size(), 1)},
                fmt::format("the output '{}' has no shape", output_.name),
                "'shape': an expression for its sizes",
                like.empty() ? "add 'shape: \"[n]\"'"
                             : fmt::format("add 'shape: {}.shape' if that is right", like));
        }
        if (node("type") == nullptr) {
            context_.out().report_as(
                severity, "OW305", {output_.at, std::max<std::size_t>(output_.name.size(), 1)},
                fmt::format("the output '{}' has no type", output_.name), "'type': its dtype",
                like.empty() ? "add 'type: float32'"
                             : fmt::format("add 'type: {}.dtype' if that is right", like));
        }
    }

    std::optional<Expression> compiled(std::string_view key, const expr::Type& expected,
                                       const expr::Scope& scope) {
        auto expression = context_.reader.expression(map_, output_keys(), key);
        if (expression) {
            compile(*expression, node(key), scope, expected, context_.out());
        }
        return expression;
    }

    OperatorContext& context_;
    const Node& map_;
    const expr::Scope& scope_;
    OutputDesc output_;
};

}  // namespace

void read_outputs(OperatorContext& context, const expr::Scope& scope) {
    const NodePtr list = context.reader.sequence(context.node, operator_keys(), "output_desc");
    if (!list) {
        return;
    }
    for (const NodePtr& item : list->items) {
        if (!context.reader.check_map(*item, output_keys(), item->at)) {
            continue;
        }
        const MapEntry* entry = item->find("name");
        const auto same = entry != nullptr && entry->value->is_scalar()
                              ? context.op.find_input(entry->value->text)
                              : std::nullopt;
        if (same && context.options.msopgen) {
            context.op.inputs[*same].mutates = true;
            context.out().report("OW502", entry->value->span(),
                                 fmt::format("'{}' is written in place", entry->value->text));
            continue;
        }
        if (same) {
            context.out().report(
                "OW221", entry->value->span(),
                fmt::format("the output '{}' has an input's name", entry->value->text), "a name of its own",
                fmt::format("for an operator in place mark the input 'mutates: true' and remove the "
                            "output, or give it another name and 'alias: {}'",
                            entry->value->text));
            continue;
        }
        context.op.outputs.push_back(OutputReader(context, *item, scope).read());
    }
}

}  // namespace opweld::spec
