#include "npu/kernels/random.h"

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "npu/kernels/parallel.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

constexpr int64_t kGrain = 4096;  // blocks a thread takes at a time

// Fills a tensor with `values(random numbers of a block)`, an array of as many elements as a block gives.
// Elements are made in row-major order as T and converted to the tensor's dtype.
template <class T, class F>
void fill_blocks(at::Tensor& self, RandomState state, F&& values) {
    constexpr auto kEach = static_cast<int64_t>(std::tuple_size_v<decltype(values(Philox4()))>);
    constexpr at::ScalarType kDType = c10::CppTypeToScalarType<T>::value;
    const bool direct = self.scalar_type() == kDType && self.is_contiguous();
    at::Tensor buffer = direct ? self : at::empty(self.sizes(), kDType);
    T* data = buffer.mutable_data_ptr<T>();
    const int64_t count = buffer.numel();
    parallel_for(0, (count + kEach - 1) / kEach, kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; ++block) {
            const auto made = values(random_block(state, static_cast<uint64_t>(block)));
            const int64_t first = block * kEach;
            for (int64_t i = 0; i < std::min(kEach, count - first); ++i) {
                data[first + i] = made[static_cast<size_t>(i)];
            }
        }
    });
    if (!direct) {
        assign(self, buffer);
    }
}

uint64_t wide(uint32_t high, uint32_t low) { return static_cast<uint64_t>(high) << 32 | low; }

// Two independent normal numbers from two uniform ones (G. E. P. Box, M. E. Muller, 1958). u1 is in (0, 1].
template <class T>
std::array<T, 2> box_muller(T u1, T u2) {
    const T radius = std::sqrt(T(-2) * std::log(u1));
    const T angle = T(2) * std::numbers::pi_v<T> * u2;
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

int mantissa_bits(at::ScalarType dtype) {
    switch (dtype) {
        case at::kHalf:
            return 11;
        case at::kBFloat16:
            return 8;
        case at::kDouble:
            return 53;
        default:
            return 24;
    }
}

// The greatest integer up to `value` that has no more than `bits` significant bits: rounded to the nearest,
// numbers below a limit become the limit.
int64_t rounded_down(int64_t value, int bits) {
    const uint64_t magnitude = value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
    const int dropped = static_cast<int>(std::bit_width(magnitude)) - bits;
    return dropped <= 0 ? value : static_cast<int64_t>(static_cast<uint64_t>(value) >> dropped << dropped);
}

}  // namespace

RandomState state_of(const at::Tensor& seed, const at::Tensor& offset, int64_t shift) {
    return {seed.item<int64_t>(), offset.item<int64_t>() + shift};
}

void fill_normal(at::Tensor& self, double mean, double std, RandomState state) {
    if (self.scalar_type() == at::kDouble) {
        constexpr double kUnit = 0x1p-53;
        fill_blocks<double>(self, state, [&](const Philox4& r) {
            auto pair = box_muller<double>(static_cast<double>((wide(r[0], r[1]) >> 11) + 1) * kUnit,
                                           static_cast<double>(wide(r[2], r[3]) >> 11) * kUnit);
            return std::array<double, 2>{mean + std * pair[0], mean + std * pair[1]};
        });
        return;
    }
    constexpr float kUnit = 0x1p-24F;
    const auto center = static_cast<float>(mean);
    const auto width = static_cast<float>(std);
    const auto uniform = [](uint32_t r) { return static_cast<float>(r >> 8); };
    fill_blocks<float>(self, state, [&](const Philox4& r) {
        const auto a = box_muller<float>((uniform(r[0]) + 1) * kUnit, uniform(r[1]) * kUnit);
        const auto b = box_muller<float>((uniform(r[2]) + 1) * kUnit, uniform(r[3]) * kUnit);
        return std::array<float, 4>{center + width * a[0], center + width * a[1], center + width * b[0],
                                    center + width * b[1]};
    });
}

void fill_uniform(at::Tensor& self, double from, double to, RandomState state) {
    const int bits = mantissa_bits(self.scalar_type());
    const double unit = std::ldexp(to - from, -bits);
    if (self.scalar_type() == at::kDouble) {
        fill_blocks<double>(self, state, [&](const Philox4& r) {
            return std::array<double, 2>{from + unit * static_cast<double>(wide(r[0], r[1]) >> 11),
                                         from + unit * static_cast<double>(wide(r[2], r[3]) >> 11)};
        });
        return;
    }
    fill_blocks<float>(self, state, [&](const Philox4& r) {
        const auto value = [&](uint32_t x) { return static_cast<float>(from + unit * (x >> (32 - bits))); };
        return std::array<float, 4>{value(r[0]), value(r[1]), value(r[2]), value(r[3])};
    });
}

