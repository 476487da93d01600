// What the generators read: the spec's model plus what generated code needs to know beyond it - C++ names,
// which kernel is taken, what goes into a kernel. Made once, read-only, and valid while the package is.
#ifndef OPWELD_CODEGEN_PLAN_H
#define OPWELD_CODEGEN_PLAN_H

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "codegen/api.h"
#include "spec/diagnostics.h"
#include "spec/model.h"

namespace opweld::codegen {

// A name of the spec as C++ and Python variable.
struct Variable {
    std::string cpp;
    std::string python;
};

// An argument of the PyTorch operator, in the order of its schema.
struct Parameter {
    const spec::Argument* argument = nullptr;
    const spec::InputDesc* input = nullptr;  // one of these two
    const spec::AttrDesc* attr = nullptr;
    std::string cpp;   // its name in C++
    std::string type;  // its C++ type: "const at::Tensor&"
};

struct OperatorPlan {
    const spec::Operator* op = nullptr;
    std::string name;       // C++ and Python: npu_custom_linear, abs_out
    std::string camel;      // NpuCustomLinear
    std::string qualified;  // npu::npu_custom_linear
    std::vector<Parameter> parameters;
    // C++ names, parallel to the model's lists.
    std::vector<std::string> inputs;
    std::vector<std::string> attrs;
    std::vector<std::string> outputs;

    // The kernels that the target can use. The first three are of the operator itself, with `prototype_of`
    // its root's.
    const spec::Kernel* cpp = nullptr;      // CPU, and the vendor library of the software NPU
    const spec::Kernel* compose = nullptr;  // any device
    const spec::Kernel* aclnn = nullptr;    // a function of CANN's
    // The vendor function of our own library or CANN's that the NPU kernel calls; empty: compose alone.
    std::string aclnn_function;
    bool calls_own_function = false;  // it is our own vendor library's
    std::size_t root = 0;             // into PackagePlan::ops: whose kernel and vendor function it is
    bool is_root = true;

    [[nodiscard]] bool mutates() const { return op->mutates(); }
    // All outputs are views of inputs that it does not write into: PyTorch decomposes it, no kernel is
    // needed.
    [[nodiscard]] bool is_view() const;
    // It writes into an input and returns it: PyTorch's own functionalization does not take such an operator.
    [[nodiscard]] bool returns_mutated() const;
    // Some shapes are known only after it has run.
    [[nodiscard]] bool depends_on_data() const;
    // FakeTensor gets outputs of unknown size: with a second operator whose outputs have the largest size.
    [[nodiscard]] bool has_fake() const { return depends_on_data() && !mutates(); }
    [[nodiscard]] std::string parameter_list() const;  // "const at::Tensor& x, bool use_bias"
    [[nodiscard]] std::vector<std::string> parameter_items() const;
    [[nodiscard]] std::vector<std::string> parameter_names() const;
    // Outputs that are tensors which the operator makes: no alias, no plain value.
    [[nodiscard]] std::vector<std::size_t> made_outputs() const;
    [[nodiscard]] const spec::AttrDesc* find_attr_of_kind(spec::AttrKind kind) const;
};

struct PackagePlan {
    const spec::Package* package = nullptr;
    GenerateOptions options;
    std::vector<OperatorPlan> ops;
    std::string spec_file;  // name without folder, for the first line of generated files

    // The operators whose kernels are written in C++ (roots only), in order.
    [[nodiscard]] std::vector<const OperatorPlan*> cpp_kernels() const;
    [[nodiscard]] std::vector<std::string> kernel_sources() const;  // distinct, in order
    [[nodiscard]] std::vector<std::string> namespaces() const;      // of the operators, sorted
};

// Reports what makes generation impossible (rules OW601 to OW604).
PackagePlan make_plan(const spec::Package& package, const GenerateOptions& options,
                      std::vector<spec::Diagnostic>& diagnostics);

}  // namespace opweld::codegen

#endif
