#include "npu/kernels/sampling.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

// Numbers in [0, 1) with 53 random bits.
at::Tensor uniform(at::IntArrayRef sizes, RandomState state) {
    at::Tensor numbers = at::empty(sizes, at::kDouble);
    fill_uniform(numbers, 0, 1, state);
    return numbers;
}

at::Tensor doubles(const at::Tensor& tensor) { return tensor.to(at::kDouble).contiguous(); }

[[noreturn]] void bad_parameter(std::string_view what, double value) {
    throw AclException(161002, fmt::format("{}, but one is {}", what, value));
}

// Throws unless a row of weights describes a distribution.
void check_weights(const double* weights, int64_t count) {
    double total = 0;
    for (int64_t i = 0; i < count; ++i) {
        if (!(weights[i] >= 0) || std::isinf(weights[i])) {
            bad_parameter("probabilities must be finite and not negative", weights[i]);
        }
        total += weights[i];
    }
    if (total == 0) {
        bad_parameter("the sum of the probabilities of a row must be positive", total);
    }
}

// Inverts the cumulated weights.
void draw_again(const double* weights, int64_t count, const double* random, int64_t samples,
                int64_t* places) {
    std::vector<double> cumulated(static_cast<size_t>(count));
    std::partial_sum(weights, weights + count, cumulated.begin());
    const auto last = std::ranges::lower_bound(cumulated, cumulated.back());
    for (int64_t i = 0; i < samples; ++i) {
        const auto found = std::ranges::upper_bound(cumulated, random[i] * cumulated.back());
        places[i] = std::min(found, last) - cumulated.begin();
    }
}

// The places whose exponential waiting times, at the rates that the weights are, are the shortest (P. S.
// Efraimidis, P. G. Spirakis, "Weighted random sampling with a reservoir", 2006).
void draw_once(const double* weights, int64_t count, const double* random, int64_t samples, int64_t* places) {
    std::vector<std::pair<double, int64_t>> waiting;
    waiting.reserve(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
        const double time =
            weights[i] == 0 ? std::numeric_limits<double>::infinity() : -std::log1p(-random[i]) / weights[i];
        waiting.emplace_back(time, i);
    }
    std::partial_sort(waiting.begin(), waiting.begin() + samples, waiting.end());
    for (int64_t i = 0; i < samples; ++i) {
        places[i] = waiting[static_cast<size_t>(i)].second;
    }
}

}  // namespace

void draw_normal(const at::Tensor& mean, const at::Tensor& std, RandomState state, at::Tensor& out) {
    const at::ScalarType dtype = out.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    if (std.numel() != 0) {
        if (const double smallest = std.min().item<double>(); !(smallest >= 0)) {
            bad_parameter("standard deviations must not be negative", smallest);
        }
    }
    at::Tensor noise = at::empty(out.sizes(), dtype);
    fill_normal(noise, 0, 1, state);
    assign(out, noise.mul_(std.to(dtype)).add_(mean.to(dtype)));
}

void fill_exponential(at::Tensor& self, double lambda, RandomState state) {
    assign(self, uniform(self.sizes(), state).neg_().log1p_().mul_(-1 / lambda));
}

void fill_bernoulli(at::Tensor& self, const at::Tensor& p, RandomState state) {
    const at::Tensor limits = doubles(p);
    const auto* values = limits.const_data_ptr<double>();
    for (int64_t i = 0; i < limits.numel(); ++i) {
        if (!(values[i] >= 0 && values[i] <= 1)) {
            bad_parameter("probabilities must be from 0 to 1", values[i]);
        }
    }
    assign(self, uniform(self.sizes(), state).lt(limits));
}

void fill_permutation(at::Tensor& out, RandomState state) {
    const int64_t size = out.numel();
    at::Tensor numbers = at::empty({size}, at::kLong);
    auto* data = numbers.mutable_data_ptr<int64_t>();
    std::iota(data, data + size, 0);
    for (int64_t i = size - 1; i > 0; --i) {
        const Philox4 random = random_block(state, static_cast<uint64_t>(i));
        const uint64_t wide = static_cast<uint64_t>(random[0]) << 32 | random[1];
        std::swap(data[i], data[wide % static_cast<uint64_t>(i + 1)]);
    }
    assign(out, numbers);
}

void draw_categories(const at::Tensor& weights, int64_t samples, bool replacement, RandomState state,
                     at::Tensor& out) {
    const at::Tensor rows = doubles(weights);
    const int64_t count = rows.size(-1);
    const int64_t row_count = count == 0 ? 0 : rows.numel() / count;
    const int64_t draws = replacement ? samples : count;
    const at::Tensor random = uniform({row_count, draws}, state);
    at::Tensor places = at::empty(out.sizes(), at::kLong);
    for (int64_t row = 0; row < row_count; ++row) {
        const double* own = rows.const_data_ptr<double>() + row * count;
        const double* numbers = random.const_data_ptr<double>() + row * draws;
        int64_t* results = places.mutable_data_ptr<int64_t>() + row * samples;
        check_weights(own, count);
        (replacement ? draw_again : draw_once)(own, count, numbers, samples, results);
    }
    assign(out, places);
}

}  // namespace opweld::npu::kernels
