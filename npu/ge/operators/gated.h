// Gated units.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace opweld::npu::graph {

// A tensor like x with half its size along dim.
at::Tensor halved_form(const at::Tensor& x, int64_t dim);

// The number of a rotary embedding's mode: 0 halves, 1 neighbours, 2 halves of halves. Throws for another.
int64_t rotation_mode(int64_t mode);

// g * sigmoid(alpha * g) * (v + bias), where g is at most `limit` and v lies between -limit and limit. They
// are even and odd columns, or halves, of x as rows of the elements from `dim` on.
struct ClippedUnit {
    int64_t dim;
    double alpha;
    double limit;
    double bias;
    bool interleaved;
};
at::Tensor clipped_unit(const at::Tensor& gate, const at::Tensor& value, const ClippedUnit& unit);

// Only as many rows as the entries of `groups` say together are computed; the rest is zero.
at::Tensor clipped_swiglu(const at::Tensor& x, const std::optional<at::Tensor>& groups,
                          const ClippedUnit& unit);

}  // namespace opweld::npu::graph
