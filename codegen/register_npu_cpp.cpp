// csrc/register_npu.cpp: the PrivateUse1 kernels.

#include <fmt/format.h>

#include "codegen/cpp_types.h"
#include "codegen/expressions.h"
#include "codegen/generators.h"
#include "codegen/kernel_call.h"
#include "codegen/text.h"

namespace opweld::codegen {

namespace {

// The device that the call runs on, and that stays current during it.
std::string device_guard(const OperatorPlan& plan) {
    std::vector<std::string> tensors;
    for (const Parameter& parameter : plan.parameters) {
        if (parameter.input != nullptr) {
            tensors.push_back(parameter.cpp);
        }
    }
    if (!tensors.empty()) {
        return fmt::format("const launcher::DeviceGuard guard(support::device_of({}));\n", join(tensors));
    }
    for (const Parameter& parameter : plan.parameters) {
        if (parameter.attr != nullptr && parameter.attr->type.kind == spec::AttrKind::Device) {
            return fmt::format("const launcher::DeviceGuard guard({});\n",
                               parameter.attr->type.optional
                                   ? parameter.cpp + ".value_or(at::Device(at::kPrivateUse1))"
                                   : parameter.cpp);
        }
    }
    return "const launcher::DeviceGuard guard(at::Device(at::kPrivateUse1));\n";
}

std::vector<KernelArgument> launch_arguments(const OperatorPlan& plan) {
    std::vector<KernelArgument> all = kernel_inputs(plan);
    if (!plan.calls_own_function && !plan.aclnn->args.empty()) {
        all.clear();
        const Expressions expressions(plan);
        for (const spec::Expression& expression : plan.aclnn->args) {
            const std::string& name = expression.text;
            std::string value = expressions.cpp(expression, spec::expr::Flavour::sym);
            for (const auto& list : {kernel_inputs(plan), launch_attributes(plan), kernel_outputs(plan)}) {
                for (const KernelArgument& argument : list) {
                    value = argument.name == name ? argument.value : value;
                }
            }
            all.push_back({name, value});
        }
        return all;
    }
    for (const KernelArgument& argument : launch_attributes(plan)) {
        all.push_back(argument);
    }
    for (const KernelArgument& argument : kernel_outputs(plan)) {
        all.push_back(argument);
    }
    return all;
}

std::string lets_of_arguments(const OperatorPlan& plan) {
    if (plan.calls_own_function || plan.aclnn->args.empty()) {
        return {};
    }
    std::vector<const spec::Expression*> all;
    for (const spec::Expression& expression : plan.aclnn->args) {
        all.push_back(&expression);
    }
    const Expressions expressions(plan);
    std::set<std::string> lets;
    for (const std::string& name : expressions.used(all)) {
        for (const spec::Let& let : plan.op->lets) {
            if (let.name == name) {
                lets.insert(name);
            }
        }
    }
    return expressions.declare_lets(lets, spec::expr::Flavour::sym);
}

std::string kernel(const OperatorPlan& plan) {
    std::vector<std::string> names;
    std::vector<std::string> values;
    for (const KernelArgument& argument : launch_arguments(plan)) {
        names.push_back(cpp_string(argument.name));
        values.push_back(argument.value);
    }
    std::string fallback;
    if (plan.compose != nullptr) {
        fallback = fmt::format(
            "if (!function.found()) {{\n{}}}\n",
            indent(wrap(fmt::format("return {}_compose(", plan.name), plan.parameter_names(), ");\n", 8)));
    }
    const std::string body = wrap(fmt::format("static const launcher::Function function({}, {},\n",
                                              cpp_string(plan.qualified), cpp_string(plan.aclnn_function)) +
                                      "                                          {",
                                  names, "});\n", 4) +
                             fallback + device_guard(plan) + make_outputs(plan) + before_kernel(plan, true) +
                             lets_of_arguments(plan) + wrap("function.call(", values, ");\n", 4) +
                             after_kernel(plan) + return_outputs(plan);
    return compose_kernel(plan, "compose") + (plan.compose != nullptr ? "\n" : "") +
           wrap(fmt::format("{} {}_npu(", return_type(*plan.op), plan.name), plan.parameter_items(),
                ") {\n") +
           indent(body) + "}\n";
}

}  // namespace

SourceFile register_npu_cpp(const PackagePlan& plan) {
    std::string kernels;
    std::string tables;
    for (const OperatorPlan& op : plan.ops) {
        if (!op.aclnn_function.empty()) {
            kernels += kernel(op) + "\n";
        }
    }
    for (const std::string& ns : plan.namespaces()) {
        std::string lines;
        for (const OperatorPlan& op : plan.ops) {
            if (op.op->ns == ns && !op.aclnn_function.empty()) {
                const std::string name = op.op->name + (op.op->overload.empty() ? "" : "." + op.op->overload);
                lines += fmt::format("    m.impl({}, {}_npu);\n", cpp_string(name), op.name);
            }
        }
        if (!lines.empty()) {
            tables += fmt::format("TORCH_LIBRARY_IMPL({}, PrivateUse1, m) {{\n{}}}\n\n", ns, lines);
        }
    }
    const std::string text = fill(R"(@banner@
#include <ATen/core/Tensor.h>
@formulas@
#include <opweld/launcher.h>
#include <opweld/torch/operator.hpp>
#include <torch/library.h>

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "outputs.hpp"

// The kernels of the NPU: the outputs are made by the same rules as on any device, the work is an aclnn function's.
namespace @package@ {
namespace {

namespace expr = opweld::expr::sym;
namespace launcher = opweld::launcher;
namespace support = opweld::torch_support;
using at::Tensor;

@kernels@

@tables@

}  // namespace
}  // namespace @package@
)",
                                  {{"banner", banner(plan, "//")},
                                   {"formulas", formula_includes(plan)},
                                   {"package", plan.package->name},
                                   {"kernels", kernels},
                                   {"tables", tables}});
    return {"csrc/register_npu.cpp", text};
}

}  // namespace opweld::codegen
