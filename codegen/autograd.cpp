// The autograd kernel of an operator.

#include <fmt/format.h>

#include "codegen/backward_node.h"
#include "codegen/cpp_types.h"
#include "codegen/generators.h"
#include "codegen/text.h"

namespace opweld::codegen {

namespace {

std::vector<std::string> input_parameters(const OperatorPlan& plan, bool mutated_only) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < plan.op->inputs.size(); ++i) {
        const spec::InputDesc& input = plan.op->inputs[i];
        if (!input.bound_to_none && (!mutated_only || input.mutates)) {
            names.push_back(plan.inputs[i]);
        }
    }
    return names;
}

std::string redispatch(const OperatorPlan& plan) {
    std::vector<std::string> arguments{"keys & c10::after_autograd_keyset"};
    for (const std::string& name : plan.parameter_names()) {
        arguments.push_back(name);
    }
    const std::string call = fmt::format("{}_handle().redispatch(", plan.name);
    if (plan.outputs.empty()) {
        return fill(R"({
    const at::AutoDispatchBelowADInplaceOrView guard;
    @call@
}
)",
                    {{"call", wrap(call, arguments, ");", 8)}});
    }
    const std::string target = plan.outputs.size() == 1
                                   ? fmt::format("{} {}", result_type(plan.op->outputs[0]), plan.outputs[0])
                                   : fmt::format("auto [{}]", join(plan.outputs));
    return fill(R"(@target@ = [&] {
    const at::AutoDispatchBelowADInplaceOrView guard;
    @call@
}();
)",
                {{"target", target}, {"call", wrap("return " + call, arguments, ");", 8)}});
}

}  // namespace

std::string autograd_kernel(const OperatorPlan& plan, const PackagePlan& package) {
    if (!plan.op->has_tensor_argument() || plan.is_view()) {
        return {};
    }
    const bool differentiable = !std::holds_alternative<spec::BackwardNone>(plan.op->backward);
    const std::vector<std::string> inputs = input_parameters(plan, false);
    const std::vector<std::string> mutated = input_parameters(plan, true);
    const std::string op_name = cpp_string(plan.qualified);
    std::string node_class;
    std::string node_type = "support::NotDifferentiable";
    std::string make;
    std::string after;
    if (differentiable) {
        const BackwardNode text = backward_node(plan, package);
        node_class = text.node_class + "\n";
        node_type = plan.camel + "Backward";
        make = wrap(fmt::format("node = c10::make_intrusive<{}>(support::gradient_edges(", node_type), inputs,
                    "));\n", 8) +
               text.save;
        after = text.save_outputs;
    } else {
        make = wrap(
            fmt::format("node = c10::make_intrusive<{}>({}, support::gradient_edges(", node_type, op_name),
            inputs, "));\n", 8);
    }
    std::string before;
    std::string record;
    for (const std::string& name : mutated) {
        before += fmt::format("support::check_mutable({}, node != nullptr);\n", name);
        record += fmt::format("support::record_mutation({}, node);\n", name);
    }
    std::string history;
    for (const std::size_t i : tensor_outputs(plan)) {
        if (!plan.op->outputs[i].alias_of) {
            history += fmt::format("support::record_output({}, node);\n", plan.outputs[i]);
        }
    }
    history += after;
    std::vector<std::string> parameters{"c10::DispatchKeySet keys"};
    for (const std::string& item : plan.parameter_items()) {
        parameters.push_back(item);
    }
    std::vector<std::string> tangents{op_name};
    tangents.insert(tangents.end(), inputs.begin(), inputs.end());
    const std::string body =
        wrap("support::refuse_forward_mode(", tangents, ");\n", 4) +
        fmt::format("c10::intrusive_ptr<{}> node;\n", node_type) +
        wrap("if (support::requires_grad(", inputs, ")) {\n", 4) + indent(make) + "}\n" + before +
        redispatch(plan) + record + (history.empty() ? "" : "if (node) {\n" + indent(history) + "}\n") +
        (plan.outputs.empty()       ? ""
         : plan.outputs.size() == 1 ? fmt::format("return {};\n", plan.outputs[0])
                                    : fmt::format("return {{{}}};\n", join(plan.outputs)));
    return node_class +
           wrap(fmt::format("{} {}_autograd(", return_type(*plan.op), plan.name), parameters, ") {\n") +
           indent(body) + "}\n";
}

}  // namespace opweld::codegen
