#include <ATen/ops/bmm_cpu_dispatch.h>
#include <ATen/ops/empty.h>

#include <algorithm>

#include "npu/kernels/nn/attention.h"
#include "npu/kernels/nn/attention_plan.h"
#include "npu/kernels/nn/attention_rows.h"

namespace opweld::npu::kernels {
namespace {

// The tensors of a sequence as [batch, heads, tokens, depth].
struct Operands {
    at::Tensor query;
    at::Tensor key;
    at::Tensor value;
    at::Tensor max;
    at::Tensor sum;
    at::Tensor out;
};

// Scores and statistics are written again and again for each block.
struct Scratch {
    at::Tensor scores;
    at::Tensor products;
    at::Tensor max;
    at::Tensor sum;

    static Scratch for_blocks(const Sequence& s, const std::vector<Block>& blocks, int64_t depth) {
        int64_t scores = 0;
        int64_t queries = 0;
        for (const Block& block : blocks) {
            scores = std::max(scores, block.queries * block.keys);
            queries = std::max(queries, block.queries);
        }
        const int64_t heads = s.batch * s.heads;
        return {at::empty({heads * scores}, at::kFloat), at::empty({heads * queries * depth}, at::kFloat),
                at::empty({heads * queries}, at::kFloat), at::empty({heads * queries}, at::kFloat)};
    }
};

at::Tensor shaped(const at::Tensor& buffer, at::IntArrayRef shape) {
    return buffer.narrow(0, 0, c10::multiply_integers(shape)).view(shape);
}

void run_block(const Sequence& s, const Block& block, const Attention& what, const at::Tensor& keys,
               const at::Tensor& values, const Scratch& scratch, const Operands& o) {
    const int64_t matrices = s.batch * s.key_heads;
    const int64_t rows = s.heads / s.key_heads * block.queries;
    const int64_t depth = values.size(-1);
    const at::Tensor query = o.query.narrow(2, block.first_query, block.queries)
                                 .to(at::kFloat)
                                 .reshape({matrices, rows, keys.size(-1)});
    at::Tensor scores = shaped(scratch.scores, {matrices, rows, block.keys});
    at::cpu::bmm_out(scores, query, keys.narrow(1, block.first_key, block.keys).transpose(1, 2));
    auto* const data = scores.mutable_data_ptr<float>();
    auto* const max = scratch.max.mutable_data_ptr<float>();
    auto* const sum = scratch.sum.mutable_data_ptr<float>();
    for_rows(s, block, what, [&](int64_t r, const ScoreRow& row) {
        const RowStatistics statistics = softmax_row(row, data + r * block.keys);
        max[r] = statistics.max;
        sum[r] = statistics.sum;
    });
    at::Tensor products = shaped(scratch.products, {matrices, rows, depth});
    at::cpu::bmm_out(products, scores, values.narrow(1, block.first_key, block.keys));
    const std::vector<int64_t> heads{s.batch, s.heads, block.queries};
    const auto target = [&](const at::Tensor& all) {
        return all.narrow(2, block.first_query, block.queries);
    };
    target(o.out).copy_(products.view({s.batch, s.heads, block.queries, depth}));
    target(o.max).copy_(shaped(scratch.max, heads).unsqueeze(-1));
    target(o.sum).copy_(shaped(scratch.sum, heads).unsqueeze(-1));
}

}  // namespace

void attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const Attention& what,
               at::Tensor& softmax_max, at::Tensor& softmax_sum, at::Tensor& out) {
    const int64_t heads_of_keys = key_heads(query, key, what);
    const Operands all{by_heads(query, what.layout, what.heads),    by_heads(key, what.layout, heads_of_keys),
                       by_heads(value, what.layout, heads_of_keys), statistics_by_heads(softmax_max, what),
                       statistics_by_heads(softmax_sum, what),      by_heads(out, what.layout, what.heads)};
    for (const Sequence& s : sequences(query, key, what)) {
        if (s.batch * s.heads * s.queries == 0) {
            continue;
        }
        const auto queries = [&](const at::Tensor& t) { return t.narrow(2, s.first_query, s.queries); };
        const auto keys = [&](const at::Tensor& t) { return t.narrow(2, s.first_key, s.keys); };
        const Operands o{queries(all.query), keys(all.key),    keys(all.value),
                         queries(all.max),   queries(all.sum), queries(all.out)};
        const int64_t matrices = s.batch * s.key_heads;
        const at::Tensor k = o.key.to(at::kFloat).reshape({matrices, s.keys, o.key.size(-1)});
        const at::Tensor v = o.value.to(at::kFloat).reshape({matrices, s.keys, o.value.size(-1)});
        const std::vector<Block> parts = blocks(s, what);
        const Scratch scratch = Scratch::for_blocks(s, parts, v.size(-1));
        for (const Block& block : parts) {
            run_block(s, block, what, k, v, scratch, o);
        }
    }
}

}  // namespace opweld::npu::kernels
