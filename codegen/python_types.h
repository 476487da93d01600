// How arguments, values and results look in the generated Python. Pure functions of the model.
#ifndef OPWELD_CODEGEN_PYTHON_TYPES_H
#define OPWELD_CODEGEN_PYTHON_TYPES_H

#include <string>
#include <vector>

#include "codegen/plan.h"
#include "spec/model.h"

namespace opweld::codegen {

std::string python_type(const spec::InputDesc& input);
std::string python_type(const spec::AttrType& type);
std::string python_return_type(const spec::Operator& op);
std::string python_value(const spec::Value& value);
// "(x: Tensor, *, n: int = 1) -> Tensor"
std::string python_signature(const OperatorPlan& plan);
// "x", "*", "n=1": the parameters of a function with the operator's arguments, without types.
std::vector<std::string> python_parameters(const OperatorPlan& plan);
// "x, weight, n=n": the call of the operator with its own arguments.
std::string python_call(const OperatorPlan& plan);
// "torch.ops.npu.npu_abs.default"
std::string python_operator(const OperatorPlan& plan);

}  // namespace opweld::codegen

#endif
