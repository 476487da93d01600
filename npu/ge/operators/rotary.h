// Rotary embeddings.
#pragma once

#include <ATen/core/Tensor.h>

#include "npu/ge/operators/call.h"

namespace opweld::npu::graph {

// x with its features, pairs of neighbours, in two halves; then rotated by halves.
at::Tensor interleaved_rope(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin);

// Rotates query and key in place; `layout` as ApplyRotaryPosEmb counts them.
Results rotate_in_place(const at::Tensor& query, const at::Tensor& key, const at::Tensor& cos,
                        const at::Tensor& sin, int64_t layout, const std::string& mode);

}  // namespace opweld::npu::graph
