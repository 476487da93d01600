// How a kernel is called: its names, and its arguments in the order of the prototype. Shared by the
// generators of the CPU kernel, the NPU kernel and the vendor library. Pure functions.
#ifndef OPWELD_CODEGEN_KERNEL_CALL_H
#define OPWELD_CODEGEN_KERNEL_CALL_H

#include <string>
#include <vector>

#include "codegen/plan.h"

namespace opweld::codegen {

bool is_data_dependent(const spec::OutputDesc& output);

// The C++ function that hand-written code implements: the spec's `function`, else custom_linear for
// CustomLinear.
std::string kernel_name(const OperatorPlan& root);
// Its C entry point: opweld_kernel_<package>_<GeOp>.
std::string kernel_symbol(const OperatorPlan& root, const std::string& package);

// One argument of a kernel, as PyTorch's C++ has it. `absent`: an input that is bound to null.
struct KernelArgument {
    std::string name;   // for messages
    std::string value;  // expression
};

// Inputs; a bound one is an absent tensor.
std::vector<KernelArgument> kernel_inputs(const OperatorPlan& plan);
// Attributes that reach the kernel, bound ones as constants, as support::KernelCall takes them.
std::vector<KernelArgument> kernel_attributes(const OperatorPlan& plan);
// The same as an aclnn function takes them: optional plain values become a flag and a value.
std::vector<KernelArgument> launch_attributes(const OperatorPlan& plan);
// Outputs that the kernel writes, with the shape tensors of data-dependent ones.
std::vector<KernelArgument> kernel_outputs(const OperatorPlan& plan);

// Statements before the call: the random state, shape tensors of data-dependent outputs.
std::string before_kernel(const OperatorPlan& plan, bool npu);
// Statements after it: data-dependent outputs are cut to what was used.
std::string after_kernel(const OperatorPlan& plan);
// `at::Tensor y = outputs::f(x);` - or `auto [y, z] = …`, or the call alone. And the final return statement.
std::string make_outputs(const OperatorPlan& plan);
std::string return_outputs(const OperatorPlan& plan);

}  // namespace opweld::codegen

#endif
