#include "npu/kernels/nn/amp.h"

#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale_native.h>
#include <ATen/ops/_amp_update_scale_native.h>

#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {

void check_and_unscale(at::TensorList scaled_grads, at::Tensor& found_inf, const at::Tensor& inv_scale) {
    for (const at::Tensor& grad : scaled_grads) {  // one by one: a list may have several dtypes
        at::native::_amp_foreach_non_finite_check_and_unscale_cpu_(grad, found_inf, inv_scale);
    }
}

void update_scale(const at::Tensor& scale, const at::Tensor& growth_tracker, const at::Tensor& found_inf,
                  double growth_factor, double backoff_factor, int64_t growth_interval, at::Tensor& new_scale,
                  at::Tensor& new_growth_tracker) {
    if (!same_view(scale, new_scale)) {
        assign(new_scale, scale);
    }
    if (!same_view(growth_tracker, new_growth_tracker)) {
        assign(new_growth_tracker, growth_tracker);
    }
    at::native::_amp_update_scale_cpu_(new_scale, new_growth_tracker, found_inf, growth_factor,
                                       backoff_factor, growth_interval);
}

}  // namespace opweld::npu::kernels
