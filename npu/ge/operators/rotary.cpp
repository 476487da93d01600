#include "npu/ge/operators/rotary.h"

#include <ATen/ops/empty_like.h>
#include <fmt/format.h>

#include "npu/ge/operators/kernel_call.h"

namespace opweld::npu::graph {

at::Tensor interleaved_rope(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin) {
    const at::Tensor halves = x.unflatten(-1, {x.size(-1) / 2, 2}).transpose(-1, -2).flatten(-2);
    at::Tensor y = at::empty_like(x, at::MemoryFormat::Contiguous);
    run_kernel("RotaryPositionEmbedding", halves, cos, sin, 0, y);
    return y;
}

Results rotate_in_place(const at::Tensor& query, const at::Tensor& key, const at::Tensor& cos,
                        const at::Tensor& sin, int64_t layout, const std::string& mode) {
    run_kernel("ApplyRotaryPosEmbV2", query, key, cos, sin, layout, mode);
    return {query, key};
}

}  // namespace opweld::npu::graph
