#include "codegen/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "codegen/cpp_types.h"
#include "codegen/text.h"

namespace opweld::codegen {

namespace {

using spec::Diagnostic;
using spec::Kernel;
using spec::KernelLanguage;
using spec::Operator;

// Names that generated functions use themselves: a variable of the spec with such a name gets a `_`.
constexpr auto taken_names = std::to_array<std::string_view>(
    {"at",     "c10",    "std",    "torch", "opweld", "expr",    "support", "outputs", "launcher", "keys",
     "node",   "guard",  "result", "call",  "cast",   "reader",  "grads",   "grad",    "device",   "args",
     "random", "kernel", "made",   "batch", "widest", "options", "i",       "int64_t", "int32_t",  "size_t"});

std::string safe_name(const std::string& name) {
    const bool taken = std::find(taken_names.begin(), taken_names.end(), name) != taken_names.end();
    return taken ? name + "_" : name;
}

class Planner {
  public:
    Planner(const spec::Package& package, const GenerateOptions& options,
            std::vector<Diagnostic>& diagnostics)
        : package_(package), options_(options), diagnostics_(diagnostics) {}

    PackagePlan plan() {
        PackagePlan result;
        result.package = &package_;
        result.options = options_;
        result.spec_file = std::filesystem::path(package_.file).filename().string();
        for (std::size_t i = 0; i < package_.ops.size(); ++i) {
            result.ops.push_back(plan_operator(i));
        }
        return result;
    }

  private:
    void report(const char* rule, spec::Position at, std::string message, std::string expected,
                std::string hint) {
        Diagnostic diagnostic;
        diagnostic.rule = rule;
        diagnostic.severity = spec::Severity::Error;
        diagnostic.file = package_.file;
        diagnostic.span = {at, 1};
        diagnostic.message = std::move(message);
        diagnostic.expected = std::move(expected);
        diagnostic.hint = std::move(hint);
        diagnostics_.push_back(std::move(diagnostic));
    }

    OperatorPlan plan_operator(std::size_t index) {
        const Operator& op = package_.ops[index];
        OperatorPlan plan;
        plan.op = &op;
        plan.name = op.name + (op.overload.empty() ? "" : "_" + op.overload);
        plan.camel = camel_case(plan.name);
        plan.qualified = op.qualified_name();
        plan.root = op.prototype_of ? op.prototype_of->root : index;
        plan.is_root = plan.root == index;
        for (const spec::InputDesc& input : op.inputs) {
            plan.inputs.push_back(safe_name(input.name));
        }
        for (const spec::AttrDesc& attr : op.attrs) {
            plan.attrs.push_back(safe_name(attr.name));
        }
        for (const spec::OutputDesc& output : op.outputs) {
            plan.outputs.push_back(safe_name(output.name));
        }
        for (const spec::Argument& argument : op.arguments) {
            Parameter parameter;
            parameter.argument = &argument;
            if (argument.from == spec::Argument::From::Input) {
                parameter.input = &op.inputs[argument.index];
                parameter.cpp = plan.inputs[argument.index];
                parameter.type = argument_type(*parameter.input);
            } else {
                parameter.attr = &op.attrs[argument.index];
                parameter.cpp = plan.attrs[argument.index];
                parameter.type = argument_type(*parameter.attr);
            }
            plan.parameters.push_back(std::move(parameter));
        }
        check_outputs(op);
        if (plan.is_view()) {
            return plan;
        }
        check_views(op);
        choose_kernels(plan);
        check_attributes(plan);
        return plan;
    }

    void check_outputs(const Operator& op) {
        for (const spec::OutputDesc& output : op.outputs) {
            if (output.is_tensor() && !output.alias_of &&
                (output.shape.kind == spec::ShapeRule::Kind::Unknown || !output.dtype)) {
                report("OW604", output.at,
                       fmt::format("output '{}' of {} has no {}: nothing can be generated", output.name,
                                   op.qualified_name(), output.dtype ? "shape" : "type"),
                       "a shape and a type for every output",
                       "write `shape: x.shape` and `type: x.dtype`, or what is right");
            }
        }
    }

