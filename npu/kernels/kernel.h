// The registry of kernels: one list for aclnn and the graph engine. Its rows are generated from
// functions/*.yaml.
//
// Constant after load; safe from any thread.
#pragma once

#include <span>
#include <string_view>

#include "npu/kernels/value.h"
#include "npu/runtime/interface.h"

namespace opweld::npu::kernels {

// An operator's kernel. run() gets the arguments in the order of the table, writes the outputs in place (they
// have their final shape, except in rows marked `dynamic`), and throws for what it can't do. Run it under
// KernelScope.
struct Kernel {
    std::string_view name;  // "Add"
    void (*run)(std::span<Value> arguments);
};

// All kernels, in the order of their names.
OPWELD_EXPORT std::span<const Kernel* const> all() noexcept;

// The kernel of that name, or null.
OPWELD_EXPORT const Kernel* find(std::string_view name) noexcept;

}  // namespace opweld::npu::kernels
