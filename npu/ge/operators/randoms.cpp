#include "npu/ge/operators/randoms.h"

#include <fmt/format.h>

#include "npu/ge/operators/kernel_call.h"

namespace opweld::npu::graph {

int64_t offset_of(const std::vector<int64_t>& counter) {
    if (counter.empty() || counter.size() > 2) {
        throw GraphError(fmt::format("a counter of {} numbers; it has one or two", counter.size()));
    }
    return counter.back();
}

void bernoulli_into(at::Tensor& y, const at::Tensor& prob, int64_t seed, int64_t offset) {
    if (prob.numel() == 1) {
        run_kernel("InplaceBernoulli", y, prob.item(), seed, offset);
    } else {
        run_kernel("InplaceBernoulliTensor", y, prob, seed, offset);
    }
}

std::vector<int64_t> mask_shape(const std::vector<int64_t>& shape) {
    constexpr int64_t kBits = 128;
    int64_t elements = 1;
    for (const int64_t size : shape) {
        elements *= size;
    }
    return {(elements + kBits - 1) / kBits * (kBits / 8)};
}

std::vector<int64_t> sampled_shape(const at::Tensor& weights, int64_t samples) {
    std::vector<int64_t> sizes = weights.sizes().vec();
    sizes.back() = samples;
    return sizes;
}

}  // namespace opweld::npu::graph
