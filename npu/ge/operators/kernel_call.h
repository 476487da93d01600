// Calls of the kernels that eager mode runs, so that a graph gives the same numbers.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "npu/ge/model/graph.h"
#include "npu/kernels/kernel.h"

namespace opweld::npu::graph {

template <class T>
kernels::Value kernel_value(const T& argument) {
    return kernels::Value(T(argument));
}
inline kernels::Value kernel_value(const std::vector<int64_t>& integers) {
    return kernels::Value(at::IntArrayRef(integers));
}
inline kernels::Value kernel_value(const std::string& text) { return kernels::Value(std::string_view(text)); }
template <size_t N>
kernels::Value kernel_value(const std::array<bool, N>& bools) {
    return kernels::Value(c10::ArrayRef<bool>(bools));
}

// Runs the kernel of that name; the arguments are those of its row in npu/kernels/functions, in their types
// and order: std::optional<at::Tensor> where the row says `?`.
template <class... A>
void run_kernel(std::string_view name, const A&... arguments) {
    const kernels::Kernel* kernel = kernels::find(name);
    if (kernel == nullptr) {
        throw GraphError("there is no kernel named " + std::string(name));
    }
    std::array<kernels::Value, sizeof...(A)> values{kernel_value(arguments)...};
    kernel->run(values);
}

}  // namespace opweld::npu::graph
