// 16-bit tensors in a precision to compute with.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace opweld::npu::kernels {

// float32 for a 16-bit tensor, else the tensor itself.
inline at::Tensor widened(const at::Tensor& tensor) {
    const bool reduced = tensor.scalar_type() == at::kHalf || tensor.scalar_type() == at::kBFloat16;
    return reduced ? tensor.to(at::kFloat) : tensor;
}

inline std::optional<at::Tensor> widened(const std::optional<at::Tensor>& tensor) {
    return tensor.has_value() ? std::optional(widened(*tensor)) : std::nullopt;
}

}  // namespace opweld::npu::kernels
