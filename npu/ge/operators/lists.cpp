#include "npu/ge/operators/lists.h"

#include <ATen/ops/abs.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/sign.h>
#include <ATen/ops/trunc.h>

#include "npu/ge/operators/kernel_call.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::graph {
namespace {

void check_same_shapes(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
    if (a.size() != b.size()) {
        throw GraphError(fmt::format("lists of {} and {} tensors", a.size(), b.size()));
    }
    for (size_t i = 0; i < a.size(); ++i) {
        if (a[i].sizes() != b[i].sizes()) {
            throw GraphError(fmt::format("tensors {} of the lists are {} and {}", i,
                                         shape_text(a[i].sizes().vec()), shape_text(b[i].sizes().vec())));
        }
    }
}

}  // namespace

Results like_each(const std::vector<at::Tensor>& tensors) {
    return each_of(tensors, [](const at::Tensor& tensor) {
        return at::empty_like(tensor, at::MemoryFormat::Contiguous);
    });
}

Results like_each(const std::vector<at::Tensor>& tensors, const std::vector<at::Tensor>& others) {
    check_same_shapes(tensors, others);
    return like_each(tensors);
}

Results like_each(const std::vector<at::Tensor>& tensors, const std::vector<at::Tensor>& others,
                  const std::vector<at::Tensor>& thirds) {
    check_same_shapes(tensors, thirds);
    return like_each(tensors, others);
}

at::Scalar number_at(const at::Tensor& numbers, size_t i, size_t count) {
    if (numbers.numel() != static_cast<int64_t>(count)) {
        throw GraphError(fmt::format("{} numbers for {} tensors", numbers.numel(), count));
    }
    return numbers.reshape({-1})[static_cast<int64_t>(i)].item();
}

void round_off(const at::Tensor& x, const at::Scalar& mode, at::Tensor& y) {
    constexpr int64_t kAwayFromZero = 4;
    if (mode.toLong() != kAwayFromZero) {
        run_kernel("ForeachRoundOffNumberV2", std::vector<at::Tensor>{x}, mode, std::vector<at::Tensor>{y});
        return;
    }
    const at::Tensor whole = at::trunc(x);
    const at::Tensor far = at::ge(at::abs(x - whole), 0.5);
    kernels::assign(y, whole + far.to(x.scalar_type()) * at::sign(x));
}

}  // namespace opweld::npu::graph
