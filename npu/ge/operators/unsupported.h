// Refusals of inputs and attributes that an operator's prototype has and the engine doesn't.
#pragma once

#include <ATen/core/Tensor.h>
#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "npu/ge/model/graph.h"

namespace opweld::npu::graph {

// Throws GraphError where the input is there.
inline void refuse_input(std::string_view name, const std::optional<at::Tensor>& input) {
    if (input.has_value()) {
        throw GraphError(fmt::format("input '{}' is not supported", name));
    }
}

// Throws GraphError where the attribute has another value.
template <class T>
void only(std::string_view name, const T& value, const T& supported) {
    if (value != supported) {
        throw GraphError(fmt::format("attribute '{}' is {}; only {} is supported", name, value, supported));
    }
}

}  // namespace opweld::npu::graph
