#include "npu/kernels/nn/fake_quantize.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_fake_quantize_per_tensor_affine_cachemask_tensor_qparams_cpu_dispatch.h>
#include <ATen/ops/fake_quantize_per_channel_affine_cachemask_cpu_dispatch.h>
#include <ATen/ops/full.h>
#include <ATen/ops/round.h>

#include <limits>
#include <vector>

#include "npu/kernels/nn/widened.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

// One value, or one for each place along the axis, so that it broadcasts to the tensor.
at::Tensor along(const at::Tensor& values, const at::Tensor& tensor, int64_t axis) {
    std::vector<int64_t> shape(static_cast<size_t>(tensor.dim()), 1);
    if (values.numel() != 1) {
        shape[static_cast<size_t>(axis < 0 ? axis + tensor.dim() : axis)] = values.numel();
    }
    return values.to(tensor.scalar_type()).view(shape);
}

template <class T>
at::Tensor clamped(const at::Tensor& values) {
    return values.clamp(std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
}

}  // namespace

void fake_quantize(const at::Tensor& self, const at::Tensor& scale, const at::Tensor& zero_point,
                   double enabled, QuantizationRange range, at::Tensor& out, at::Tensor& mask) {
    const at::Tensor flag = at::full({1}, enabled >= 1 ? 1 : 0, self.options().dtype(at::kLong));
    const auto [result, inside] = at::cpu::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams(
        widened(self), scale.to(at::kFloat).reshape({1}), zero_point.to(at::kInt).reshape({1}), flag,
        range.min, range.max);
    assign(out, result);
    assign(mask, inside);
}

void fake_quantize_channels(const at::Tensor& self, const at::Tensor& scale, const at::Tensor& zero_point,
                            int64_t axis, QuantizationRange range, at::Tensor& out, at::Tensor& mask) {
    const at::ScalarType type = zero_point.is_floating_point() ? at::kFloat : at::kInt;
    const auto [result, inside] = at::cpu::fake_quantize_per_channel_affine_cachemask(
        widened(self), scale.to(at::kFloat), zero_point.to(type), axis, range.min, range.max);
    assign(out, result);
    assign(mask, inside);
}

void quantize(const at::Tensor& x, const at::Tensor& scales, const std::optional<at::Tensor>& zero_points,
              int64_t axis, at::Tensor& out) {
    // float64 holds all of int32.
    const at::Tensor wide = x.to(at::kDouble);
    at::Tensor result = at::round(wide / along(scales, wide, axis));
    if (zero_points.has_value()) {
        result = result + along(*zero_points, wide, axis);
    }
    switch (out.scalar_type()) {
        case at::kChar:
            result = clamped<int8_t>(result);
            break;
        case at::kByte:
            result = clamped<uint8_t>(result);
            break;
        default:
            result = clamped<int32_t>(result);
    }
    assign(out, result);
}

}  // namespace opweld::npu::kernels