    void check_views(const Operator& op) {
        for (const spec::OutputDesc& output : op.outputs) {
            if (output.alias_of && !op.inputs[*output.alias_of].mutates) {
                report("OW604", output.at,
                       fmt::format("output '{}' of {} is a view, beside outputs that are not", output.name,
                                   op.qualified_name()),
                       "an operator whose outputs are all views, or none",
                       "make the view an operator of its own, or give the output memory of its own");
            }
        }
    }

    // CPU and vendor library: cpp. Any device: compose. CANN: aclnn.
    void choose_kernels(OperatorPlan& plan) {
        const Operator& op = *plan.op;
        const std::vector<Kernel>& kernels = op.kernels;
        for (const Kernel& kernel : kernels) {
            const bool first_on_cpu = plan.cpp == nullptr && plan.compose == nullptr;
            if (kernel.language == KernelLanguage::Cpp && first_on_cpu) {
                plan.cpp = &kernel;
            } else if (kernel.language == KernelLanguage::Compose && plan.compose == nullptr) {
                plan.compose = &kernel;
            } else if (kernel.language == KernelLanguage::Aclnn && plan.aclnn == nullptr) {
                plan.aclnn = &kernel;
            }
        }
        const bool software = options_.target == Target::Software;
        for (const Kernel& kernel : kernels) {
            if (kernel.language == KernelLanguage::Cpp && software) {
                const Operator& root = package_.ops[plan.root];
                plan.aclnn_function = "aclnn" + root.ge_op;
                plan.calls_own_function = true;
                return;
            }
            if (kernel.language == KernelLanguage::Aclnn) {
                plan.aclnn_function = kernel.aclnn;
                return;
            }
            if (kernel.language == KernelLanguage::Compose) {
                return;
            }
        }
        report_no_kernel(op);
    }

    void report_no_kernel(const Operator& op) {
        const bool software = options_.target == Target::Software;
        std::vector<std::string> reasons;
        for (const Kernel& kernel : op.kernels) {
            reasons.push_back(kernel.language == KernelLanguage::Cpp
                                  ? "cpp runs on the software NPU and the CPU only"
                                  : "ascendc kernels are not built by this version of opweld");
        }
        report(
            "OW601", op.at,
            fmt::format("{} has no kernel that the target '{}' can use: {}", op.qualified_name(),
                        software ? "software" : "npu",
                        reasons.empty() ? "its spec names none" : join(reasons, "; ")),
            software ? "a kernel of language cpp, compose or aclnn" : "a kernel of language compose or aclnn",
            software ? "add `kernel: [{language: cpp, source: kernels/name.cpp}]`" : npu_kernel_hint(op));
    }

    // What to write where only the software NPU has a kernel. A formula gives one result; the gradients of a
    // backward operator with several can be formulas of the operator it belongs to.
    std::string npu_kernel_hint(const Operator& op) const {
        std::string otherwise =
            "name a function that CANN has: `{language: aclnn, aclnn: aclnnXxx}`, or build with --target "
            "software";
        if (op.outputs.size() == 1) {
            return "add `{language: compose, formula: \"...\"}` to its kernels, or " + otherwise;
        }
        for (const Operator& forward : package_.ops) {
            const auto* call = std::get_if<spec::BackwardOp>(&forward.backward);
            if (call != nullptr && call->op == op.qualified_name()) {
                return fmt::format(
                    "write the gradients as formulas in the backward of {} (`backward: {{{}: \"...\"}}`), or "
                    "{}",
                    forward.name, forward.inputs.front().name, otherwise);
            }
        }
        return otherwise;
    }

