// Attention for inference, as aclnnFusedInferAttentionScore, aclnnPromptFlashAttention and
// aclnnIncreFlashAttention define it: no dropout and no gradients, but caches of keys that are longer than
// what counts of them. Run under KernelScope.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/OptionalArrayRef.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace opweld::npu::kernels {

// Absent arrays are empty.
struct InferAttention {
    std::string_view layout;  // BSH, BSND, BNSD, TND or NTD; INPUT_OUTPUT where the output has another one
    int64_t heads;            // of the query
    int64_t key_heads = 0;    // 0: as many
    double scale = 1;
    int64_t pre_tokens = 0;
    int64_t next_tokens = 0;
    int64_t sparse_mode = 0;                   // as in attention.h; 0 to 4
    const std::optional<at::Tensor>& pse;      // added to the scaled scores
    const std::optional<at::Tensor>& mask;     // true or nonzero: masked
    c10::OptionalIntArrayRef query_lengths{};  // how much of each item counts, one number for all of them, or
    c10::OptionalIntArrayRef key_lengths{};    // in TND and NTD where each item ends
};

// `keys` and `values` hold one tensor, or one for each item of the batch. `lse` gets the logarithm of each
// row's sum of exponentials, unless it is empty. Queries that don't count, and those that see no key, get
// zeros and minus infinity.
void infer_attention(const at::Tensor& query, const std::vector<at::Tensor>& keys,
                     const std::vector<at::Tensor>& values, const InferAttention& what, at::Tensor& out,
                     const std::optional<at::Tensor>& lse);

}  // namespace opweld::npu::kernels
