// csrc/register.cpp: everything that PyTorch needs to know of the operators where there is no NPU.

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "codegen/cpp_types.h"
#include "codegen/expressions.h"
#include "codegen/generators.h"
#include "codegen/kernel_call.h"
#include "codegen/text.h"
#include "spec/expression.h"

namespace opweld::codegen {

namespace {

// The handle through which an operator is called.
std::string handle(const OperatorPlan& plan) {
    std::vector<std::string> types;
    for (const Parameter& parameter : plan.parameters) {
        types.push_back(parameter.type);
    }
    return fill(
        R"(@alias@
const c10::TypedOperatorHandle<@camel@Signature>& @name@_handle() {
    @find@
    return op;
}
)",
        {{"alias",
          wrap(fmt::format("using {}Signature = {}(", plan.camel, return_type(*plan.op)), types, ");")},
         {"camel", plan.camel},
         {"name", plan.name},
         {"find",
          wrap(fmt::format("static const auto op = support::find_operator<{}Signature>(", plan.camel),
               {cpp_string(plan.op->ns + "::" + plan.op->name), cpp_string(plan.op->overload)}, ");", 4)}});
}

// Meta, where shapes depend on values.
std::string refused_meta(const OperatorPlan& plan) {
    if (!plan.depends_on_data()) {
        return {};
    }
    std::vector<std::string> parameters;
    for (const Parameter& parameter : plan.parameters) {
        parameters.push_back(parameter.type + " /*" + parameter.cpp + "*/");
    }
    return wrap(fmt::format("{} {}_meta(", return_type(*plan.op), plan.name), parameters, ") {\n") +
           fmt::format(
               "    TORCH_CHECK_NOT_IMPLEMENTED(false, {});\n}}\n",
               cpp_string(plan.qualified + ": the output's shape depends on the values of the inputs, "
                                           "so it is not known on the meta device"));
}

std::string registration(const PackagePlan& plan, const std::string& ns, const std::string& key,
                         const std::function<std::string(const OperatorPlan&)>& function_of) {
    std::string lines;
    for (const OperatorPlan& op : plan.ops) {
        if (op.op->ns != ns) {
            continue;
        }
        const std::string function = function_of(op);
        if (!function.empty()) {
            const std::string name = op.op->name + (op.op->overload.empty() ? "" : "." + op.op->overload);
            lines += fmt::format("    m.impl({}, {});\n", cpp_string(name), function);
        }
    }
    return lines.empty() ? "" : fmt::format("TORCH_LIBRARY_IMPL({}, {}, m) {{\n{}}}\n\n", ns, key, lines);
}

std::string definitions(const PackagePlan& plan, const std::string& ns) {
    std::string lines;
    for (const OperatorPlan& op : plan.ops) {
        if (op.op->ns != ns) {
            continue;
        }
        std::vector<std::string> tags{"at::Tag::pt2_compliant_tag"};
        for (const std::string& tag : op.op->tags) {
            if (tag != "pt2_compliant_tag") {
                tags.push_back("at::Tag::" + tag);
            }
        }
        lines += fmt::format("    m.def({},\n          {{{}}});\n", cpp_string(op.op->schema), join(tags));
    }
    for (const OperatorPlan& op : plan.ops) {
        if (op.op->ns == ns && op.returns_mutated()) {
            lines += fmt::format("    m.def({},\n          {{at::Tag::pt2_compliant_tag}});\n",
                                 cpp_string(functional_schema(op)));
            lines += fmt::format(
                "    m.impl({}, c10::DispatchKey::CompositeExplicitAutograd, TORCH_FN({}_functional));\n",
                cpp_string(functional_name(op) + (op.op->overload.empty() ? "" : "." + op.op->overload)),
                op.name);
        }
    }
    for (const OperatorPlan& op : plan.ops) {
        if (op.op->ns == ns && op.has_fake()) {
            const std::string arguments = op.op->schema.substr(op.op->schema.find('('));
            lines += fmt::format("    m.def({});\n", cpp_string(largest_name(op) + arguments));
        }
    }
    return fmt::format("TORCH_LIBRARY_FRAGMENT({}, m) {{\n{}}}\n\n", ns, lines);
}

std::string registrations(const PackagePlan& plan, const std::string& ns) {
    const auto when = [](bool condition, const OperatorPlan& op, const char* suffix) {
        return condition ? op.name + suffix : std::string();
    };
    std::string text = definitions(plan, ns);
    text += registration(plan, ns, "CompositeImplicitAutograd",
                         [&](const OperatorPlan& op) { return op.is_view() ? "outputs::" + op.name : ""; });
    text += registration(plan, ns, "Meta", [&](const OperatorPlan& op) {
        if (op.is_view()) {
            return std::string();
        }
        return refused_meta(op).empty() ? "outputs::" + op.name : op.name + "_meta";
    });
    std::string largest;
    for (const OperatorPlan& op : plan.ops) {
        if (op.op->ns == ns && op.has_fake()) {
            largest += fmt::format("    m.impl({}, outputs::{});\n", cpp_string(largest_name(op)), op.name);
        }
    }
    if (!largest.empty()) {
        text += fmt::format(
            "// For FakeTensor: the outputs with the largest sizes possible.\n"
            "TORCH_LIBRARY_IMPL({}, Meta, m) {{\n{}}}\n\n",
            ns, largest);
    }
    text += registration(plan, ns, "CPU",
                         [&](const OperatorPlan& op) { return when(op.cpp != nullptr, op, "_cpu"); });
    text += registration(plan, ns, "CompositeExplicitAutograd",
                         [&](const OperatorPlan& op) { return when(op.compose != nullptr, op, "_compose"); });
    text += registration(plan, ns, "Autograd", [&](const OperatorPlan& op) {
        return when(!autograd_kernel(op, plan).empty(), op, "_autograd");
    });
    for (const auto& [key, device] :
         {std::pair("AutocastCPU", "CPU"), std::pair("AutocastPrivateUse1", "PrivateUse1")}) {
        text += registration(plan, ns, key, [&, device = device](const OperatorPlan& op) {
            return autocast_kernels(op).empty()
                       ? ""
                       : fmt::format("{}_autocast<c10::DeviceType::{}>", op.name, device);
        });
    }
    text += registration(plan, ns, "FuncTorchBatched", [&](const OperatorPlan& op) {
        return when(!batching_kernel(op).empty(), op, "_batched");
    });
    text += registration(plan, ns, "Functionalize", [&](const OperatorPlan& op) {
        return when(!functionalize_kernel(op).empty(), op, "_functionalize");
    });
    text += registration(plan, ns, "BackendSelect", [&](const OperatorPlan& op) {
        return when(!backend_select_kernel(op).empty(), op, "_backend_select");
    });
    return text;
}

}  // namespace

