#include <ATen/ops/bmm_cpu_dispatch.h>
#include <ATen/ops/empty.h>

#include "npu/kernels/nn/attention.h"
#include "npu/kernels/nn/attention_plan.h"
#include "npu/kernels/nn/attention_rows.h"

namespace opweld::npu::kernels {
namespace {

constexpr int64_t kCopies = 8;  // of each statistic

// The tensors of a sequence. Matrices are those of a Block; `shared` heads of the query belong to each.
struct Operands {
    at::Tensor query;   // [matrices, shared, queries, depth]
    at::Tensor keys;    // [matrices, keys, depth] float32
    at::Tensor values;  // [matrices, keys, value depth] float32
    at::Tensor max;     // [batch, heads, queries, 8]
    at::Tensor sum;
    at::Tensor out;  // [matrices, shared, queries, value depth]
};

void store(const at::Tensor& statistics, const BlockRow& place, float value) {
    auto* const first = statistics.mutable_data_ptr<float>() + place.batch * statistics.stride(0) +
                        place.head * statistics.stride(1) + place.query * statistics.stride(2);
    for (int64_t i = 0; i < kCopies; ++i) {
        first[i * statistics.stride(3)] = value;
    }
}

void run_block(const Sequence& s, const Block& block, const Attention& what, const Operands& o) {
    const auto part = [&](const at::Tensor& all) {
        return all.narrow(0, block.first_matrix, block.matrices).narrow(2, block.first_query, block.queries);
    };
    const auto seen = [&](const at::Tensor& all) {
        return all.narrow(0, block.first_matrix, block.matrices).narrow(1, block.first_key, block.keys);
    };
    const int64_t rows = o.query.size(1) * block.queries;
    const at::Tensor query = part(o.query).to(at::kFloat).reshape({block.matrices, rows, o.query.size(-1)});
    const at::Tensor scores = at::cpu::bmm(query, seen(o.keys).transpose(1, 2));
    auto* const data = scores.mutable_data_ptr<float>();
    for_rows(s, block, what, [&](const BlockRow& place, const ScoreRow& row) {
        const RowStatistics statistics = softmax_row(row, data + place.number * block.keys);
        store(o.max, place, statistics.max);
        store(o.sum, place, statistics.sum);
    });
    const at::Tensor products = at::cpu::bmm(scores, seen(o.values));
    at::Tensor out = part(o.out);
    out.copy_(products.view(out.sizes()));
}

}  // namespace

void attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const Attention& what,
               at::Tensor& softmax_max, at::Tensor& softmax_sum, at::Tensor& out) {
    const int64_t heads_of_keys = key_heads(query, key, what);
    const at::Tensor all_queries = by_heads(query, what.layout, what.heads);
    const at::Tensor all_keys = by_heads(key, what.layout, heads_of_keys);
    const at::Tensor all_values = by_heads(value, what.layout, heads_of_keys);
    const at::Tensor all_out = by_heads(out, what.layout, what.heads);
    for (const Sequence& s : sequences(query, key, what)) {
        if (s.batch * s.heads * s.queries == 0) {
            continue;
        }
        const auto queries = [&](const at::Tensor& t) { return t.narrow(2, s.first_query, s.queries); };
        const auto keys = [&](const at::Tensor& t) { return t.narrow(2, s.first_key, s.keys); };
        at::Tensor target = queries(all_out);
        const at::Tensor result =
            target.is_contiguous() ? target : at::empty(target.sizes(), target.options());
        const Operands o{by_matrix(queries(all_queries), s),
                         key_matrices(keys(all_keys), s),
                         key_matrices(keys(all_values), s),
                         queries(statistics_by_heads(softmax_max, what)),
                         queries(statistics_by_heads(softmax_sum, what)),
                         by_matrix(result, s)};
        const std::vector<Block> parts = blocks(s, what);
        for_blocks(parts, [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) {
                run_block(s, parts[i], what, o);
            }
        });
        if (!result.is_same(target)) {
            target.copy_(result);
        }
    }
}

}  // namespace opweld::npu::kernels
