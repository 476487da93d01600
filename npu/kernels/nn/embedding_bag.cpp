#include "npu/kernels/nn/embedding_bag.h"

#include <ATen/ops/_embedding_bag_cpu_dispatch.h>
#include <ATen/ops/embedding_renorm_cpu_dispatch.h>

#include <algorithm>
#include <tuple>

#include "npu/kernels/index_range.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

constexpr int64_t kMaximum = 2;

// Copies the leading part that both have; the rest of the output is zero.
void assign_leading(at::Tensor& out, const at::Tensor& result) {
    if (out.numel() == 0) {
        return;
    }
    if (out.sizes() == result.sizes()) {
        assign(out, result);
        return;
    }
    out.zero_();
    if (result.dim() == out.dim() && result.numel() != 0) {
        const int64_t rows = std::min(out.size(0), result.size(0));
        at::Tensor head = out.narrow(0, 0, rows);
        assign(head, result.narrow(0, 0, rows));
    }
}

}  // namespace

void embedding_bag(const at::Tensor& weight, const at::Tensor& indices, const at::Tensor& offsets,
                   const std::optional<at::Tensor>& per_sample_weights, const BagOptions& options,
                   at::Tensor& output, at::Tensor& offset2bag, at::Tensor& bag_size,
                   at::Tensor& max_indices) {
    const at::Tensor places = checked_index("indices", indices, weight.size(0));
    const at::Tensor starts = checked_index("offsets", offsets, indices.numel() + 1);
    const auto [bags, bag_of, sizes, maxima] = at::cpu::_embedding_bag(
        weight.contiguous(), places.contiguous(), starts.contiguous(), options.scale_grad_by_freq,
        options.mode, false,
        per_sample_weights.has_value() ? std::optional(per_sample_weights->contiguous()) : std::nullopt,
        options.include_last_offset, options.padding_index);
    assign(output, bags);
    assign_leading(offset2bag, bag_of);
    assign_leading(bag_size, sizes);
    if (options.mode == kMaximum) {
        assign_leading(max_indices, maxima);
    } else {
        max_indices.zero_();
    }
}

void embedding_renorm(at::Tensor& self, const at::Tensor& indices, double max_norm, double norm_type) {
    const at::Tensor places = checked_index("indices", indices, self.size(0)).contiguous();
    at::cpu::embedding_renorm_(self, places, max_norm, norm_type);
}

}  // namespace opweld::npu::kernels