std::string largest_name(const OperatorPlan& plan) {
    return plan.op->name + "_largest" + (plan.op->overload.empty() ? "" : "." + plan.op->overload);
}

std::string cpu_kernel(const OperatorPlan& plan, const PackagePlan& package) {
    if (plan.cpp == nullptr) {
        return {};
    }
    const OperatorPlan& root = package.ops[plan.root];
    std::string call = fmt::format("support::KernelCall({})\n", cpp_string(plan.qualified));
    for (const KernelArgument& argument : kernel_inputs(plan)) {
        call += fmt::format("    .input({})\n", argument.value);
    }
    for (const KernelArgument& argument : kernel_attributes(plan)) {
        call += fmt::format("    .attribute({})\n", argument.value);
    }
    for (const KernelArgument& argument : kernel_outputs(plan)) {
        call += fmt::format("    .output({})\n", argument.value);
    }
    call += fmt::format("    .run({});\n", kernel_symbol(root, package.package->name));
    return wrap(fmt::format("{} {}_cpu(", return_type(*plan.op), plan.name), plan.parameter_items(),
                ") {\n") +
           indent(make_outputs(plan) + before_kernel(plan, false) + call + after_kernel(plan) +
                  return_outputs(plan)) +
           "}\n";
}

namespace {

// One tensor in plain memory, which the formula may give in another: Meta says contiguous.
bool gives_plain_tensor(const spec::Operator& op) {
    if (op.outputs.size() != 1) {
        return false;
    }
    const spec::OutputDesc& output = op.outputs.front();
    return output.kind == spec::OutputKind::Tensor && !output.alias_of && !output.present &&
           !output.strides && output.memory_format.value_or("contiguous_format") == "contiguous_format";
}

}  // namespace

namespace {

// The compiler's own words about a formula that gives one tensor for several outputs name neither.
std::string check_of_results(const OperatorPlan& plan, const spec::Formula& formula,
                             const std::string& value) {
    if (plan.op->outputs.size() < 2) {
        return {};
    }
    const std::string message = fmt::format(
        "the formula of {} (line {} of the spec) doesn't give its {} outputs, {}: write a function "
        "that returns so many tensors, or a kernel in C++",
        plan.qualified, formula.at.line, plan.op->outputs.size(), return_type(*plan.op));
    return fmt::format("static_assert(std::is_convertible_v<decltype({}), {}>,\n              {});\n", value,
                       return_type(*plan.op), cpp_string(message));
}

}  // namespace

