// Cuts an attention into sequences of equal shape and into blocks of queries, and says which keys each query
// sees.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "npu/kernels/nn/attention.h"
#include "npu/kernels/nn/attention_rows.h"

namespace opweld::npu::kernels {

// A tensor of an attention as [batch, heads, tokens, depth], whatever its layout is. A view.
at::Tensor by_heads(const at::Tensor& tensor, std::string_view layout, int64_t heads);

// The heads of key and value, given the query's.
int64_t key_heads(const at::Tensor& query, const at::Tensor& key, const Attention& what);

// softmax_max or softmax_sum as [batch, heads, queries, 8]. A view.
at::Tensor statistics_by_heads(const at::Tensor& statistics, const Attention& what);

// Sequences with the same numbers of queries and keys: the whole batch, or one item of TND.
struct Sequence {
    int64_t batch;
    int64_t heads;
    int64_t key_heads;
    int64_t queries;
    int64_t keys;
    int64_t first_query;  // where it begins in TND, else 0
    int64_t first_key;
    int64_t first_bit;  // of dropout
    at::Tensor mask;    // [batch, heads, queries, keys] with contiguous rows, one byte each; undefined: none
    at::Tensor pse;     // the same, float32
    at::Tensor bits;    // dropout; undefined: none
};

std::vector<Sequence> sequences(const at::Tensor& query, const at::Tensor& key, const Attention& what);

// A run of a sequence's queries, and the keys that any of them may see.
struct Block {
    int64_t first_query;
    int64_t queries;
    int64_t first_key;
    int64_t keys;
};

std::vector<Block> blocks(const Sequence& sequence, const Attention& what);

// Makes the rows of a block, over all heads of the batch, and calls `f(row number, row)` for each, in
// parallel. Rows are numbered by batch, head and query.
void for_rows(const Sequence& sequence, const Block& block, const Attention& what,
              const std::function<void(int64_t, const ScoreRow&)>& f);

}  // namespace opweld::npu::kernels
