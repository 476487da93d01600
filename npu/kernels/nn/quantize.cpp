#include "npu/kernels/nn/quantize.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/round.h>
#include <ATen/ops/where.h>

#include "npu/kernels/nn/fake_quantize.h"
#include "npu/kernels/nn/fused_norm.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

constexpr double kLeast = -128;
constexpr double kGreatest = 127;

at::Tensor wide(const at::Tensor& tensor) { return tensor.to(at::kFloat); }

void store_rounded(const at::Tensor& values, at::Tensor& y) {
    assign(y, at::round(values).clamp(kLeast, kGreatest));
}

// Zero where the divisor is.
at::Tensor ratio(const at::Tensor& values, const at::Tensor& divisor) {
    return at::where(divisor == 0, 0.0F, values / divisor);
}

// In float32, of which the sum is stored.
at::Tensor normalized(const AddRmsNorm& norm, at::Tensor& x) {
    const at::Tensor& x1 = norm.x1;
    at::Tensor y = at::empty(x1.sizes(), at::kFloat);
    at::Tensor rstd = at::empty({norm.gamma.numel() == 0 ? 0 : x1.numel() / norm.gamma.numel()}, at::kFloat);
    add_rms_norm(x1, norm.x2, norm.gamma, norm.epsilon, y, rstd, x);
    return norm.beta.has_value() ? y + wide(*norm.beta) : y;
}

// As the normalization and the quantization give it one after the other.
void scaled(const at::Tensor& values, const Scales& by, bool div_mode, at::Tensor& y) {
    if (!by.scales.has_value()) {
        y.zero_();
    } else if (div_mode) {
        quantize(values, *by.scales, by.zero_points, -1, y);
    } else {
        quantize_by_factor(values, *by.scales, by.zero_points, false, "round", y);
    }
}

void rows_if(bool chosen, const at::Tensor& values, const std::optional<at::Tensor>& smooth,
             QuantizedRows& to) {
    if (chosen) {
        quantize_rows(values, smooth, to.y, to.scale);
    } else {
        to.y.zero_();
        to.scale.zero_();
    }
}

}  // namespace

void quantize_rows(const at::Tensor& wide_x, const std::optional<at::Tensor>& smooth, at::Tensor& y,
                   at::Tensor& scale, const std::optional<at::Tensor>& offset) {
    const at::Tensor values = smooth.has_value() ? wide_x * wide(*smooth) : wide_x;
    if (values.numel() == 0) {
        scale.zero_();
        if (offset.has_value()) {
            offset->zero_();
        }
        return;
    }
    if (!offset.has_value()) {
        const at::Tensor factor = values.abs().amax(-1, true) / kGreatest;
        assign(scale, factor.squeeze(-1));
        store_rounded(ratio(values, factor), y);
        return;
    }
    const at::Tensor greatest = values.amax(-1, true);
    const at::Tensor factor = (greatest - values.amin(-1, true)) / (kGreatest - kLeast);
    const at::Tensor shift = at::where(factor == 0, 0.0F, kGreatest - greatest / factor);
    assign(scale, factor.squeeze(-1));
    offset->copy_(shift.squeeze(-1));
    store_rounded(ratio(values, factor) + shift, y);
}

void quantize_by_factor(const at::Tensor& x, const at::Tensor& scale, const std::optional<at::Tensor>& offset,
                        bool sqrt_mode, std::string_view rounding, at::Tensor& y) {
    at::Tensor values = wide(x) * wide(scale);
    if (sqrt_mode) {
        values = values * wide(scale);
    }
    if (offset.has_value()) {
        values = values + wide(*offset);
    }
    if (rounding == "floor") {
        values = values.floor();
    } else if (rounding == "ceil") {
        values = values.ceil();
    } else if (rounding == "trunc") {
        values = values.trunc();
    }
    store_rounded(values, y);
}

void add_rms_norm_quantize(const AddRmsNorm& norm, const Scales& first, const Scales& second, bool div_mode,
                           at::Tensor& y1, at::Tensor& y2, at::Tensor& x) {
    const at::Tensor values = normalized(norm, x).to(norm.x1.scalar_type());
    scaled(values, first, div_mode, y1);
    scaled(values, second, div_mode, y2);
}

void add_rms_norm_quantize_rows(const AddRmsNorm& norm, const std::optional<at::Tensor>& smooth1,
                                const std::optional<at::Tensor>& smooth2, c10::ArrayRef<bool> output_mask,
                                QuantizedRows first, QuantizedRows second, at::Tensor& x) {
    const bool has_mask = !output_mask.empty();
    const at::Tensor values = normalized(norm, x);
    rows_if(!has_mask || output_mask[0], values, smooth1, first);
    rows_if(has_mask ? output_mask[1] : smooth1.has_value() && smooth2.has_value(), values, smooth2, second);
}

}  // namespace opweld::npu::kernels
