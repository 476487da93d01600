#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "npu/kernels/nn/rnn_direction.h"

namespace opweld::npu::kernels::rnn {

void activate_lstm(at::Tensor& gates) {
    const int64_t hidden = gates.size(1) / 4;
    gates.narrow(1, 0, 2 * hidden).sigmoid_();
    gates.narrow(1, 2 * hidden, hidden).tanh_();
    gates.narrow(1, 3 * hidden, hidden).sigmoid_();
}

LstmDirection run_lstm(const at::Tensor& x, const Weights& w, const at::Tensor& h0, const at::Tensor& c0,
                       const Steps& steps) {
    const int64_t hidden = w.hidden.size(1);
    LstmDirection d{.gates = linear(x, w.input, w.input_bias),
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
        activate_lstm(gates);
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

at::Tensor lstm_gate_gradients(const at::Tensor& gates, const at::Tensor& tanh_c, const at::Tensor& c_before,
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

LstmDirectionGradients lstm_gradients(const LstmDirection& kept, const at::Tensor& hidden_weight,
                                      const at::Tensor& h0, const at::Tensor& c0,
                                      const at::Tensor& grad_output, const at::Tensor& grad_h,
                                      const at::Tensor& grad_c, const Steps& steps) {
    LstmDirectionGradients result{.gates = at::zeros_like(kept.gates),
                                  .h_before = at::zeros_like(kept.h),
                                  .h0 = grad_h.clone(),
                                  .c0 = grad_c.clone()};
    for (int64_t number = steps.times(); number-- > 0;) {
        const int64_t time = steps.time(number);
        const int64_t count = steps.count(time);
        steps.rows(result.h_before, time).copy_(steps.before(kept.h, h0, number));
        at::Tensor step_grad_c = result.c0.narrow(0, 0, count);
        const at::Tensor step_grad_h = result.h0.narrow(0, 0, count).add(steps.rows(grad_output, time));
        const at::Tensor step =
            lstm_gate_gradients(steps.rows(kept.gates, time), steps.rows(kept.tanh_c, time),
                                steps.before(kept.c, c0, number), step_grad_h, step_grad_c);
        steps.rows(result.gates, time).copy_(step);
        result.c0.narrow(0, 0, count).copy_(step_grad_c);
        result.h0.narrow(0, 0, count).copy_(at::mm(step, hidden_weight));
    }
    return result;
}

}  // namespace opweld::npu::kernels::rnn
