// The executor of a function of the table: keeps the arguments and runs the row's kernel.
#pragma once

#include "npu/aclnn/call/function.h"

namespace opweld::npu::aclnn {

// Holds references of the argument objects and copies of strings; the arguments must have been checked. The
// caller gets the one reference. `device` is the one all tensors are on, -1 where none has memory.
aclOpExecutor* make_function_executor(const Function& function, std::span<const Slot> slots, int device);

}  // namespace opweld::npu::aclnn
