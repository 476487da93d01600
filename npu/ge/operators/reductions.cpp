#include "npu/ge/operators/reductions.h"

#include <ATen/ops/all.h>
#include <ATen/ops/any.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cumprod.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/prod.h>
#include <ATen/ops/std_mean.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "npu/ge/operators/shapes.h"

namespace opweld::npu::graph {
namespace {

std::vector<int64_t> descending(const at::Tensor& x, at::IntArrayRef axes) {
    std::vector<int64_t> all;
    for (const int64_t axis : axes) {
        all.push_back(axis < 0 ? axis + x.dim() : axis);
    }
    std::ranges::sort(all, std::greater<>{});
    return all;
}

}  // namespace

at::Tensor sum_over(const at::Tensor& x, at::IntArrayRef axes, bool keep) {
    return axes.empty() ? x.alias() : at::sum(x, axes, keep, x.scalar_type());
}

at::Tensor mean_over(const at::Tensor& x, at::IntArrayRef axes, bool keep, bool identity,
                     at::ScalarType dtype) {
    const at::ScalarType result = dtype == at::ScalarType::Undefined ? x.scalar_type() : dtype;
    if (axes.empty() && identity) {
        return x.to(result);
    }
    return at::mean(x, all_where_empty(x, axes), keep, result);
}

at::Tensor product_over(const at::Tensor& x, at::IntArrayRef axes, bool keep) {
    at::Tensor result = x.alias();
    for (const int64_t axis : descending(x, axes)) {
        result = at::prod(result, axis, keep, x.scalar_type());
    }
    return result;
}

at::Tensor any_over(const at::Tensor& x, at::IntArrayRef axes, bool keep) {
    return axes.empty() ? x.alias() : at::any(x, axes, keep);
}

at::Tensor all_over(const at::Tensor& x, at::IntArrayRef axes, bool keep) {
    return axes.empty() ? x.alias() : at::all(x, axes, keep);
}

Results std_and_mean(const at::Tensor& x, at::IntArrayRef axes, int64_t correction, bool keep) {
    auto [std, mean] = at::std_mean(x, all_where_empty(x, axes), correction, keep);
    return {std, mean};
}

at::Tensor scanned(const at::Tensor& x, int64_t axis, bool exclusive, bool reverse, bool product) {
    at::Tensor in = reverse ? flipped(x, axis) : x;
    if (exclusive && x.size(axis) > 0) {
        const at::Tensor first = in.narrow(axis, 0, 1);
        in = at::cat(std::vector<at::Tensor>{product ? at::ones_like(first) : at::zeros_like(first),
                                             in.narrow(axis, 0, x.size(axis) - 1)},
                     axis);
    }
    const at::Tensor out =
        product ? at::cumprod(in, axis, x.scalar_type()) : at::cumsum(in, axis, x.scalar_type());
    return reverse ? flipped(out, axis) : out;
}

std::vector<int64_t> all_where_empty(const at::Tensor& x, at::IntArrayRef axes) {
    std::vector<int64_t> all = axes.vec();
    if (all.empty()) {
        all.resize(static_cast<size_t>(x.dim()));
        std::iota(all.begin(), all.end(), 0);
    }
    return all;
}

Results both_like(const at::Tensor& form) { return {form, at::empty_like(form)}; }

double norm_order(double p) {
    // As a float32, which the attribute is, the greatest one is a power of two.
    constexpr auto kGreatest = static_cast<float>(std::numeric_limits<int32_t>::max());
    constexpr auto kLeast = static_cast<float>(std::numeric_limits<int32_t>::min());
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (p >= kGreatest) {
        return kInfinity;
    }
    return p <= kLeast ? -kInfinity : p;
}

}  // namespace opweld::npu::graph
