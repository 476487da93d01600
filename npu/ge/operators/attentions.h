// Attention: the operators of training and of inference.
#pragma once

#include <ATen/core/Tensor.h>

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "npu/ge/operators/call.h"

namespace opweld::npu::graph {

using Lengths = std::optional<std::vector<int64_t>>;

// What attention in training does beside its tensors.
struct TrainedAttention {
    std::optional<at::Tensor> pse;
    std::optional<at::Tensor> drop_mask;
    std::optional<at::Tensor> padding_mask;
    std::optional<at::Tensor> atten_mask;
    Lengths prefix;
    Lengths query_ends;  // of sequences that lie one behind the other (TND)
    Lengths key_ends;
    double scale;
    double keep_prob;
    int64_t pre_tokens;
    int64_t next_tokens;
    int64_t heads;
    const std::string& layout;
    int64_t inner_precise;
    int64_t sparse_mode;
};

// How many probabilities there are: one for each query and key of each head.
int64_t probabilities(const at::Tensor& query, const at::Tensor& key, int64_t heads,
                      const std::string& layout);

// softmax_max, softmax_sum, softmax_out (always empty), attention_out
Results attention_forms(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                        int64_t heads, const std::string& layout);
void attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
            const TrainedAttention& attention, std::span<at::Tensor> outputs);

// dq, dk, dv, dpse (empty without pse)
Results attention_gradient_forms(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                 const std::optional<at::Tensor>& pse);
struct AttentionResults {
    std::optional<at::Tensor> softmax_max;
    std::optional<at::Tensor> softmax_sum;
    std::optional<at::Tensor> attention;
};
void attention_gradient(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                        const at::Tensor& dy, const AttentionResults& forward,
                        const TrainedAttention& attention, std::span<at::Tensor> outputs);

// What attention in inference does beside its tensors.
struct InferenceAttention {
    std::optional<at::Tensor> pse;
    std::optional<at::Tensor> atten_mask;
    Lengths query_lengths;  // of the batch; one stands for all
    Lengths key_lengths;
    std::optional<at::Tensor> block_table;  // keys lie in blocks, these of each sequence
    int64_t heads;
    int64_t key_heads;  // 0: as many as heads
    double scale;
    int64_t pre_tokens;
    int64_t next_tokens;
    const std::string& layout;  // BSH, BSND, BNSD, or BNSD_BSND for a result in another one
    int64_t sparse_mode;
};

// The result's form; and with the logarithms of the sums of exponentials, which are empty unless wanted.
at::Tensor inference_form(const at::Tensor& query, const at::Tensor& value, int64_t heads, int64_t key_heads,
                          const std::string& layout);
Results inference_forms(const at::Tensor& query, const at::Tensor& value, int64_t heads, int64_t key_heads,
                        const std::string& layout, bool lse);
void attend_inference(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                      const InferenceAttention& attention, at::Tensor& y,
                      const std::optional<at::Tensor>& lse);

// The only tensor of a list. Throws GraphError where there are others.
const at::Tensor& only_tensor(const std::vector<at::Tensor>& list, const char* name);

// Throws GraphError where any of them is there; `names` is what the message says.
void refuse_inputs(std::string_view names, std::initializer_list<std::optional<at::Tensor>> inputs);

}  // namespace opweld::npu::graph
