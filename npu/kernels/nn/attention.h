// Scaled dot-product attention, forward and backward, as aclnnFlashAttentionScore and its kin define it. Run
// under KernelScope. Computed in float32, in blocks of queries: no more than a few MiB of scores exist at a
// time.
//
//   scores = scale * (query @ key^T + pse)            pse_type 1
//   scores = scale * (query @ key^T) + pse            pse_type 0
//   out    = dropout(softmax(mask(scores))) @ value
//
// Masks by sparse_mode (i: query, j: key, d: number of keys minus number of queries; without a mask tensor
// nothing is masked in any mode):
//   0 the mask tensor, and j outside [i - pre_tokens, i + next_tokens]    1 the mask tensor
//   2 j > i               3 j > i + d               4 j outside [i + d - pre_tokens, i + d + next_tokens]
//   5 the mask tensor     6 j > i + d unless j is in the sequence's prefix
// A query that may attend to nothing gets zeros.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/OptionalArrayRef.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace opweld::npu::kernels {

// What an attention does beside query, key and value. Absent arrays are empty.
struct Attention {
    std::string_view layout;  // BSH, SBH, BNSD, BSND or TND
    int64_t heads;            // of the query; keys may have fewer: each serves heads / key heads
    double scale = 1;
    double keep_prob = 1;  // of dropout
    int64_t pre_tokens = 0;
    int64_t next_tokens = 0;
    int64_t sparse_mode = 0;
    int64_t pse_type = 1;
    std::optional<at::Tensor> pse{};  // broadcasts to batch, heads, queries, keys
    std::optional<at::Tensor>
        drop_mask{};  // one bit for each score, in their order; the lowest bit of a byte first
    std::optional<at::Tensor> atten_mask{};  // true or nonzero: masked
    at::IntArrayRef prefix{};                // of each sequence
    at::IntArrayRef query_ends{};            // TND: where each sequence ends
    at::IntArrayRef key_ends{};
    bool statistics_like_input = false;  // TND: softmax_max and softmax_sum have the memory order of the
                                         // query, else all tokens of a head follow each other
    int64_t seed = 0;                    // dropout without a mask: Philox' key and counter
    int64_t offset = 0;
};

inline at::IntArrayRef items(at::OptionalIntArrayRef numbers) { return numbers.value_or(at::IntArrayRef()); }

// softmax_max and softmax_sum get every value eight times, as the device stores it.
void attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const Attention& what,
               at::Tensor& softmax_max, at::Tensor& softmax_sum, at::Tensor& out);

struct AttentionGradients {
    at::Tensor query;
    at::Tensor key;
    at::Tensor value;
    std::optional<at::Tensor> pse;  // written if there is a pse
};

// `out` is what attention() returned; the gradients' tensors are written.
void attention_backward(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                        const at::Tensor& grad_out, const Attention& what, const at::Tensor& softmax_max,
                        const at::Tensor& softmax_sum, const at::Tensor& out,
                        const AttentionGradients& gradients);

}  // namespace opweld::npu::kernels
