// Checks of the attention functions.
#pragma once

#include "npu/aclnn/call/check.h"

namespace opweld::npu::aclnn::check {

// The arguments that all attention functions have. Absent arrays are empty.
struct AttentionArguments {
    Operand query;
    Operand key;
    Operand value;
    Operand pse;
    Operand drop_mask;
    Operand padding_mask;
    Operand atten_mask;
    Operand softmax_max;
    Operand softmax_sum;
    std::span<const int64_t> prefix;
    std::span<const int64_t> query_ends;
    std::span<const int64_t> key_ends;
    double keep_prob;
    int64_t heads;
    std::string_view layout;
    int64_t sparse_mode;
    int64_t pse_type = 1;
    bool makes_dropout = false;  // from seed and offset, where there is no mask
};

// Layout, shapes, dtypes, masks and modes; `out` has the query's layout and the value's depth.
void attention(const AttentionArguments& arguments, const Operand& out);

// The gradients have the shapes and dtypes of what they are the gradients of.
void attention_gradients(const Operand& query, const Operand& key, const Operand& value, const Operand& pse,
                         const Operand& grad_query, const Operand& grad_key, const Operand& grad_value,
                         const Operand& grad_pse);

// Throws, naming the argument, if an input is there that no kernel here takes. An empty tensor counts as
// absent.
void not_supported(std::initializer_list<Operand> inputs);

// The same for a number that must have its usual value.
void only(const char* name, int64_t value, int64_t supported);

}  // namespace opweld::npu::aclnn::check
