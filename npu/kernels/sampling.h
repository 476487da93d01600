// Draws from distributions whose parameters are tensors, permutations and samples. What is drawn depends on
// seed, offset and the place in row-major order only. Parameters outside their range throw.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "npu/kernels/random.h"

namespace opweld::npu::kernels {

// Normal numbers around `mean` with the standard deviation `std`; both broadcast to the output.
void draw_normal(const at::Tensor& mean, const at::Tensor& std, RandomState state, at::Tensor& out);

// Exponential numbers: waiting times at the rate `lambda`.
void fill_exponential(at::Tensor& self, double lambda, RandomState state);

// 1 with the probability that `p`, broadcast, has at the place, else 0.
void fill_bernoulli(at::Tensor& self, const at::Tensor& p, RandomState state);

// The numbers from 0 to size - 1 in random order.
void fill_permutation(at::Tensor& out, RandomState state);

// For each row of weights, `samples` places, each drawn with a probability in proportion to its weight;
// without replacement no place twice.
void draw_categories(const at::Tensor& weights, int64_t samples, bool replacement, RandomState state,
                     at::Tensor& out);

}  // namespace opweld::npu::kernels
