// Random numbers from a seed and a counter: what eager mode draws for the same state of the generator.
#pragma once

#include <ATen/core/Tensor.h>

#include "npu/ge/operators/call.h"

namespace opweld::npu::graph {

// The offset of a generator: the only number, or the second one of a counter of 128 bits.
int64_t offset_of(const std::vector<int64_t>& counter);

// 1 with the probability that `prob` has, one for all or for each element.
void bernoulli_into(at::Tensor& y, const at::Tensor& prob, int64_t seed, int64_t offset);

// One bit an element, 128 at a time.
std::vector<int64_t> mask_shape(const std::vector<int64_t>& shape);

std::vector<int64_t> sampled_shape(const at::Tensor& weights, int64_t samples);

}  // namespace opweld::npu::graph
