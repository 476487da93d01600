#include "codegen/kernel_call.h"

#include <fmt/format.h>

#include "codegen/cpp_types.h"
#include "codegen/text.h"

namespace opweld::codegen {

using spec::AttrDesc;
using spec::AttrKind;

namespace {

// A plain value that may be None: aclnn functions get a flag and a value for it.
bool is_optional_plain(const AttrDesc& attr) {
    return attr.type.optional && attr.type.list_depth == 0 && attr.type.kind != AttrKind::Str &&
           attr.type.kind != AttrKind::Scalar && attr.type.kind != AttrKind::Generator;
}

std::string argument_of(const OperatorPlan& plan, std::size_t i) {
    const AttrDesc& attr = plan.op->attrs[i];
    return attr.bound ? literal(*attr.bound, attr.type) : plan.attrs[i];
}

std::vector<KernelArgument> converted(const OperatorPlan& plan, std::size_t i, bool launch) {
    const AttrDesc& attr = plan.op->attrs[i];
    const std::string name = argument_of(plan, i);
    if (attr.type.kind == AttrKind::Generator) {
        return {{attr.name + "_seed", "static_cast<int64_t>(random.seed)"},
                {attr.name + "_offset", "static_cast<int64_t>(random.offset)"}};
    }
    if (attr.type.list_depth == 2) {
        return {{attr.name, fmt::format("support::flat({})", name)},
                {attr.name + "_lengths", fmt::format("support::lengths({})", name)}};
    }
    std::string value = name;
    const bool converts = attr.type.kind == AttrKind::SymInt ||
                          (attr.type.list_depth == 1 &&
                           (attr.type.kind == AttrKind::Bool || attr.type.kind == AttrKind::ScalarType)) ||
                          (attr.type.kind == AttrKind::Str && launch);
    if (converts) {
        value = fmt::format("support::{}({})", launch && attr.type.kind == AttrKind::Str ? "text" : "plain",
                            name);
    }
    if (launch && is_optional_plain(attr)) {
        return {{"has_" + attr.name, fmt::format("{}.has_value()", name)},
                {attr.name, fmt::format("support::value_or_zero({})", value)}};
    }
    return {{attr.name, value}};
}

std::vector<KernelArgument> attributes(const OperatorPlan& plan, bool launch) {
    std::vector<KernelArgument> result;
    for (std::size_t i = 0; i < plan.op->attrs.size(); ++i) {
        if (reaches_kernel(plan.op->attrs[i])) {
            for (KernelArgument& argument : converted(plan, i, launch)) {
                result.push_back(std::move(argument));
            }
        }
    }
    return result;
}

}  // namespace

bool is_data_dependent(const spec::OutputDesc& output) {
    return output.is_tensor() && output.shape.kind == spec::ShapeRule::Kind::DataDependent;
}

std::string kernel_name(const OperatorPlan& root) {
    return root.cpp->function.empty() ? snake_case(root.op->ge_op) : root.cpp->function;
}

std::string kernel_symbol(const OperatorPlan& root, const std::string& package) {
    return fmt::format("opweld_kernel_{}_{}", package, root.op->ge_op);
}

std::vector<KernelArgument> kernel_inputs(const OperatorPlan& plan) {
    std::vector<KernelArgument> result;
    for (std::size_t i = 0; i < plan.op->inputs.size(); ++i) {
        const spec::InputDesc& input = plan.op->inputs[i];
        const bool tensor = input.prototype_kind == spec::InputKind::OptionalTensor;
        const std::string absent = tensor ? "at::Tensor()" : "std::optional<std::vector<at::Tensor>>()";
        result.push_back({input.name, input.bound_to_none ? absent : plan.inputs[i]});
    }
    return result;
}

std::vector<KernelArgument> kernel_attributes(const OperatorPlan& plan) { return attributes(plan, false); }
std::vector<KernelArgument> launch_attributes(const OperatorPlan& plan) { return attributes(plan, true); }

std::vector<KernelArgument> kernel_outputs(const OperatorPlan& plan) {
    std::vector<KernelArgument> result;
    for (const std::size_t i : plan.made_outputs()) {
        result.push_back({plan.op->outputs[i].name, plan.outputs[i]});
        if (is_data_dependent(plan.op->outputs[i])) {
            result.push_back({plan.op->outputs[i].name + "_shape", plan.outputs[i] + "_shape"});
        }
    }
    return result;
}

std::string before_kernel(const OperatorPlan& plan, bool npu) {
    std::string text;
    for (std::size_t i = 0; i < plan.op->attrs.size(); ++i) {
        if (plan.op->attrs[i].type.kind == AttrKind::Generator) {
            text +=
                npu ? fmt::format("const auto random = launcher::random_state({}, guard.current_device());\n",
                                  argument_of(plan, i))
                    : fmt::format("const auto random = support::random_state({});\n", argument_of(plan, i));
        }
    }
    for (const std::size_t i : plan.made_outputs()) {
        if (is_data_dependent(plan.op->outputs[i])) {
            text += fmt::format(
                "const at::Tensor {0}_shape = at::empty({{{0}.dim()}}, {0}.options().dtype(at::kLong));\n",
                plan.outputs[i]);
        }
    }
    return text;
}

std::string after_kernel(const OperatorPlan& plan) {
    std::string text;
    for (const std::size_t i : plan.made_outputs()) {
        if (is_data_dependent(plan.op->outputs[i])) {
            text += fmt::format("{0} = support::cut_to({0}, {0}_shape);\n", plan.outputs[i]);
        }
    }
    return text;
}

std::string make_outputs(const OperatorPlan& plan) {
    const std::string call = fmt::format("outputs::{}(", plan.name);
    const std::vector<std::string> arguments = plan.parameter_names();
    if (plan.outputs.empty()) {
        return wrap(call, arguments, ");\n", 4);
    }
    if (plan.outputs.size() == 1) {
        return wrap(fmt::format("{} {} = {}", result_type(plan.op->outputs[0]), plan.outputs[0], call),
                    arguments, ");\n", 4);
    }
    return wrap(fmt::format("auto [{}] = {}", join(plan.outputs), call), arguments, ");\n", 4);
}

std::string return_outputs(const OperatorPlan& plan) {
    if (plan.outputs.empty()) {
        return "";
    }
    return plan.outputs.size() == 1 ? fmt::format("return {};\n", plan.outputs[0])
                                    : fmt::format("return {{{}}};\n", join(plan.outputs));
}

}  // namespace opweld::codegen
