// Automatic mixed precision: unscaling of gradients and the update of the scale. Run under KernelScope.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace opweld::npu::kernels {

// Multiplies each gradient by inv_scale in place, and sets found_inf to 1 if any of them has an infinity or a
// NaN; else found_inf stays as it is.
void check_and_unscale(at::TensorList scaled_grads, at::Tensor& found_inf, const at::Tensor& inv_scale);

// The scale and the number of steps without an infinity, after this one. Inputs and outputs may be the same
// tensors.
void update_scale(const at::Tensor& scale, const at::Tensor& growth_tracker, const at::Tensor& found_inf,
                  double growth_factor, double backoff_factor, int64_t growth_interval, at::Tensor& new_scale,
                  at::Tensor& new_growth_tracker);

}  // namespace opweld::npu::kernels
