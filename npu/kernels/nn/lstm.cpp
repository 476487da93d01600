#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "npu/kernels/nn/results.h"
#include "npu/kernels/nn/rnn.h"
#include "npu/kernels/nn/rnn_direction.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

using namespace rnn;

enum Part : size_t { kInput, kCandidate, kForget, kOutput, kHidden, kCell, kTanh };

at::Tensor or_zeros(const std::optional<at::Tensor>& tensor, const at::Tensor& like, at::ScalarType dtype) {
    return tensor.has_value() ? tensor->to(dtype) : at::zeros(like.sizes(), like.options().dtype(dtype));
}

}  // namespace

void lstm(const at::Tensor& input, const std::vector<at::Tensor>& params, const std::vector<at::Tensor>& hx,
          const std::optional<at::Tensor>& batch_sizes, const RnnOptions& options, at::Tensor& output,
          at::Tensor& h_n, at::Tensor& c_n, const Kept& lists) {
    const Kept& kept = kept_in_training(lists, options);
    require_lists(params, kept, options);
    const Extent size = extent(input, batch_sizes, options.batch_first);
    const at::ScalarType dtype = compute_dtype(input);
    at::Tensor x = flattened(input, size, options.batch_first, dtype);
    const int64_t directions = options.bidirectional ? 2 : 1;
    for (int64_t layer = 0; layer < options.layers; ++layer) {
        std::vector<at::Tensor> outputs;
        for (int64_t direction = 0; direction < directions; ++direction) {
            const int64_t place = layer * directions + direction;
            const auto index = static_cast<size_t>(place);
            const LstmDirection d =
                run_lstm(x, weights(params, options.has_biases, place, dtype), hx[0][place].to(dtype),
                         hx[1][place].to(dtype), {size.counts, size.batch, direction == 1});
            const int64_t hidden = d.h.size(1);
            constexpr Part kOrder[] = {kInput, kForget, kCandidate, kOutput};
            for (int64_t i = 0; i < 4; ++i) {
                keep(kept, kOrder[i], index, d.gates.narrow(1, i * hidden, hidden).contiguous());
            }
            keep(kept, kHidden, index, d.h);
            keep(kept, kCell, index, d.c);
            keep(kept, kTanh, index, d.tanh_c);
            h_n[place].copy_(d.h_end);
            c_n[place].copy_(d.c_end);
            outputs.push_back(d.h);
        }
        x = at::cat(outputs, 1);
    }
    store_sequences(output, x, size, options.batch_first);
}

void lstm_backward(const at::Tensor& input, const std::vector<at::Tensor>& hx,
                   const std::vector<at::Tensor>& params, const LstmGradients& gradients, const Kept& kept,
                   const std::optional<at::Tensor>& batch_sizes, const RnnOptions& options,
                   at::Tensor& grad_input, at::Tensor& grad_h0, at::Tensor& grad_c0,
                   std::vector<at::Tensor>& grad_params) {
    require_lists(params, kept, options);
    require_lists(grad_params, kept, options);
    const Extent size = extent(input, batch_sizes, options.batch_first);
    const at::ScalarType dtype = compute_dtype(input);
    const int64_t directions = options.bidirectional ? 2 : 1;
    const int64_t hidden = params[1].size(1);
    const int64_t each = options.has_biases ? 4 : 2;
    at::Tensor grad_y =
        at::zeros({size.times * size.batch, directions * hidden}, input.options().dtype(dtype));
    if (gradients.grad_output.has_value()) {
        grad_y = flattened(*gradients.grad_output, size, options.batch_first, dtype);
    }
    const at::Tensor grad_h_n = or_zeros(gradients.grad_h, hx[0], dtype);
    const at::Tensor grad_c_n = or_zeros(gradients.grad_c, hx[1], dtype);
    for (int64_t layer = options.layers; layer-- > 0;) {
        const at::Tensor x = layer == 0 ? flattened(input, size, options.batch_first, dtype)
                                        : outputs_of(layer - 1, kept, kHidden, directions, dtype);
        at::Tensor grad_x = at::zeros_like(x);
        for (int64_t direction = 0; direction < directions; ++direction) {
            const int64_t place = layer * directions + direction;
            const auto index = static_cast<size_t>(place);
            const Steps steps(size.counts, size.batch, direction == 1);
            const Weights w = weights(params, options.has_biases, place, dtype);
            const auto rows = [&](Part part) { return kept_rows(kept, part, index, dtype); };
            const LstmDirection kept_steps{
                .gates = at::cat({rows(kInput), rows(kForget), rows(kCandidate), rows(kOutput)}, 1),
                .h = rows(kHidden),
                .c = rows(kCell),
                .tanh_c = rows(kTanh),
                .h_end = {},
                .c_end = {}};
            const LstmDirectionGradients g = lstm_gradients(
                kept_steps, w.hidden, hx[0][place].to(dtype), hx[1][place].to(dtype),
                grad_y.narrow(1, direction * hidden, hidden), grad_h_n[place], grad_c_n[place], steps);
            const auto first = static_cast<size_t>(each * place);
            assign(grad_params[first], at::mm(g.gates.t(), x));
            assign(grad_params[first + 1], at::mm(g.gates.t(), g.h_before));
            if (options.has_biases) {
                const at::Tensor sums = g.gates.sum(0);
                assign(grad_params[first + 2], sums);
                assign(grad_params[first + 3], sums);
            }
            grad_x.add_(at::mm(g.gates, w.input));
            grad_h0[place].copy_(g.h0);
            grad_c0[place].copy_(g.c0);
        }
        grad_y = grad_x;
    }
    store_sequences(grad_input, grad_y, size, options.batch_first);
}

void lstm_cell(const at::Tensor& input_gates, const at::Tensor& hidden_gates, const at::Tensor& cx,
               const std::optional<at::Tensor>& input_bias, const std::optional<at::Tensor>& hidden_bias,
               at::Tensor& hy, at::Tensor& cy, at::Tensor& gates) {
    const at::ScalarType dtype = compute_dtype(cx);
    at::Tensor sums = input_gates.to(dtype).add(hidden_gates.to(dtype));
    for (const auto* bias : {&input_bias, &hidden_bias}) {
        if (bias->has_value()) {
            sums.add_((*bias)->to(dtype));
        }
    }
    activate_lstm(sums);
    const int64_t hidden = cx.size(1);
    const auto part = [&](int64_t i) { return sums.narrow(1, i * hidden, hidden); };
    const at::Tensor c = part(1).mul(cx.to(dtype)).add(part(0).mul(part(2)));
    assign(hy, part(3).mul(at::tanh(c)));
    assign(cy, c);
    assign(gates, sums);
}

void lstm_cell_backward(const std::optional<at::Tensor>& grad_hy, const std::optional<at::Tensor>& grad_cy,
                        const at::Tensor& cx, const at::Tensor& cy, const at::Tensor& gates, bool has_bias,
                        at::Tensor& grad_gates, at::Tensor& grad_cx,
                        const std::optional<at::Tensor>& grad_bias) {
    const at::ScalarType dtype = compute_dtype(cx);
    const at::Tensor grad_h = or_zeros(grad_hy, cx, dtype);
    at::Tensor grad_c = or_zeros(grad_cy, cx, dtype);
    const at::Tensor result =
        lstm_gate_gradients(gates.to(dtype), at::tanh(cy.to(dtype)), cx.to(dtype), grad_h, grad_c);
    assign(grad_gates, result);
    assign(grad_cx, grad_c);
    assign_if(has_bias, grad_bias, result.sum(0));
}

}  // namespace opweld::npu::kernels
