#include "npu/kernels/nn/batch_norm_gradient.h"

#include <c10/util/BFloat16.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "npu/kernels/parallel.h"
#include "npu/kernels/vectorized.h"

namespace opweld::npu::kernels {
namespace {

constexpr int64_t kGrain = 32768;  // elements that are worth a thread
constexpr int64_t kLanes = 16;     // independent partial sums, so that they vectorize

struct Sums {
    double grads = 0;
    double products = 0;  // of grads and x - mean
};

// y = a grads + b (x - mean) + c
struct Line {
    float a;
    float b;
    float c;
    float mean;
};

inline float widened(float value) noexcept { return value; }
inline float widened(c10::BFloat16 value) noexcept {
    return std::bit_cast<float>(static_cast<uint32_t>(value.x) << 16U);
}

inline void narrow(float value, float& result) noexcept { result = value; }
inline void narrow(float value, c10::BFloat16& result) noexcept {
    constexpr uint16_t kNan = 0x7fc0;
    const auto bits = std::bit_cast<uint32_t>(value);
    const uint32_t to_even = (bits >> 16U) & 1U;
    const auto rounded = static_cast<uint16_t>((bits + 0x7fffU + to_even) >> 16U);
    result.x = value == value ? rounded : kNan;
}

using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));

[[gnu::always_inline]] inline void load(const float* values, Lanes& lanes) noexcept {
    __builtin_memcpy(&lanes, values, sizeof lanes);
}
[[gnu::always_inline]] inline void load(const c10::BFloat16* values, Lanes& lanes) noexcept {
    using Narrow = uint16_t __attribute__((vector_size(kLanes * sizeof(uint16_t))));
    using Wide = uint32_t __attribute__((vector_size(kLanes * sizeof(uint32_t))));
    Narrow narrow;
    __builtin_memcpy(&narrow, values, sizeof narrow);
    const Wide wide = __builtin_convertvector(narrow, Wide) << 16U;
    __builtin_memcpy(&lanes, &wide, sizeof lanes);
}

template <class T>
[[gnu::always_inline]] inline Sums sums_of_row(const T* grads, const T* x, int64_t count, float mean) {
    Lanes grad_lanes = {};
    Lanes product_lanes = {};
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        Lanes grad;
        Lanes value;
        load(grads + i, grad);
        load(x + i, value);
        grad_lanes += grad;
        product_lanes += grad * (value - mean);
    }
    Sums sums;
    for (int64_t l = 0; l < kLanes; ++l) {
        sums.grads += static_cast<double>(grad_lanes[l]);
        sums.products += static_cast<double>(product_lanes[l]);
    }
    for (; i < count; ++i) {
        const float grad = widened(grads[i]);
        sums.grads += static_cast<double>(grad);
        sums.products += static_cast<double>(grad * (widened(x[i]) - mean));
    }
    return sums;
}

template <class T>
[[gnu::always_inline]] inline void line_of_row(const T* grads, const T* x, int64_t count, const Line& line,
                                               T* y) {
    const Line of = line;
    for (int64_t i = 0; i < count; ++i) {
        narrow(of.a * widened(grads[i]) + of.b * (widened(x[i]) - of.mean) + of.c, y[i]);
    }
}

OPWELD_VECTORIZED Sums row_sums(const float* grads, const float* x, int64_t count, float mean) {
    return sums_of_row(grads, x, count, mean);
}
OPWELD_VECTORIZED Sums row_sums(const c10::BFloat16* grads, const c10::BFloat16* x, int64_t count,
                                float mean) {
    return sums_of_row(grads, x, count, mean);
}
OPWELD_VECTORIZED void row_line(const float* grads, const float* x, int64_t count, const Line& line,
                                float* y) {
    line_of_row(grads, x, count, line, y);
}
OPWELD_VECTORIZED void row_line(const c10::BFloat16* grads, const c10::BFloat16* x, int64_t count,
                                const Line& line, c10::BFloat16* y) {
    line_of_row(grads, x, count, line, y);
}

struct Sizes {
    explicit Sizes(const at::Tensor& x)
        : n(x.size(0)), channels(x.size(1)), area(x.numel() / std::max<int64_t>(n * channels, 1)) {}
    int64_t n;
    int64_t channels;
    int64_t area;
};

