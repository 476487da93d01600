#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "npu/kernels/nn/rnn.h"
#include "npu/kernels/nn/rnn_sequence.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

using namespace rnn;

enum Part : size_t { kReset, kUpdate, kNew, kHiddenNew, kHidden };

struct Direction {
    at::Tensor r;
    at::Tensor z;
    at::Tensor n;
    at::Tensor hidden_n;
    at::Tensor h;
    at::Tensor h_end;
};

Direction run_direction(const at::Tensor& x, const Weights& w, const at::Tensor& h0, const Steps& steps) {
    const int64_t hidden = w.hidden.size(1);
    const auto empty = [&] { return at::zeros({x.size(0), hidden}, x.options()); };
    Direction d{
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

}  // namespace

void gru(const at::Tensor& input, const std::vector<at::Tensor>& params, const at::Tensor& hx,
         const std::optional<at::Tensor>& batch_sizes, const RnnOptions& options, at::Tensor& output,
         at::Tensor& h_n, const Kept& kept) {
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
            const Direction d = run_direction(x, weights(params, options.has_biases, place, dtype),
                                              hx[place].to(dtype), {size.counts, size.batch, direction == 1});
            keep(kept, kReset, index, d.r);
            keep(kept, kUpdate, index, d.z);
            keep(kept, kNew, index, d.n);
            keep(kept, kHiddenNew, index, d.hidden_n);
            keep(kept, kHidden, index, d.h);
            h_n[place].copy_(d.h_end);
            outputs.push_back(d.h);
        }
        x = at::cat(outputs, 1);
    }
    store_sequences(output, x, size, options.batch_first);
}

void gru_backward(const at::Tensor& input, const std::vector<at::Tensor>& params, const at::Tensor& hx,
                  const at::Tensor& grad_output, const at::Tensor& grad_h_n, const Kept& kept,
                  const std::optional<at::Tensor>& batch_sizes, const RnnOptions& options,
                  at::Tensor& grad_input, at::Tensor& grad_h0, std::vector<at::Tensor>& grad_params) {
    require_lists(params, kept, options);
    require_lists(grad_params, kept, options);
    const Extent size = extent(input, batch_sizes, options.batch_first);
    const at::ScalarType dtype = compute_dtype(input);
    const int64_t directions = options.bidirectional ? 2 : 1;
    const int64_t hidden = params[1].size(1);
    const int64_t each = options.has_biases ? 4 : 2;
    at::Tensor grad_y = flattened(grad_output, size, options.batch_first, dtype);
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
            const at::Tensor all_r = rows(kReset);
            const at::Tensor all_z = rows(kUpdate);
            const at::Tensor all_n = rows(kNew);
            const at::Tensor all_hidden_n = rows(kHiddenNew);
            const at::Tensor h = rows(kHidden);
            const at::Tensor h0 = hx[place].to(dtype);
            const at::Tensor grad_out = grad_y.narrow(1, direction * hidden, hidden);
            at::Tensor by_x = at::zeros({x.size(0), 3 * hidden}, x.options());
            at::Tensor by_h = at::zeros_like(by_x);
            at::Tensor h_before = at::zeros_like(h);
            at::Tensor grad_h = grad_h_n[place].to(dtype).clone();
            for (int64_t number = steps.times(); number-- > 0;) {
                const int64_t time = steps.time(number);
                at::Tensor state_grad = grad_h.narrow(0, 0, steps.count(time));
                const at::Tensor before = steps.before(h, h0, number);
                const at::Tensor r = steps.rows(all_r, time);
                const at::Tensor z = steps.rows(all_z, time);
                const at::Tensor n = steps.rows(all_n, time);
                const at::Tensor grad = state_grad.add(steps.rows(grad_out, time));
                const at::Tensor grad_n = grad.mul(1 - z).mul(1 - n.mul(n));
                const at::Tensor grad_z = grad.mul(before.sub(n)).mul(z).mul(1 - z);
                const at::Tensor grad_r = grad_n.mul(steps.rows(all_hidden_n, time)).mul(r).mul(1 - r);
                const at::Tensor hidden_step = at::cat({grad_r, grad_z, grad_n.mul(r)}, 1);
                steps.rows(by_x, time).copy_(at::cat({grad_r, grad_z, grad_n}, 1));
                steps.rows(by_h, time).copy_(hidden_step);
                steps.rows(h_before, time).copy_(before);
                state_grad.copy_(grad.mul(z).add(at::mm(hidden_step, w.hidden)));
            }
            const auto first = static_cast<size_t>(each * place);
            assign(grad_params[first], at::mm(by_x.t(), x));
            assign(grad_params[first + 1], at::mm(by_h.t(), h_before));
            if (options.has_biases) {
                assign(grad_params[first + 2], by_x.sum(0));
                assign(grad_params[first + 3], by_h.sum(0));
            }
            grad_x.add_(at::mm(by_x, w.input));
            grad_h0[place].copy_(grad_h);
        }
        grad_y = grad_x;
    }
    store_sequences(grad_input, grad_y, size, options.batch_first);
}

}  // namespace opweld::npu::kernels
