// docs/<op>.md: the reference page of an operator.

#include <fmt/format.h>

#include "codegen/generators.h"
#include "codegen/python_types.h"
#include "codegen/samples.h"
#include "codegen/text.h"

namespace opweld::codegen {

namespace {

std::string dtypes_cell(const spec::TypeSet& types) {
    std::vector<std::string> names;
    for (const spec::DType dtype : types.dtypes) {
        names.emplace_back(spec::name(dtype));
    }
    return names.empty() ? "any" : join(names);
}

std::string arguments_table(const OperatorPlan& plan) {
    std::string rows;
    for (const Parameter& parameter : plan.parameters) {
        const bool input = parameter.input != nullptr;
        const std::string type =
            input ? spec::schema_type(*parameter.input) : spec::schema_type(parameter.attr->type);
        const auto& value = parameter.argument->default_value;
        rows += fmt::format(
            "| `{}` | `{}` | {} | {} | {} |\n", input ? parameter.input->name : parameter.attr->name, type,
            input ? dtypes_cell(parameter.input->types) : "", value ? "`" + python_value(*value) + "`" : "",
            input ? parameter.input->doc : parameter.attr->doc);
    }
    return rows.empty()
               ? ""
               : "\n## Arguments\n| name | type | dtypes | default | |\n| --- | --- | --- | --- | --- |\n" +
                     rows;
}

std::string outputs_table(const OperatorPlan& plan) {
    std::string rows;
    for (const spec::OutputDesc& output : plan.op->outputs) {
        const auto code = [](const std::string& text) { return text.empty() ? "" : "`" + text + "`"; };
        const std::string shape = output.value ? output.value->text : output.shape.expression.text;
        rows +=
            fmt::format("| `{}` | `{}` | {} | {} | {} |\n", output.name, spec::schema_type(output, *plan.op),
                        code(output.dtype ? output.dtype->text : ""), code(shape),
                        output.present ? "only where `" + output.present->text + "`" : output.doc);
    }
    return rows.empty() ? ""
                        : "\n## Results\n| name | type | dtype | shape or value | |\n| --- | --- | --- | --- "
                          "| --- |\n" +
                              rows;
}

std::string rules_list(const OperatorPlan& plan) {
    std::string rows;
    for (const spec::Constraint& constraint : plan.op->constraints) {
        rows += fmt::format("- {}: `{}`\n", constraint.message, constraint.expr.text);
    }
    return rows.empty()
               ? ""
               : "\n## Rules\nA call that breaks one raises RuntimeError with this message.\n\n" + rows;
}

std::string properties(const OperatorPlan& plan) {
    std::string rows;
    if (const auto* op = std::get_if<spec::BackwardOp>(&plan.op->backward)) {
        rows += fmt::format("- Gradient: by `{}`.\n", op->op);
    } else if (const auto* formulas = std::get_if<spec::BackwardFormulas>(&plan.op->backward)) {
        for (const auto& entry : formulas->entries) {
            rows += fmt::format("- Gradient of `{}`: `{}`.\n", plan.op->inputs[entry.input].name,
                                entry.formula.text);
        }
    } else {
        rows += "- Gradient: none; asking for one is an error.\n";
    }
    switch (plan.op->autocast) {
        case spec::Autocast::Lower:
            rows += "- Autocast: inputs are cast to autocast's dtype.\n";
            break;
        case spec::Autocast::Fp32:
            rows += "- Autocast: inputs are cast to float32.\n";
            break;
        case spec::Autocast::Promote:
            rows += "- Autocast: inputs are cast to the widest dtype among them.\n";
            break;
        case spec::Autocast::None:
            break;
    }
    for (const spec::BatchedInput& batched : plan.op->batching) {
        rows += fmt::format("- vmap: `{}` may be batched, its batch dimension becomes {}.\n",
                            plan.op->inputs[batched.input].name, batched.dim);
    }
    rows += fmt::format(
        "- Graph-engine type: `{}`{}.\n", plan.op->ge_op,
        plan.aclnn_function.empty() ? "" : fmt::format("; NPU kernel: `{}`", plan.aclnn_function));
    if (!plan.op->reference.empty()) {
        rows += fmt::format("- Reference: `{}`.\n", plan.op->reference);
    }
    return "\n## Properties\n" + rows;
}

}  // namespace

std::vector<SourceFile> documents(const PackagePlan& plan) {
    std::vector<SourceFile> files;
    for (const OperatorPlan& op : plan.ops) {
        const std::string text = fmt::format(
            "<!-- {}{}; `opweld gen` overwrites changes. -->\n# {}\n{}\n```python\n{}.{}{}\n```\nSchema: "
            "`{}::{}`\n{}{}{}{}",
            generated_mark, plan.spec_file, op.qualified, op.op->doc.empty() ? "" : "\n" + op.op->doc + "\n",
            plan.package->name, op.name, python_signature(op), op.op->ns, op.op->schema, arguments_table(op),
            outputs_table(op), rules_list(op), properties(op));
        files.push_back({"docs/" + op.name + ".md", text});
    }
    return files;
}

}  // namespace opweld::codegen
