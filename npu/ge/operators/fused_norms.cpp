#include "npu/ge/operators/fused_norms.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/native_group_norm.h>
#include <ATen/ops/silu.h>
#include <fmt/format.h>

#include <algorithm>

#include "npu/ge/model/graph.h"

namespace opweld::npu::graph {
namespace {

at::Tensor wide(const at::Tensor& x) {
    return x.to(x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat);
}

std::optional<at::Tensor> wide(const std::optional<at::Tensor>& x) {
    return x ? std::optional(wide(*x)) : std::nullopt;
}

}  // namespace

at::Tensor statistics_form(const at::Tensor& x, const at::Tensor& gamma) {
    const int64_t kept = x.dim() - gamma.dim();
    if (gamma.dim() < 1 || kept < 0 || x.sizes().slice(static_cast<size_t>(kept)) != gamma.sizes()) {
        throw GraphError(fmt::format("gamma {} has not the shape of the last dimensions of x {}",
                                     shape_text(gamma.sizes().vec()), shape_text(x.sizes().vec())));
    }
    std::vector<int64_t> sizes = x.sizes().vec();
    std::fill(sizes.begin() + kept, sizes.end(), 1);
    return at::empty_like(x, at::kFloat, at::MemoryFormat::Contiguous).new_empty(sizes);
}

at::Tensor dense_like(const at::Tensor& x) { return at::empty_like(x, at::MemoryFormat::Contiguous); }

at::Tensor dense_like(const at::Tensor& x, at::ScalarType dtype) {
    return at::empty_like(x, x.options().dtype(dtype), at::MemoryFormat::Contiguous);
}

Results group_norm_silu_form(const at::Tensor& x, const std::optional<at::Tensor>& gamma, int64_t groups) {
    if (x.dim() < 2 || groups < 1 || x.size(1) % groups != 0) {
        throw GraphError(fmt::format("x {} cannot be cut into {} groups of channels",
                                     shape_text(x.sizes().vec()), groups));
    }
    const at::Tensor statistics = gamma.value_or(x).new_empty({x.size(0), groups});
    return {dense_like(x), statistics, dense_like(statistics)};
}

Results group_norm_silu(const at::Tensor& x, const std::optional<at::Tensor>& gamma,
                        const std::optional<at::Tensor>& beta, int64_t groups, double epsilon) {
    const Results form = group_norm_silu_form(x, gamma, groups);
    const int64_t channels = x.size(1);
    const int64_t area = x.size(0) * channels == 0 ? 0 : x.numel() / x.size(0) / channels;
    const auto [y, mean, rstd] = at::native_group_norm(wide(x).contiguous(), wide(gamma), wide(beta),
                                                       x.size(0), channels, area, groups, epsilon);
    return {at::silu(y).to(x.scalar_type()), mean.to(form[1].scalar_type()), rstd.to(form[2].scalar_type())};
}

at::Tensor sync_batch_norm_input_gradient(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& mean,
                                          const at::Tensor& invstd, const at::Tensor& weight,
                                          const at::Tensor& mean_dy, const at::Tensor& mean_dy_xmu) {
    const at::Tensor factor = wide(invstd);
    const at::Tensor centred = wide(x) - wide(mean);
    const at::Tensor by_x =
        (wide(dy) - wide(mean_dy) - centred * factor * factor * wide(mean_dy_xmu)) * factor * wide(weight);
    return by_x.to(dy.scalar_type());
}

}  // namespace opweld::npu::graph
