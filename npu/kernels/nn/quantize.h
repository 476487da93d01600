// Quantization to int8, computed in float32 and rounded once. Run under KernelScope.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

#include <optional>
#include <string_view>

namespace opweld::npu::kernels {

// y = round(x * smooth / scale) with the scale that takes each row's greatest absolute value to 127. With an
// `offset`: y = round(x * smooth / scale + offset), which takes each row's least and greatest value to -128
// and 127. A row of equal values whose scale would be 0 becomes 0, its offset too.
void quantize_rows(const at::Tensor& wide_x, const std::optional<at::Tensor>& smooth, at::Tensor& y,
                   at::Tensor& scale, const std::optional<at::Tensor>& offset = std::nullopt);

// y = round(x * scale + offset), with `sqrt_mode` x * scale^2; `rounding` is round (half to even), floor,
// ceil or trunc.
void quantize_by_factor(const at::Tensor& x, const at::Tensor& scale, const std::optional<at::Tensor>& offset,
                        bool sqrt_mode, std::string_view rounding, at::Tensor& y);

// What is normalized: y = rms_norm(x1 + x2) * gamma + beta.
struct AddRmsNorm {
    const at::Tensor& x1;
    const at::Tensor& x2;
    const at::Tensor& gamma;
    const std::optional<at::Tensor>& beta;
    double epsilon;
};

struct Scales {
    std::optional<at::Tensor> scales;
    std::optional<at::Tensor> zero_points;
};

// What add_rms_norm() and then quantize() (fake_quantize.h), or without `div_mode` quantize_by_factor(),
// give: the normalization is rounded to the dtype of x1. Zeros where there are no scales.
void add_rms_norm_quantize(const AddRmsNorm& norm, const Scales& first, const Scales& second, bool div_mode,
                           at::Tensor& y1, at::Tensor& y2, at::Tensor& x);

struct QuantizedRows {
    at::Tensor y;
    at::Tensor scale;
};

// quantize_rows() of the normalization, once or twice: as `output_mask` says, and without one the first, and
// the second if both have a smooth scale. What isn't chosen gets zeros.
void add_rms_norm_quantize_rows(const AddRmsNorm& norm, const std::optional<at::Tensor>& smooth1,
                                const std::optional<at::Tensor>& smooth2, c10::ArrayRef<bool> output_mask,
                                QuantizedRows first, QuantizedRows second, at::Tensor& x);

}  // namespace opweld::npu::kernels
