#include "codegen/expressions.h"

#include <fmt/format.h>

#include "codegen/cpp_types.h"
#include "spec/expression.h"
#include "spec/formula/formula.h"

namespace opweld::codegen {

using spec::expr::Flavour;

namespace {

const spec::expr::Expression& checked(const spec::Expression& expression) {
    return expression.checked->expression;
}

// Required here, optional in the prototype, whose rules were written for an optional one.
bool is_narrowed(const spec::InputDesc& input) {
    return !input.bound_to_none && spec::is_optional(input.prototype_kind) && !spec::is_optional(input.kind);
}

}  // namespace

Expressions::Expressions(const OperatorPlan& plan) : plan_(plan) {
    const spec::Operator& op = *plan.op;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        names_[op.inputs[i].name] = is_narrowed(op.inputs[i]) ? "optional_" + plan.inputs[i] : plan.inputs[i];
    }
    for (std::size_t i = 0; i < op.attrs.size(); ++i) {
        names_[op.attrs[i].name] = plan.attrs[i];
    }
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
        names_[op.outputs[i].name] = plan.outputs[i];
    }
    for (const spec::Let& let : op.lets) {
        names_[let.name] = "let_" + let.name;
    }
}

std::string Expressions::cpp(const spec::Expression& expression, Flavour flavour) const {
    return spec::expr::emit_cpp(checked(expression), flavour, {names_});
}

std::string Expressions::cpp(const spec::Formula& formula) const {
    return spec::formula::emit_cpp(formula.checked->formula, names_);
}

std::string Expressions::python(const spec::Expression& expression) const {
    return spec::expr::emit_python(checked(expression), {});
}

void Expressions::follow_lets(std::set<std::string>& names) const {
    const std::vector<spec::Let>& lets = plan_.op->lets;
    for (auto let = lets.rbegin(); let != lets.rend(); ++let) {  // a let uses earlier ones only
        if (names.contains(let->name)) {
            names.merge(checked(let->expr).free_names());
        }
    }
}

std::set<std::string> Expressions::used(const std::vector<const spec::Expression*>& expressions) const {
    std::set<std::string> names;
    for (const spec::Expression* expression : expressions) {
        names.merge(checked(*expression).free_names());
    }
    follow_lets(names);
    return names;
}

std::set<std::string> Expressions::used(const spec::Formula& formula) const {
    std::set<std::string> names = formula.checked->formula.free_names();
    follow_lets(names);
    return names;
}

std::string Expressions::declare_lets(std::set<std::string> names, Flavour flavour) const {
    follow_lets(names);
    std::string text;
    for (const spec::Let& let : plan_.op->lets) {
        if (names.contains(let.name)) {
            text += fmt::format("const auto let_{} = {};\n", let.name, cpp(let.expr, flavour));
        }
    }
    return text;
}

std::string Expressions::declare_bound(const std::set<std::string>& names) const {
    const spec::Operator& op = *plan_.op;
    std::string text;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        if (op.inputs[i].bound_to_none && names.contains(op.inputs[i].name)) {
            text += fmt::format("const {} {};\n",
                                op.inputs[i].prototype_kind == spec::InputKind::OptionalTensor
                                    ? "std::optional<at::Tensor>"
                                    : "std::optional<std::vector<at::Tensor>>",
                                plan_.inputs[i]);
        }
        if (is_narrowed(op.inputs[i]) && names.contains(op.inputs[i].name)) {
            text +=
                op.inputs[i].kind == spec::InputKind::Tensor
                    ? fmt::format("const std::optional<at::Tensor> optional_{0} = {0};\n", plan_.inputs[i])
                    : fmt::format("const std::optional<std::vector<at::Tensor>> optional_{0} = {0}.vec();\n",
                                  plan_.inputs[i]);
        }
    }
    for (std::size_t i = 0; i < op.attrs.size(); ++i) {
        const spec::AttrDesc& attr = op.attrs[i];
        if (attr.bound && names.contains(attr.name)) {
            text += fmt::format("const auto {} = {};\n", plan_.attrs[i], literal(*attr.bound, attr.type));
        }
    }
    return text;
}

bool is_symbolic(const spec::Expression& expression) { return checked(expression).type().symbolic(); }

std::vector<const spec::Expression*> expressions_of(const spec::OutputDesc& output) {
    std::vector<const spec::Expression*> all;
    const auto add = [&](const std::optional<spec::Expression>& expression) {
        if (expression) {
            all.push_back(&*expression);
        }
    };
    add(output.dtype);
    add(output.count);
    add(output.present);
    add(output.strides);
    add(output.value);
    if (output.shape.kind == spec::ShapeRule::Kind::Expression ||
        output.shape.kind == spec::ShapeRule::Kind::DataDependent) {
        all.push_back(&output.shape.expression);
    }
    return all;
}

}  // namespace opweld::codegen