std::string compose_kernel(const OperatorPlan& plan, const std::string& suffix) {
    if (plan.compose == nullptr) {
        return {};
    }
    const Expressions expressions(plan);
    const spec::Formula& formula = *plan.compose->formula;
    const std::set<std::string> names = expressions.used(formula);
    const std::string value = expressions.cpp(formula);
    const std::string result = gives_plain_tensor(*plan.op) ? fmt::format("({}).contiguous()", value) : value;
    const std::string body =
        wrap(fmt::format("outputs::check_{}(", plan.name), plan.parameter_names(), ");\n", 4) +
        expressions.declare_bound(names) + expressions.declare_lets(names, spec::expr::Flavour::sym) +
        check_of_results(plan, formula, value) + (plan.outputs.empty() ? "" : "return ") + result + ";\n";
    return wrap(fmt::format("{} {}_{}(", return_type(*plan.op), plan.name, suffix), plan.parameter_items(),
                ") {\n") +
           indent(body) + "}\n";
}

std::string formula_includes(const PackagePlan& plan) {
    std::set<std::string> functions;
    bool any = false;
    for (const OperatorPlan& op : plan.ops) {
        if (op.compose != nullptr) {
            any = true;
            functions.merge(op.compose->formula->checked->formula.functions());
        }
        if (const auto* backward = std::get_if<spec::BackwardFormulas>(&op.op->backward)) {
            for (const auto& entry : backward->entries) {
                any = true;
                functions.merge(entry.formula.checked->formula.functions());
            }
        }
    }
    std::string lines = any ? "#include <ATen/TensorOperators.h>\n" : "";
    for (const std::string& function : functions) {
        lines += fmt::format("#include <ATen/ops/{}.h>\n", function);
    }
    return lines;
}

std::string banner(const PackagePlan& plan, std::string_view comment) {
    return fmt::format("{} {}{}; `opweld gen` overwrites changes.", comment, generated_mark, plan.spec_file);
}

SourceFile register_cpp(const PackagePlan& plan) {
    std::string operators;
    std::string handles;
    bool random = false;
    for (const OperatorPlan& op : plan.ops) {
        operators += fmt::format("// ---- {} ----\n\n", op.qualified);
        const std::vector<std::string> kernels{
            refused_meta(op),          cpu_kernel(op, plan),     compose_kernel(op, "compose"),
            autograd_kernel(op, plan), autocast_kernels(op),     batching_kernel(op),
            functionalize_kernel(op),  backend_select_kernel(op)};
        for (const std::string& kernel : kernels) {
            operators += kernel.empty() ? "" : kernel + "\n";
        }
        random = random || operators.find("support::random_state") != std::string::npos;
    }
    for (const OperatorPlan& op :
         plan.ops) {  // also those that come after their users, such as backward operators
        handles += operators.find(op.name + "_handle()") != std::string::npos ? handle(op) + "\n" : "";
    }
    std::string tables;
    for (const std::string& ns : plan.namespaces()) {
        tables += registrations(plan, ns);
    }
    const auto uses = [&](std::string_view text) { return operators.find(text) != std::string::npos; };
    std::string includes = "#include <opweld/torch/operator.hpp>\n";
    includes += uses("support::AutocastTo") ? "#include <opweld/torch/autocast.hpp>\n" : "";
    includes += uses("support::requires_grad") ? "#include <opweld/torch/autograd.hpp>\n" : "";
    includes += uses("support::functional_value") ? "#include <opweld/torch/functionalize.hpp>\n" : "";
    includes += uses("support::KernelCall") ? "#include <opweld/torch/kernel_call.hpp>\n" : "";
    includes += random ? "#include <opweld/torch/random.hpp>\n" : "";
    includes += uses("support::BatchedCall") ? "#include <opweld/torch/vmap.hpp>\n" : "";
    const std::string text =
        fill(R"(@banner@
#include <ATen/core/Tensor.h>
@formulas@
@includes@
#include <torch/library.h>

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

@kernels@
#include "outputs.hpp"

namespace @package@ {
namespace {

namespace expr = opweld::expr::sym;
namespace support = opweld::torch_support;
using at::Tensor;

@handles@

@operators@

@tables@

}  // namespace
}  // namespace @package@
)",
             {{"banner", banner(plan, "//")},
              {"formulas", formula_includes(plan)},
              {"includes", includes},
              {"kernels", plan.cpp_kernels().empty() ? "" : "#include \"kernel_functions.h\""},
              {"package", plan.package->name},
              {"handles", handles},
              {"operators", operators},
              {"tables", tables}});
    return {"csrc/register.cpp", text};
}

}  // namespace opweld::codegen
