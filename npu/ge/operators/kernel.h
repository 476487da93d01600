// Calls of kernels of the shared registry.
#pragma once

#include <array>
#include <concepts>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "npu/kernels/value.h"

namespace opweld::npu::graph {

// An argument as the kernel's signature takes it. Lists and texts stay the caller's.
inline kernels::Value kernel_value(const at::Tensor& tensor) { return kernels::Value(at::Tensor(tensor)); }
inline kernels::Value kernel_value(const std::optional<at::Tensor>& tensor) {
    return kernels::Value(std::optional<at::Tensor>(tensor));
}
inline kernels::Value kernel_value(const std::vector<at::Tensor>& tensors) {
    return kernels::Value(std::vector<at::Tensor>(tensors));
}
inline kernels::Value kernel_value(const std::vector<int64_t>& integers) {
    return kernels::Value(c10::ArrayRef<int64_t>(integers));
}
inline kernels::Value kernel_value(const std::optional<std::vector<int64_t>>& integers) {
    return kernels::Value(integers ? c10::OptionalArrayRef<int64_t>(*integers)
                                   : c10::OptionalArrayRef<int64_t>(std::nullopt));
}
template <size_t N>
kernels::Value kernel_value(const std::array<bool, N>& bools) {
    return kernels::Value(c10::ArrayRef<bool>(bools));
}
inline kernels::Value kernel_value(std::string_view text) { return kernels::Value(std::string_view(text)); }
inline kernels::Value kernel_value(const at::Scalar& number) { return kernels::Value(at::Scalar(number)); }
inline kernels::Value kernel_value(std::same_as<bool> auto value) { return kernels::Value(bool(value)); }
inline kernels::Value kernel_value(std::floating_point auto value) {
    return kernels::Value(static_cast<double>(value));
}
template <std::integral T>
    requires(!std::same_as<T, bool>)
kernels::Value kernel_value(T value) {
    return kernels::Value(static_cast<int64_t>(value));
}

// Throws GraphError where the registry has no kernel of that name.
void run_kernel(std::string_view name, std::span<kernels::Value> arguments);

// Runs a kernel; the arguments have the order of its signature in npu/kernels/functions.
template <class... Arguments>
void call_kernel(std::string_view name, const Arguments&... arguments) {
    std::array<kernels::Value, sizeof...(Arguments)> values{kernel_value(arguments)...};
    run_kernel(name, values);
}

}  // namespace opweld::npu::graph