    void check_attributes(const OperatorPlan& plan) {
        for (const spec::AttrDesc& attr : plan.op->attrs) {
            if (attr.type.kind == spec::AttrKind::Generator && !attr.type.optional) {
                report("OW602", attr.type_at,
                       fmt::format(
                           "attribute '{}' is a Generator: PyTorch's C++ functions take an optional one only",
                           attr.name),
                       "Generator?", "write `type: Generator?`");
            }
            const std::string obstacle = kernel_obstacle(attr);
            if (!obstacle.empty() && (plan.cpp != nullptr || !plan.aclnn_function.empty())) {
                report("OW602", attr.type_at, fmt::format("attribute '{}': {}", attr.name, obstacle),
                       "an attribute type that kernels can be given",
                       "use a kernel of language compose, or an attribute of another type");
            }
        }
    }

    const spec::Package& package_;
    const GenerateOptions& options_;
    std::vector<Diagnostic>& diagnostics_;
};

}  // namespace

bool OperatorPlan::is_view() const {
    return !op->outputs.empty() &&
           std::all_of(op->outputs.begin(), op->outputs.end(), [&](const spec::OutputDesc& output) {
               return output.alias_of && !op->inputs[*output.alias_of].mutates;
           });
}

bool OperatorPlan::returns_mutated() const {
    return std::any_of(op->outputs.begin(), op->outputs.end(), [&](const spec::OutputDesc& output) {
        return output.alias_of && op->inputs[*output.alias_of].mutates;
    });
}

bool OperatorPlan::depends_on_data() const {
    return std::any_of(op->outputs.begin(), op->outputs.end(), [](const spec::OutputDesc& output) {
        return output.is_tensor() && output.shape.kind == spec::ShapeRule::Kind::DataDependent;
    });
}

std::vector<std::string> OperatorPlan::parameter_items() const {
    std::vector<std::string> items;
    for (const Parameter& parameter : parameters) {
        items.push_back(fmt::format("{} {}", parameter.type, parameter.cpp));
    }
    return items;
}

std::string OperatorPlan::parameter_list() const { return join(parameter_items()); }

std::vector<std::string> OperatorPlan::parameter_names() const {
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters) {
        names.push_back(parameter.cpp);
    }
    return names;
}

std::vector<std::size_t> OperatorPlan::made_outputs() const {
    std::vector<std::size_t> made;
    for (std::size_t i = 0; i < op->outputs.size(); ++i) {
        if (op->outputs[i].is_tensor() && !op->outputs[i].alias_of) {
            made.push_back(i);
        }
    }
    return made;
}

const spec::AttrDesc* OperatorPlan::find_attr_of_kind(spec::AttrKind kind) const {
    for (const Parameter& parameter : parameters) {
        if (parameter.attr != nullptr && parameter.attr->type.kind == kind &&
            parameter.attr->type.list_depth == 0) {
            return parameter.attr;
        }
    }
    return nullptr;
}

std::vector<const OperatorPlan*> PackagePlan::cpp_kernels() const {
    std::vector<const OperatorPlan*> found;
    for (const OperatorPlan& op : ops) {
        if (op.is_root && op.cpp != nullptr) {
            found.push_back(&op);
        }
    }
    return found;
}

std::vector<std::string> PackagePlan::kernel_sources() const {
    std::vector<std::string> sources;
    for (const OperatorPlan* op : cpp_kernels()) {
        if (std::find(sources.begin(), sources.end(), op->cpp->source) == sources.end()) {
            sources.push_back(op->cpp->source);
        }
    }
    return sources;
}

std::vector<std::string> PackagePlan::namespaces() const {
    std::set<std::string> names;
    for (const OperatorPlan& op : ops) {
        names.insert(op.op->ns);
    }
    return {names.begin(), names.end()};
}

PackagePlan make_plan(const spec::Package& package, const GenerateOptions& options,
                      std::vector<Diagnostic>& diagnostics) {
    return Planner(package, options, diagnostics).plan();
}

}  // namespace opweld::codegen
