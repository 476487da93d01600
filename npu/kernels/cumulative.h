// Helpers of the cumulative functions' rows.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/_cummax_helper_cpu_dispatch.h>
#include <ATen/ops/_cummin_helper_cpu_dispatch.h>
#include <c10/core/WrapDimMinimal.h>

#include <cstdint>

#include "npu/kernels/indices.h"

namespace opweld::npu::kernels {

// The largest or smallest element so far and its place, by ATen's `helper` for tensors with elements and
// dimensions; ATen's doesn't know dimensions counted from the end.
template <class F>
void running_extreme(const at::Tensor& self, int64_t dim, at::Tensor& values, at::Tensor& places,
                     F&& helper) {
    if (self.dim() == 0) {
        assign(values, self);
        places.zero_();
    } else if (self.numel() != 0) {
        helper(self, values, places, c10::maybe_wrap_dim(dim, self.dim()));
    }
}

}  // namespace opweld::npu::kernels
