// Random tensors: each element depends on seed, offset and its place in row-major order, not on strides or
// threads.
#pragma once

#include <ATen/core/Tensor.h>

#include "npu/kernels/philox.h"

namespace opweld::npu::kernels {

// A state whose numbers lie in tensors of one element.
RandomState state_of(const at::Tensor& seed, const at::Tensor& offset, int64_t shift);

void fill_normal(at::Tensor& self, double mean, double std, RandomState state);

// Numbers in [from, to), with as many random bits as the dtype has bits of mantissa.
void fill_uniform(at::Tensor& self, double from, double to, RandomState state);

// Integers in [from, to).
void fill_integers(at::Tensor& self, int64_t from, int64_t to, RandomState state);

// Integers from 0 up to the largest of the dtype, or, for floating-point numbers, up to the largest below
// which each integer has its own number. Of bool both.
void fill_any_integers(at::Tensor& self, RandomState state);

// 1 with the probability p, else 0.
void fill_bernoulli(at::Tensor& self, double p, RandomState state);

// Sets bit i (of byte i / 8, lowest first) with the probability 1 - drop, for each element of `shape`; bits
// after the last element are 0.
void fill_keep_bits(at::Tensor& mask, at::IntArrayRef shape, double drop, RandomState state);

// `drop` where the probability to keep, 1 - drop, is rounded to `dtype`. A graph has it as a tensor of that
// dtype; so both modes keep the same elements.
double drop_in(double drop, at::ScalarType dtype);

// What a kept element is multiplied by: 1 / (1 - drop), and 0 where everything is dropped.
double keep_scale(double drop);

// out = self * scale where the bit is set, else 0.
void apply_keep_bits(const at::Tensor& self, const at::Tensor& mask, double scale, at::Tensor& out);

}  // namespace opweld::npu::kernels
