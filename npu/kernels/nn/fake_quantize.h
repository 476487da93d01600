// Rounding to the numbers that a quantized type has. Run under KernelScope.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace opweld::npu::kernels {

struct QuantizationRange {
    int64_t min;
    int64_t max;
};

// Scale and zero point of one element; an `enabled` of less than 1 leaves the values as they are.
void fake_quantize(const at::Tensor& self, const at::Tensor& scale, const at::Tensor& zero_point,
                   double enabled, QuantizationRange range, at::Tensor& out, at::Tensor& mask);
void fake_quantize_channels(const at::Tensor& self, const at::Tensor& scale, const at::Tensor& zero_point,
                            int64_t axis, QuantizationRange range, at::Tensor& out, at::Tensor& mask);

// Integers of the output's dtype; scales of one element, or one for each place along the axis.
void quantize(const at::Tensor& x, const at::Tensor& scales, const std::optional<at::Tensor>& zero_points,
              int64_t axis, at::Tensor& out);

}  // namespace opweld::npu::kernels
