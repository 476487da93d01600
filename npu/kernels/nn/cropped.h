// The middle of a tensor that was made larger at both ends of its spatial dimensions.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

#include <cstdint>

namespace opweld::npu::kernels {

// A view of `padded` [batch, channels, ...] without `before` and `after` elements of each spatial dimension.
inline at::Tensor cropped(const at::Tensor& padded, at::IntArrayRef before, at::IntArrayRef after) {
    at::Tensor part = padded;
    for (size_t i = 0; i < before.size(); ++i) {
        const auto dim = static_cast<int64_t>(i) + 2;
        part = part.narrow(dim, before[i], part.size(dim) - before[i] - after[i]);
    }
    return part;
}

}  // namespace opweld::npu::kernels
