#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "npu/kernels/nn/rnn_direction.h"

namespace opweld::npu::kernels::rnn {

GruDirection run_gru(const at::Tensor& x, const Weights& w, const at::Tensor& h0, const Steps& steps) {
    const int64_t hidden = w.hidden.size(1);
    const auto empty = [&] { return at::zeros({x.size(0), hidden}, x.options()); };
    GruDirection d{
        .r = empty(), .z = empty(), .n = empty(), .hidden_n = empty(), .h = empty(), .h_end = h0.clone()};
    const at::Tensor sums = linear(x, w.input, w.input_bias);
    for (int64_t number = 0; number < steps.times(); ++number) {
        const int64_t time = steps.time(number);
        at::Tensor state = d.h_end.narrow(0, 0, steps.count(time));
        const at::Tensor from_x = steps.rows(sums, time);
        const at::Tensor from_h = linear(state, w.hidden, w.hidden_bias);
        const auto part = [&](const at::Tensor& gates, int64_t i) {
            return gates.narrow(1, i * hidden, hidden);
        };
        const at::Tensor r = at::sigmoid(part(from_x, 0).add(part(from_h, 0)));
        const at::Tensor z = at::sigmoid(part(from_x, 1).add(part(from_h, 1)));
        const at::Tensor n = at::tanh(part(from_x, 2).add(r.mul(part(from_h, 2))));
        state.copy_(state.sub(n).mul(z).add(n));
        steps.rows(d.r, time).copy_(r);
        steps.rows(d.z, time).copy_(z);
        steps.rows(d.n, time).copy_(n);
        steps.rows(d.hidden_n, time).copy_(part(from_h, 2));
        steps.rows(d.h, time).copy_(state);
    }
    return d;
}

GruDirectionGradients gru_gradients(const GruDirection& kept, const at::Tensor& hidden_weight,
                                    const at::Tensor& h0, const at::Tensor& grad_output,
                                    const at::Tensor& grad_h, const Steps& steps) {
    GruDirectionGradients result{
        .from_input = at::zeros({kept.h.size(0), 3 * kept.h.size(1)}, kept.h.options()),
        .from_hidden = {},
        .h_before = at::zeros_like(kept.h),
        .h0 = grad_h.clone()};
    result.from_hidden = at::zeros_like(result.from_input);
    for (int64_t number = steps.times(); number-- > 0;) {
        const int64_t time = steps.time(number);
        at::Tensor state_grad = result.h0.narrow(0, 0, steps.count(time));
        const at::Tensor before = steps.before(kept.h, h0, number);
        const at::Tensor r = steps.rows(kept.r, time);
        const at::Tensor z = steps.rows(kept.z, time);
        const at::Tensor n = steps.rows(kept.n, time);
        const at::Tensor grad = state_grad.add(steps.rows(grad_output, time));
        const at::Tensor grad_n = grad.mul(1 - z).mul(1 - n.mul(n));
        const at::Tensor grad_z = grad.mul(before.sub(n)).mul(z).mul(1 - z);
        const at::Tensor grad_r = grad_n.mul(steps.rows(kept.hidden_n, time)).mul(r).mul(1 - r);
        const at::Tensor hidden_step = at::cat({grad_r, grad_z, grad_n.mul(r)}, 1);
        steps.rows(result.from_input, time).copy_(at::cat({grad_r, grad_z, grad_n}, 1));
        steps.rows(result.from_hidden, time).copy_(hidden_step);
        steps.rows(result.h_before, time).copy_(before);
        state_grad.copy_(grad.mul(z).add(at::mm(hidden_step, hidden_weight)));
    }
    return result;
}

}  // namespace opweld::npu::kernels::rnn
