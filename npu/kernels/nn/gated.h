// Gated units and rotary embeddings. All compute in float32 (float64 for float64) and round what they store.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace opweld::npu::kernels {

// The first half of x along `dim` through silu, times the second half.
void swiglu(const at::Tensor& x, int64_t dim, at::Tensor& out);
void swiglu_backward(const at::Tensor& grad, const at::Tensor& x, int64_t dim, at::Tensor& out);

// The options of a GELU gate: which half goes through GELU, and whether by its approximation with tanh.
struct GegluOptions {
    int64_t dim;
    bool approximate;
    bool left;
};
void geglu(const at::Tensor& x, const GegluOptions& options, at::Tensor& out, at::Tensor& gelu);
void geglu_backward(const at::Tensor& grad, const at::Tensor& x, const GegluOptions& options,
                    at::Tensor& out);

// How the features of an embedding are paired: halves of all, neighbours, halves of each half.
enum class Rotation : int64_t { half, interleave, quarter };
// "half", "interleave" or "quarter"; throws AclException (161002) for another name.
Rotation rotation(std::string_view name);

// x * cos + rotated(x) * sin, where each pair (a, b) of features becomes (-b, a).
void rotary(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, Rotation rotation,
            at::Tensor& out);
// Without x, the gradients of cos and sin are zero.
void rotary_backward(const at::Tensor& grad, const at::Tensor& cos, const at::Tensor& sin,
                     const std::optional<at::Tensor>& x, Rotation rotation, at::Tensor& grad_x,
                     at::Tensor& grad_cos, at::Tensor& grad_sin);

}  // namespace opweld::npu::kernels
