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

// [batch, heads, tokens, depth] as [matrices of a Block, heads of the query that share it, tokens, depth].
at::Tensor by_matrix(const at::Tensor& tensor, const Sequence& sequence);

// Keys or values, [batch, key heads, tokens, depth], as [matrices of a Block, tokens, depth] in float32.
at::Tensor key_matrices(const at::Tensor& tensor, const Sequence& sequence);

std::vector<Sequence> sequences(const at::Tensor& query, const at::Tensor& key, const Attention& what);

// What is computed at once: some of the matrices (a batch and a head of the key each, with the heads of the
// query that share it), a run of queries, and the keys that any of them may see.
struct Block {
    int64_t first_matrix;
    int64_t matrices;
    int64_t first_query;
    int64_t queries;
    int64_t first_key;
    int64_t keys;
};

// Blocks whose scores stay in a core's cache, in the order of their matrices.
std::vector<Block> blocks(const Sequence& sequence, const Attention& what);

// Calls `f(begin, end)` for runs of blocks that no other run shares a matrix with, in parallel.
void for_blocks(const std::vector<Block>& blocks, const std::function<void(size_t, size_t)>& f);

// A row of a block: its place in the block's scores, and whose scores they are.
struct BlockRow {
    int64_t number;
    int64_t batch;
    int64_t head;
    int64_t query;
};

// Rows are numbered by matrix, then head of the query, then query.
BlockRow block_row(const Sequence& sequence, const Block& block, int64_t number);
int64_t row_count(const Sequence& sequence, const Block& block);

// Calls `f` for each row of a block, in parallel.
void for_rows(const Sequence& sequence, const Block& block, const Attention& what,
              const std::function<void(const BlockRow&, const ScoreRow&)>& f);

}  // namespace opweld::npu::kernels
