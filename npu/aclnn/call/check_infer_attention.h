// Checks of the attention functions for inference.
#pragma once

#include "npu/aclnn/call/check.h"
#include "npu/aclnn/call/check_attention.h"

namespace opweld::npu::aclnn::check {

// The arguments that all of them have. Absent arrays are empty.
struct InferAttentionArguments {
    Operand query;
    Operands keys;
    Operands values;
    Operand pse;
    Operand atten_mask;
    std::span<const int64_t> query_lengths;
    std::span<const int64_t> key_lengths;
    int64_t heads;
    int64_t key_heads;
    std::string_view layout;
    int64_t sparse_mode;
    Operand softmax_lse = {"", nullptr};
    bool wants_lse = false;
};

// Layouts, shapes, dtypes, lengths, masks and modes.
void infer_attention(const InferAttentionArguments& arguments, const Operand& out);

// The function is for one query in each item.
void one_query(const Operand& query, std::string_view layout);

}  // namespace opweld::npu::aclnn::check