void fill_integers(at::Tensor& self, int64_t from, int64_t to, RandomState state) {
    const uint64_t range = static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
    const int bits = at::isFloatingType(self.scalar_type()) ? mantissa_bits(self.scalar_type()) : 64;
    const auto shifted = [&](uint64_t x) {
        const auto value = static_cast<int64_t>(static_cast<uint64_t>(from) + x % range);
        return std::max(from, rounded_down(value, bits));
    };
    if (range > std::numeric_limits<uint32_t>::max()) {
        fill_blocks<int64_t>(self, state, [&](const Philox4& r) {
            return std::array<int64_t, 2>{shifted(wide(r[0], r[1])), shifted(wide(r[2], r[3]))};
        });
    } else {
        fill_blocks<int64_t>(self, state, [&](const Philox4& r) {
            return std::array<int64_t, 4>{shifted(r[0]), shifted(r[1]), shifted(r[2]), shifted(r[3])};
        });
    }
}

void fill_any_integers(at::Tensor& self, RandomState state) {
    const at::ScalarType dtype = self.scalar_type();
    if (at::isFloatingType(dtype)) {
        fill_integers(self, 0, (int64_t{1} << mantissa_bits(dtype)) + 1, state);
    } else if (dtype == at::kBool) {
        fill_integers(self, 0, 2, state);
    } else {
        const int bits = static_cast<int>(self.itemsize()) * 8 - (dtype == at::kByte ? 0 : 1);
        fill_integers(self, 0, static_cast<int64_t>(uint64_t{1} << bits), state);
    }
}

void fill_bernoulli(at::Tensor& self, double p, RandomState state) {
    const double limit = std::ldexp(p, 32);
    fill_blocks<float>(self, state, [&](const Philox4& r) {
        const auto value = [&](uint32_t x) { return static_cast<double>(x) < limit ? 1.0F : 0.0F; };
        return std::array<float, 4>{value(r[0]), value(r[1]), value(r[2]), value(r[3])};
    });
}

void fill_keep_bits(at::Tensor& mask, at::IntArrayRef shape, double drop, RandomState state) {
    const double limit = std::ldexp(1 - drop, 32);
    const int64_t elements = c10::multiply_integers(shape);
    at::Tensor bytes = mask.is_contiguous() ? mask : at::empty(mask.sizes(), at::kByte);
    auto* data = bytes.mutable_data_ptr<uint8_t>();
    parallel_for(0, bytes.numel(), kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t byte = begin; byte < end; ++byte) {
            const auto low = random_block(state, static_cast<uint64_t>(2 * byte));
            const auto high = random_block(state, static_cast<uint64_t>(2 * byte + 1));
            unsigned bits = 0;
            for (int64_t i = 0; i < 8 && byte * 8 + i < elements; ++i) {
                const uint32_t random =
                    i < 4 ? low[static_cast<size_t>(i)] : high[static_cast<size_t>(i - 4)];
                bits |= static_cast<double>(random) < limit ? 1U << static_cast<unsigned>(i) : 0U;
            }
            data[byte] = static_cast<uint8_t>(bits);
        }
    });
    if (!bytes.is_same(mask)) {
        assign(mask, bytes);
    }
}

double drop_in(double drop, at::ScalarType dtype) {
    const auto keep = static_cast<float>(1 - drop);
    switch (dtype) {
        case at::kHalf:
            return 1 - static_cast<double>(static_cast<float>(at::Half(keep)));
        case at::kBFloat16:
            return 1 - static_cast<double>(static_cast<float>(at::BFloat16(keep)));
        case at::kFloat:
            return 1 - static_cast<double>(keep);
        default:
            return drop;
    }
}

double keep_scale(double drop) { return drop == 1 ? 0 : 1 / (1 - drop); }

void apply_keep_bits(const at::Tensor& self, const at::Tensor& mask, double scale, at::Tensor& out) {
    const at::Tensor input = self.contiguous();
    const at::Tensor bytes = mask.contiguous();
    const auto* bits = bytes.const_data_ptr<uint8_t>();
    at::Tensor result = out.is_contiguous() ? out : at::empty(out.sizes(), out.scalar_type());
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, input.scalar_type(), "dropout", [&] {
        using Wide = at::opmath_type<scalar_t>;
        const auto factor = static_cast<Wide>(scale);
        const auto* from = input.const_data_ptr<scalar_t>();
        auto* to = result.mutable_data_ptr<scalar_t>();
        parallel_for(0, input.numel(), kGrain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const bool keep = (bits[i / 8] >> static_cast<unsigned>(i % 8) & 1U) != 0;
                to[i] = keep ? static_cast<scalar_t>(static_cast<Wide>(from[i]) * factor) : scalar_t(0);
            }
        });
    });
    if (!result.is_same(out)) {
        assign(out, result);
    }
}

}  // namespace opweld::npu::kernels