// f(channel) for all, on all threads.
template <class F>
void for_channels(const Sizes& sizes, const F& f) {
    const int64_t elements = std::max<int64_t>(sizes.n * sizes.area, 1);
    parallel_for(0, sizes.channels, std::max<int64_t>(kGrain / elements, 1), [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c) {
            f(c);
        }
    });
}

template <class T>
void parameter_gradients(const at::Tensor& grads, const at::Tensor& x, const float* mean, const float* rstd,
                         float* diff_scale, float* diff_offset) {
    const Sizes sizes(x);
    const T* all_grads = grads.const_data_ptr<T>();
    const T* all_x = x.const_data_ptr<T>();
    for_channels(sizes, [&](int64_t c) {
        Sums sums;
        for (int64_t i = 0; i < sizes.n; ++i) {
            const int64_t at = (i * sizes.channels + c) * sizes.area;
            const Sums row = row_sums(all_grads + at, all_x + at, sizes.area, mean[c]);
            sums.grads += row.grads;
            sums.products += row.products;
        }
        diff_scale[c] = static_cast<float>(sums.products * static_cast<double>(rstd[c]));
        diff_offset[c] = static_cast<float>(sums.grads);
    });
}

template <class T>
void input_gradient(const at::Tensor& grads, const at::Tensor& x, const at::Tensor& y,
                    const std::function<Line(int64_t)>& line_of) {
    const Sizes sizes(x);
    const T* all_grads = grads.const_data_ptr<T>();
    const T* all_x = x.const_data_ptr<T>();
    T* all_y = y.mutable_data_ptr<T>();
    for_channels(sizes, [&](int64_t c) {
        const Line line = line_of(c);
        for (int64_t i = 0; i < sizes.n; ++i) {
            const int64_t at = (i * sizes.channels + c) * sizes.area;
            row_line(all_grads + at, all_x + at, sizes.area, line, all_y + at);
        }
    });
}

bool is_statistic(const at::Tensor& tensor, int64_t channels) {
    return tensor.scalar_type() == at::kFloat && tensor.is_contiguous() && tensor.numel() == channels;
}

}  // namespace

bool suits_batch_norm_gradient(const at::Tensor& grads, const at::Tensor& x, const at::Tensor& mean,
                               const at::Tensor& rstd) {
    const at::ScalarType dtype = x.scalar_type();
    return x.dim() >= 2 && x.numel() > 0 && (dtype == at::kFloat || dtype == at::kBFloat16) &&
           grads.scalar_type() == dtype && grads.sizes() == x.sizes() && x.is_contiguous() &&
           grads.is_contiguous() && is_statistic(mean, x.size(1)) && is_statistic(rstd, x.size(1));
}

void batch_norm_parameter_gradients(const at::Tensor& grads, const at::Tensor& x, const at::Tensor& mean,
                                    const at::Tensor& rstd, at::Tensor& diff_scale, at::Tensor& diff_offset) {
    const auto run = [&](auto element) {
        parameter_gradients<decltype(element)>(
            grads, x, mean.const_data_ptr<float>(), rstd.const_data_ptr<float>(),
            diff_scale.mutable_data_ptr<float>(), diff_offset.mutable_data_ptr<float>());
    };
    x.scalar_type() == at::kFloat ? run(float()) : run(c10::BFloat16());
}

void batch_norm_input_gradient(const at::Tensor& grads, const at::Tensor& x, const at::Tensor& diff_scale,
                               const at::Tensor& diff_offset, const at::Tensor& scale, const at::Tensor& mean,
                               const at::Tensor& rstd, at::Tensor& y) {
    const auto count = static_cast<double>(x.numel()) / static_cast<double>(x.size(1));
    const auto number = [](const at::Tensor& of_channels, int64_t c) {
        return static_cast<double>(of_channels.const_data_ptr<float>()[c]);
    };
    const auto line_of = [&](int64_t c) {
        const double a = number(scale, c) * number(rstd, c);
        return Line{.a = static_cast<float>(a),
                    .b = static_cast<float>(-a * number(rstd, c) * number(diff_scale, c) / count),
                    .c = static_cast<float>(-a * number(diff_offset, c) / count),
                    .mean = mean.const_data_ptr<float>()[c]};
    };
    if (x.scalar_type() == at::kFloat) {
        input_gradient<float>(grads, x, y, line_of);
    } else {
        input_gradient<c10::BFloat16>(grads, x, y, line_of);
    }
}

}  // namespace opweld::npu::kernels
