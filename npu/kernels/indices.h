// Places of elements as ATen gives them.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {

// Runs `kernel(places)` for a kernel whose places are int64 and contiguous: directly where `indices` is so,
// else on a copy.
template <class F>
void with_int64(at::Tensor& indices, F&& kernel) {
    if (indices.scalar_type() == at::kLong && indices.is_contiguous()) {
        kernel(indices);
    } else {
        at::Tensor places = at::empty(indices.sizes(), at::kLong);
        kernel(places);
        assign(indices, places);
    }
}

}  // namespace opweld::npu::kernels
