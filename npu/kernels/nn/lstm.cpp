#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "npu/kernels/nn/results.h"
#include "npu/kernels/nn/rnn.h"
#include "npu/kernels/nn/rnn_sequence.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

using namespace rnn;

enum Part : size_t { kInput, kCandidate, kForget, kOutput, kHidden, kCell, kTanh };

// The gates of rows, after their activations: i, f, g, o side by side.
void activate(at::Tensor& gates) {
    const int64_t hidden = gates.size(1) / 4;
    gates.narrow(1, 0, 2 * hidden).sigmoid_();
    gates.narrow(1, 2 * hidden, hidden).tanh_();
    gates.narrow(1, 3 * hidden, hidden).sigmoid_();
}

struct Direction {
    at::Tensor gates;  // [time * batch, 4 * hidden]: i, f, g, o
    at::Tensor h;
    at::Tensor c;
    at::Tensor tanh_c;
    at::Tensor h_end;
    at::Tensor c_end;
};

Direction run_direction(const at::Tensor& x, const Weights& w, const at::Tensor& h0, const at::Tensor& c0,
                        const Steps& steps) {
    const int64_t hidden = w.hidden.size(1);
    Direction d{.gates = linear(x, w.input, w.input_bias),
                .h = at::zeros({x.size(0), hidden}, x.options()),
                .c = at::zeros({x.size(0), hidden}, x.options()),
                .tanh_c = at::zeros({x.size(0), hidden}, x.options()),
                .h_end = h0.clone(),
                .c_end = c0.clone()};
    for (int64_t number = 0; number < steps.times(); ++number) {
        const int64_t time = steps.time(number);
        const int64_t rows = steps.count(time);
        at::Tensor h_state = d.h_end.narrow(0, 0, rows);
        at::Tensor c_state = d.c_end.narrow(0, 0, rows);
        at::Tensor gates = steps.rows(d.gates, time);
        gates.add_(linear(h_state, w.hidden, w.hidden_bias));
        activate(gates);
        const auto part = [&](int64_t i) { return gates.narrow(1, i * hidden, hidden); };
        c_state.mul_(part(1)).add_(part(0).mul(part(2)));
        const at::Tensor tanh_c = at::tanh(c_state);
        h_state.copy_(part(3).mul(tanh_c));
        steps.rows(d.h, time).copy_(h_state);
        steps.rows(d.c, time).copy_(c_state);
        steps.rows(d.tanh_c, time).copy_(tanh_c);
    }
    return d;
}

// The gradients of the gates' sums from those of h and c, by one step.
at::Tensor gate_gradients(const at::Tensor& gates, const at::Tensor& tanh_c, const at::Tensor& c_before,
                          const at::Tensor& grad_h, at::Tensor& grad_c) {
    const int64_t hidden = tanh_c.size(1);
    const auto part = [&](int64_t i) { return gates.narrow(1, i * hidden, hidden); };
    const auto by_sigmoid = [](const at::Tensor& grad, const at::Tensor& y) {
        return grad.mul(y).mul(1 - y);
    };
    const at::Tensor i = part(0);
    const at::Tensor f = part(1);
    const at::Tensor g = part(2);
    const at::Tensor o = part(3);
    grad_c = grad_c.add(grad_h.mul(o).mul(1 - tanh_c.mul(tanh_c)));
    at::Tensor result = at::cat({by_sigmoid(grad_c.mul(g), i), by_sigmoid(grad_c.mul(c_before), f),
                                 grad_c.mul(i).mul(1 - g.mul(g)), by_sigmoid(grad_h.mul(tanh_c), o)},
                                1);
    grad_c = grad_c.mul(f);
    return result;
}

at::Tensor or_zeros(const std::optional<at::Tensor>& tensor, const at::Tensor& like, at::ScalarType dtype) {
    return tensor.has_value() ? tensor->to(dtype) : at::zeros(like.sizes(), like.options().dtype(dtype));
}

}  // namespace

void lstm(const at::Tensor& input, const std::vector<at::Tensor>& params, const std::vector<at::Tensor>& hx,
          const std::optional<at::Tensor>& batch_sizes, const RnnOptions& options, at::Tensor& output,
          at::Tensor& h_n, at::Tensor& c_n, const Kept& kept) {
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
            const Direction d =
                run_direction(x, weights(params, options.has_biases, place, dtype), hx[0][place].to(dtype),
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
        at::Tensor x;
        if (layer == 0) {
            x = flattened(input, size, options.batch_first, dtype);
        } else {
            std::vector<at::Tensor> below;
            for (int64_t direction = 0; direction < directions; ++direction) {
                below.push_back(kept_rows(kept, kHidden,
                                          static_cast<size_t>((layer - 1) * directions + direction), dtype));
            }
            x = at::cat(below, 1);
        }
        at::Tensor grad_x = at::zeros_like(x);
        for (int64_t direction = 0; direction < directions; ++direction) {
            const int64_t place = layer * directions + direction;
            const auto index = static_cast<size_t>(place);
            const Steps steps(size.counts, size.batch, direction == 1);
            const Weights w = weights(params, options.has_biases, place, dtype);
            const auto rows = [&](Part part) { return kept_rows(kept, part, index, dtype); };
            const at::Tensor gates =
                at::cat({rows(kInput), rows(kForget), rows(kCandidate), rows(kOutput)}, 1);
            const at::Tensor h = rows(kHidden);
            const at::Tensor c = rows(kCell);
            const at::Tensor tanh_c = rows(kTanh);
            const at::Tensor h0 = hx[0][place].to(dtype);
            const at::Tensor c0 = hx[1][place].to(dtype);
            const at::Tensor grad_out = grad_y.narrow(1, direction * hidden, hidden);
            at::Tensor grad_gates = at::zeros_like(gates);
            at::Tensor h_before = at::zeros_like(h);
            at::Tensor grad_h = grad_h_n[place].clone();
            at::Tensor grad_c = grad_c_n[place].clone();
            for (int64_t number = steps.times(); number-- > 0;) {
                const int64_t time = steps.time(number);
                const int64_t count = steps.count(time);
                steps.rows(h_before, time).copy_(steps.before(h, h0, number));
                at::Tensor step_grad_c = grad_c.narrow(0, 0, count);
                const at::Tensor step_grad_h = grad_h.narrow(0, 0, count).add(steps.rows(grad_out, time));
                const at::Tensor step = gate_gradients(steps.rows(gates, time), steps.rows(tanh_c, time),
                                                       steps.before(c, c0, number), step_grad_h, step_grad_c);
                steps.rows(grad_gates, time).copy_(step);
                grad_c.narrow(0, 0, count).copy_(step_grad_c);
                grad_h.narrow(0, 0, count).copy_(at::mm(step, w.hidden));
            }
            const auto first = static_cast<size_t>(each * place);
            assign(grad_params[first], at::mm(grad_gates.t(), x));
            assign(grad_params[first + 1], at::mm(grad_gates.t(), h_before));
            if (options.has_biases) {
                const at::Tensor sums = grad_gates.sum(0);
                assign(grad_params[first + 2], sums);
                assign(grad_params[first + 3], sums);
            }
            grad_x.add_(at::mm(grad_gates, w.input));
            grad_h0[place].copy_(grad_h);
            grad_c0[place].copy_(grad_c);
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
    activate(sums);
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
        gate_gradients(gates.to(dtype), at::tanh(cy.to(dtype)), cx.to(dtype), grad_h, grad_c);
    assign(grad_gates, result);
    assign(grad_cx, grad_c);
    assign_if(has_bias, grad_bias, result.sum(0));
}

}  // namespace opweld::npu::kernels
