// Calls of the kernels that eager mode runs, so that a graph gives the same numbers.
#pragma once

#include <array>
#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "npu/kernels/kernel.h"

namespace opweld::npu::graph {

// An argument as the kernel's signature takes it. Lists and texts stay the caller's.
template <class T>
kernels::Value kernel_value(const T& argument) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>) {
        return kernels::Value(std::string_view(argument));
    } else if constexpr (std::same_as<T, bool>) {
        return kernels::Value(bool(argument));
    } else if constexpr (std::integral<T>) {
        return kernels::Value(static_cast<int64_t>(argument));
    } else if constexpr (std::floating_point<T>) {
        return kernels::Value(static_cast<double>(argument));
    } else {
        return kernels::Value(T(argument));
    }
}
inline kernels::Value kernel_value(const std::vector<int64_t>& integers) {
    return kernels::Value(at::IntArrayRef(integers));
}
inline kernels::Value kernel_value(const std::optional<std::vector<int64_t>>& integers) {
    return kernels::Value(integers ? at::OptionalIntArrayRef(*integers)
                                   : at::OptionalIntArrayRef(std::nullopt));
}
template <size_t N>
kernels::Value kernel_value(const std::array<bool, N>& bools) {
    return kernels::Value(c10::ArrayRef<bool>(bools));
}

// The kernel of that name. Throws GraphError where the registry has none.
const kernels::Kernel& kernel_named(std::string_view name);

// Runs the kernel of that name; the arguments are those of its row in npu/kernels/functions, in their types
// and order: std::optional<at::Tensor> where the row says `?`.
template <class... A>
void run_kernel(std::string_view name, const A&... arguments) {
    std::array<kernels::Value, sizeof...(A)> values{kernel_value(arguments)...};
    kernel_named(name).run(values);
}

}  // namespace opweld::npu::graph
