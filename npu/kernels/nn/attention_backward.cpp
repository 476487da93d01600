#include <ATen/ops/baddbmm_cpu_dispatch.h>
#include <ATen/ops/bmm_cpu_dispatch.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "npu/kernels/nn/attention.h"
#include "npu/kernels/nn/attention_plan.h"
#include "npu/kernels/nn/attention_rows.h"

namespace opweld::npu::kernels {
namespace {

// Tensors as [batch, heads, tokens, depth]; keys and values, and their gradients so far, as matrices in
// float32.
struct Operands {
    at::Tensor query;
    at::Tensor out;
    at::Tensor grad_out;
    at::Tensor max;
    at::Tensor sum;
    at::Tensor grad_query;
    at::Tensor grad_pse;  // [1 or batch, 1 or heads, 1 or queries, 1 or keys] float32, or undefined
    at::Tensor keys;
    at::Tensor values;
    at::Tensor grad_keys;
    at::Tensor grad_values;
};

// Adds the gradient of a block's scores to that of the pse, which may have been broadcast.
void add_to_pse(const Sequence& s, const Block& block, const Attention& what,
                const at::Tensor& score_gradients, const at::Tensor& grad_pse) {
    at::Tensor target = grad_pse;
    if (target.size(2) != 1) {
        target = target.narrow(2, block.first_query, block.queries);
    }
    if (target.size(3) != 1) {
        target = target.narrow(3, block.first_key, block.keys);
    }
    const at::Tensor gradients = score_gradients.view({s.batch, s.heads, block.queries, block.keys});
    target.add_(gradients.sum_to_size(target.sizes()), what.pse_type == 1 ? what.scale : 1.0);
}

void run_block(const Sequence& s, const Block& block, const Attention& what, Operands& o) {
    const int64_t matrices = s.batch * s.key_heads;
    const int64_t rows = s.heads / s.key_heads * block.queries;
    const auto part = [&](const at::Tensor& all) { return all.narrow(2, block.first_query, block.queries); };
    const auto matrix = [&](const at::Tensor& tensor) {
        return tensor.reshape({matrices, rows, tensor.size(-1)});
    };
    const at::Tensor query = matrix(part(o.query).to(at::kFloat));
    const at::Tensor grad_out_part = part(o.grad_out).to(at::kFloat);
    const at::Tensor grad_out = matrix(grad_out_part);
    const at::Tensor deltas = at::mul(grad_out_part, part(o.out)).sum(-1).contiguous();
    const at::Tensor max = part(o.max).contiguous();
    const at::Tensor sum = part(o.sum).contiguous();
    const at::Tensor keys = o.keys.narrow(1, block.first_key, block.keys);
    const at::Tensor values = o.values.narrow(1, block.first_key, block.keys);

    at::Tensor scores = at::cpu::bmm(query, keys.transpose(1, 2));
    at::Tensor gradients = at::cpu::bmm(grad_out, values.transpose(1, 2));
    auto* const score_data = scores.mutable_data_ptr<float>();
    auto* const gradient_data = gradients.mutable_data_ptr<float>();
    const auto* const delta_data = deltas.const_data_ptr<float>();
    const auto* const max_data = max.const_data_ptr<float>();
    const auto* const sum_data = sum.const_data_ptr<float>();
    for_rows(s, block, what, [&](int64_t r, const ScoreRow& row) {
        softmax_row_backward(row, {max_data[r], sum_data[r]}, delta_data[r], score_data + r * block.keys,
                             gradient_data + r * block.keys);
    });

    at::Tensor grad_keys = o.grad_keys.narrow(1, block.first_key, block.keys);
    at::Tensor grad_values = o.grad_values.narrow(1, block.first_key, block.keys);
    at::cpu::baddbmm_(grad_values, scores.transpose(1, 2), grad_out);
    at::cpu::baddbmm_(grad_keys, gradients.transpose(1, 2), query, 1, what.scale);
    const at::Tensor grad_query = at::cpu::bmm(gradients, keys).mul_(what.scale);
    part(o.grad_query).copy_(grad_query.view({s.batch, s.heads, block.queries, keys.size(-1)}));
    if (o.grad_pse.defined()) {
        add_to_pse(s, block, what, gradients, o.grad_pse);
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
    const auto of_query = [&](const at::Tensor& t) { return by_heads(t, what.layout, what.heads); };
    const auto of_key = [&](const at::Tensor& t) { return by_heads(t, what.layout, heads_of_keys); };
    const at::Tensor grad_pse = empty_pse_gradient(what, gradients);
    clear_rest(what, gradients);
    for (const Sequence& s : sequences(query, key, what)) {
        const int64_t matrices = s.batch * s.key_heads;
        const auto queries = [&](const at::Tensor& t) { return t.narrow(2, s.first_query, s.queries); };
        const auto keys = [&](const at::Tensor& t) { return of_key(t).narrow(2, s.first_key, s.keys); };
        const auto matrix = [&](const at::Tensor& t) {
            return keys(t).to(at::kFloat).reshape({matrices, s.keys, keys(t).size(-1)});
        };
        const auto statistic = [&](const at::Tensor& t) {
            return queries(statistics_by_heads(t, what)).select(-1, 0);
        };
        const at::Tensor k = matrix(key);
        const at::Tensor v = matrix(value);
        Operands o{queries(of_query(query)),
                   queries(of_query(out)),
                   queries(of_query(grad_out)),
                   statistic(softmax_max),
                   statistic(softmax_sum),
                   queries(of_query(gradients.query)),
                   grad_pse,
                   k,
                   v,
                   at::zeros(k.sizes(), at::kFloat),
                   at::zeros(v.sizes(), at::kFloat)};
        if (s.batch * s.heads * s.queries != 0) {
            for (const Block& block : blocks(s, what)) {
                run_block(s, block, what, o);
            }
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
