// Optional results of kernels: gradients that a mask asks for, statistics that a caller may leave out.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

#include <array>
#include <optional>

#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {

inline std::array<bool, 3> wanted_gradients(c10::ArrayRef<bool> mask) { return {mask[0], mask[1], mask[2]}; }

// Copies a result into an output that is there, if it is wanted.
inline void assign_if(bool wanted, const std::optional<at::Tensor>& out, const at::Tensor& result) {
    if (wanted && out.has_value()) {
        at::Tensor target = *out;
        assign(target, result);
    }
}

}  // namespace opweld::npu::kernels
