#include <ATen/ops/baddbmm_cpu_dispatch.h>
#include <ATen/ops/bmm_cpu_dispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/zeros.h>

#include "npu/kernels/nn/attention.h"
#include "npu/kernels/nn/attention_plan.h"
#include "npu/kernels/nn/attention_rows.h"

namespace opweld::npu::kernels {
namespace {

// The tensors of a sequence, as in the forward direction. Gradients of keys and values are the sums so far.
struct Operands {
    at::Tensor query;     // [matrices, shared, queries, depth]
    at::Tensor out;       // [matrices, shared, queries, value depth]
    at::Tensor grad_out;  // the same
    at::Tensor max;       // [batch, heads, queries], strided
    at::Tensor sum;
    at::Tensor grad_query;  // like query
    at::Tensor grad_pse;    // [1 or batch, 1 or heads, 1 or queries, 1 or keys] float32, or undefined
    at::Tensor keys;        // [matrices, keys, depth] float32
    at::Tensor values;
    at::Tensor grad_keys;
    at::Tensor grad_values;
};

float at_place(const at::Tensor& statistics, const BlockRow& place) {
    return statistics
        .const_data_ptr<float>()[place.batch * statistics.stride(0) + place.head * statistics.stride(1) +
                                 place.query * statistics.stride(2)];
}

// Adds the gradient of a row's scores to that of the pse, which may have been broadcast.
void add_to_pse(const Block& block, const Attention& what, const BlockRow& place, const float* gradients,
                const at::Tensor& grad_pse) {
    const auto step = [&](int64_t dim, int64_t index) {
        return grad_pse.size(dim) == 1 ? 0 : index * grad_pse.stride(dim);
    };
    float* const target = grad_pse.mutable_data_ptr<float>() + step(0, place.batch) + step(1, place.head) +
                          step(2, place.query);
    const auto factor = static_cast<float>(what.pse_type == 1 ? what.scale : 1.0);
    for (int64_t j = 0; j < block.keys; ++j) {
        target[step(3, block.first_key + j)] += factor * gradients[j];
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
    const auto matrix = [&](const at::Tensor& t) { return t.reshape({block.matrices, rows, t.size(-1)}); };
    const at::Tensor query = matrix(part(o.query).to(at::kFloat));
    const at::Tensor grad_out_part = part(o.grad_out).to(at::kFloat);
    const at::Tensor grad_out = matrix(grad_out_part);
    const at::Tensor deltas = at::mul(grad_out_part, part(o.out)).sum(-1).contiguous();
    const at::Tensor keys = seen(o.keys);

    const at::Tensor scores = at::cpu::bmm(query, keys.transpose(1, 2));
    const at::Tensor gradients = at::cpu::bmm(grad_out, seen(o.values).transpose(1, 2));
    auto* const score_data = scores.mutable_data_ptr<float>();
    auto* const gradient_data = gradients.mutable_data_ptr<float>();
    const auto* const delta_data = deltas.const_data_ptr<float>();
    for_rows(s, block, what, [&](const BlockRow& place, const ScoreRow& row) {
        const int64_t start = place.number * block.keys;
        softmax_row_backward(row, {at_place(o.max, place), at_place(o.sum, place)}, delta_data[place.number],
                             score_data + start, gradient_data + start);
    });

    at::Tensor grad_keys = seen(o.grad_keys);
    at::Tensor grad_values = seen(o.grad_values);
    at::cpu::baddbmm_(grad_values, scores.transpose(1, 2), grad_out);
    at::cpu::baddbmm_(grad_keys, gradients.transpose(1, 2), query, 1, what.scale);
    at::Tensor grad_query = part(o.grad_query);
    grad_query.copy_(at::cpu::bmm(gradients, keys).mul_(what.scale).view(grad_query.sizes()));
    if (o.grad_pse.defined()) {
        for (int64_t r = 0; r < row_count(s, block); ++r) {  // in one thread: rows may share elements
            add_to_pse(block, what, block_row(s, block, r), gradient_data + r * block.keys, o.grad_pse);
        }
    }
}

void run_sequence(const Sequence& s, const Attention& what, const Operands& o) {
    const std::vector<Block> parts = blocks(s, what);
    const auto run = [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
            run_block(s, parts[i], what, o);
        }
    };
    if (o.grad_pse.defined()) {
        run(0, parts.size());  // matrices may add to the same elements of a pse that was broadcast
    } else {
        for_blocks(parts, run);
    }
}

// The pse's gradient as float32 with four dimensions, zero.
at::Tensor empty_pse_gradient(const Attention& what, const AttentionGradients& gradients) {
    if (!what.pse.has_value() || !gradients.pse.has_value()) {
        return {};
    }
    return at::zeros(what.pse->sizes(), at::kFloat);
}

// The tokens that belong to no sequence of a TND attention have no gradient.
void clear_rest(const Attention& what, const AttentionGradients& gradients) {
    if (what.layout == "TND") {
        gradients.query.zero_();
        gradients.key.zero_();
        gradients.value.zero_();
    }
}

}  // namespace

void attention_backward(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                        const at::Tensor& grad_out, const Attention& what, const at::Tensor& softmax_max,
                        const at::Tensor& softmax_sum, const at::Tensor& out,
                        const AttentionGradients& gradients) {
    const int64_t heads_of_keys = key_heads(query, key, what);
    const at::Tensor grad_pse = empty_pse_gradient(what, gradients);
    clear_rest(what, gradients);
    for (const Sequence& s : sequences(query, key, what)) {
        const auto queries = [&](const at::Tensor& t) {
            return by_heads(t, what.layout, what.heads).narrow(2, s.first_query, s.queries);
        };
        const auto keys = [&](const at::Tensor& t) {
            return by_heads(t, what.layout, heads_of_keys).narrow(2, s.first_key, s.keys);
        };
        const auto statistic = [&](const at::Tensor& t) {
            return statistics_by_heads(t, what).narrow(2, s.first_query, s.queries).select(-1, 0);
        };
        at::Tensor target = queries(gradients.query);
        const at::Tensor grad_query =
            target.is_contiguous() ? target : at::empty(target.sizes(), target.options());
        const at::Tensor k = key_matrices(keys(key), s);
        const at::Tensor v = key_matrices(keys(value), s);
        const Operands o{by_matrix(queries(query), s),
                         by_matrix(queries(out), s),
                         by_matrix(queries(grad_out), s),
                         statistic(softmax_max),
                         statistic(softmax_sum),
                         by_matrix(grad_query, s),
                         grad_pse,
                         k,
                         v,
                         at::zeros(k.sizes(), at::kFloat),
                         at::zeros(v.sizes(), at::kFloat)};
        if (s.batch * s.heads * s.queries != 0) {
            run_sequence(s, what, o);
        }
        if (!grad_query.is_same(target)) {
            target.copy_(grad_query);
        }
        keys(gradients.key).copy_(o.grad_keys.view(keys(gradients.key).sizes()));
        keys(gradients.value).copy_(o.grad_values.view(keys(gradients.value).sizes()));
    }
    if (grad_pse.defined()) {
        at::Tensor target = *gradients.pse;
        target.copy_(grad_pse);
    }
}

}  // namespace opweld::npu::kernels
