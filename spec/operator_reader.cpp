// One operator: the order in which its sections are read, and what concerns all of them.
#include <fmt/format.h>

#include <cctype>
#include <map>
#include <tuple>

#include "spec/expression.h"
#include "spec/names.h"
#include "spec/schema.h"
#include "spec/sections.h"

namespace opweld::spec {
namespace {

std::string lowercase(std::string text) {
    for (char& c : text) {
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return text;
}

// All names of an operator in the order of the file's sections.
std::vector<std::tuple<std::string, Position, std::string_view>> names_of(const Operator& op) {
    std::vector<std::tuple<std::string, Position, std::string_view>> names;
    for (const InputDesc& input : op.inputs) {
        names.emplace_back(input.name, input.at, "input");
    }
    for (const AttrDesc& attr : op.attrs) {
        names.emplace_back(attr.name, attr.at, "attribute");
    }
    for (const OutputDesc& output : op.outputs) {
        names.emplace_back(output.name, output.at, "output");
    }
    for (const Let& let : op.lets) {
        names.emplace_back(let.name, let.at, "let value");
    }
    return names;
}

void read_ge_op(OperatorContext& context) {
    Operator& op = context.op;
    op.ge_op = default_ge_op({op.ns, op.name, op.overload});
    const auto given = context.reader.text(context.node, operator_keys(), "ge_op");
    if (!given) {
        return;
    }
    op.ge_op = given->value;
    op.ge_op_given = true;
    const bool camel = is_identifier(op.ge_op) &&
                       std::isupper(static_cast<unsigned char>(op.ge_op.front())) != 0 &&
                       op.ge_op.find('_') == std::string::npos;
    if (!camel) {
        context.out().report("OW219", {given->at, std::max<std::size_t>(op.ge_op.size(), 1)},
                             fmt::format("'{}' is no graph-engine type", op.ge_op), "a CamelCase identifier",
                             fmt::format("'{}', for instance", default_ge_op({op.ns, op.name, op.overload})));
    }
}

}  // namespace

void check_names(OperatorContext& context) {
    std::map<std::string, std::pair<std::string, Position>, std::less<>> seen;
    for (const auto& [name, at, what] : names_of(context.op)) {
        if (name.empty()) {
            continue;
        }
        const auto [known, fresh] = seen.emplace(lowercase(name), std::pair(name, at));
        const Span span{at, name.size()};
        if (!fresh && known->second.first == name) {
            context.out().report("OW204", span, fmt::format("the name '{}' is used twice", name),
                                 "a name of its own",
                                 fmt::format("the other one is in line {}", known->second.second.line));
        } else if (!fresh) {
            context.out().report(
                "OW205", span,
                fmt::format("'{}' and '{}' differ in upper and lower case only", name, known->second.first),
                "names that differ in more than case");
        }
    }
    for (const OutputDesc& output : context.op.outputs) {
        const std::string gradient = "grad_" + output.name;
        for (const auto& [name, at, what] : names_of(context.op)) {
            if (name == gradient && output.is_tensor()) {
                context.out().report(
                    "OW203", {at, name.size()},
                    fmt::format("'{}' is the name of the gradient of the output '{}'", name, output.name),
                    "another name");
            }
        }
    }
}

void assign_alias_sets(Operator& op) {
    std::size_t next = 0;
    const auto letter = [&] {
        const std::string text(1, static_cast<char>('a' + next % 26));
        const std::size_t round = next++ / 26;
        return round == 0 ? text : text + std::to_string(round);
    };
    for (std::size_t index = 0; index < op.inputs.size(); ++index) {
        bool aliased = op.inputs[index].mutates;
        for (const OutputDesc& output : op.outputs) {
            aliased = aliased || output.alias_of == index;
        }
        op.inputs[index].alias_set = aliased ? letter() : "";
    }
}

Operator read_operator(NodeReader& reader, const LoadOptions& options, const OperatorNode& source,
                       const Operator* base) {
    Operator op;
    op.ns = source.name.ns;
    op.name = source.name.name;
    op.overload = source.name.overload;
    op.at = source.at;
    OperatorContext context{reader, options, *source.merged, op, source.cut_off};
    const std::size_t before = reader.out().errors_seen();
    if (const auto doc = reader.text(context.node, operator_keys(), "doc")) {
        op.doc = doc->value;
    }
    read_ge_op(context);
    read_inputs(context);
    for (std::size_t index = 0; index < op.inputs.size(); ++index) {
        const bool shared = base != nullptr && index < base->inputs.size();
        op.inputs[index].prototype_kind = shared ? base->inputs[index].prototype_kind : op.inputs[index].kind;
    }
    read_attrs(context);
    read_bind(context);
    const bool arguments_known = reader.out().errors_seen() == before;
    expr::Scope scope = argument_scope(op);
    read_lets(context, scope);
    read_outputs(context, scope);
    check_names(context);
    assign_alias_sets(op);
    read_constraints(context, scope);
    read_reference(context);
    read_autocast(context);
    read_kernels(context, scope);
    read_converter(context);
    read_batching(context);
    read_tags(context);
    // What a missing prototype would have brought is not missed again.
    const bool orphan = base == nullptr && context.node.find("prototype_of") != nullptr;
    if (!orphan && !source.cut_off && op.outputs.empty() && !op.mutates() &&
        reader.out().errors_seen() == before) {
        reader.out().report("OW225", {op.at, std::max<std::size_t>(op.name.size(), 1)},
                            fmt::format("'{}' returns nothing and changes nothing", op.name),
                            "an output, or an input with 'mutates: true'");
    }
    op.arguments = derive_arguments(op);
    op.schema = derive_schema(op);
    if (const auto schema = reader.text(context.node, operator_keys(), "schema"); schema && arguments_known) {
        apply_schema(op, *context.node.find("schema")->value, reader.out());
    }
    return op;
}

}  // namespace opweld::spec
