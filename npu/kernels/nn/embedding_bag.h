// Bags of rows of a table.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace opweld::npu::kernels {

// The options of an embedding bag: mode 0 adds the rows of a bag, 1 takes their mean, 2 their maximum.
struct BagOptions {
    bool scale_grad_by_freq;
    int64_t mode;
    bool include_last_offset;
    int64_t padding_index;
};

// Writes the bags, and what the gradient needs: the bag of each index, the size of each bag, the rows of the
// maxima. Of these an output without elements is left alone, and what has no value in a mode is zero.
void embedding_bag(const at::Tensor& weight, const at::Tensor& indices, const at::Tensor& offsets,
                   const std::optional<at::Tensor>& per_sample_weights, const BagOptions& options,
                   at::Tensor& output, at::Tensor& offset2bag, at::Tensor& bag_size, at::Tensor& max_indices);

// Scales the rows that are named and whose norm is greater than max_norm down to it.
void embedding_renorm(at::Tensor& self, const at::Tensor& indices, double max_norm, double norm_type);

}  // namespace opweld::npu::kernels
