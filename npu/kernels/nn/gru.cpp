#include <ATen/ops/cat.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros_like.h>

#include "npu/kernels/nn/rnn.h"
#include "npu/kernels/nn/rnn_direction.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

using namespace rnn;

enum Part : size_t { kReset, kUpdate, kNew, kHiddenNew, kHidden };

}  // namespace

void gru(const at::Tensor& input, const std::vector<at::Tensor>& params, const at::Tensor& hx,
         const std::optional<at::Tensor>& batch_sizes, const RnnOptions& options, at::Tensor& output,
         at::Tensor& h_n, const Kept& lists) {
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
            const GruDirection d = run_gru(x, weights(params, options.has_biases, place, dtype),
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
        const at::Tensor x = layer == 0 ? flattened(input, size, options.batch_first, dtype)
                                        : outputs_of(layer - 1, kept, kHidden, directions, dtype);
        at::Tensor grad_x = at::zeros_like(x);
        for (int64_t direction = 0; direction < directions; ++direction) {
            const int64_t place = layer * directions + direction;
            const auto index = static_cast<size_t>(place);
            const Steps steps(size.counts, size.batch, direction == 1);
            const Weights w = weights(params, options.has_biases, place, dtype);
            const auto rows = [&](Part part) { return kept_rows(kept, part, index, dtype); };
            const GruDirection kept_steps{.r = rows(kReset),
                                          .z = rows(kUpdate),
                                          .n = rows(kNew),
                                          .hidden_n = rows(kHiddenNew),
                                          .h = rows(kHidden),
                                          .h_end = {}};
            const GruDirectionGradients g =
                gru_gradients(kept_steps, w.hidden, hx[place].to(dtype),
                              grad_y.narrow(1, direction * hidden, hidden), grad_h_n[place].to(dtype), steps);
            const auto first = static_cast<size_t>(each * place);
            assign(grad_params[first], at::mm(g.from_input.t(), x));
            assign(grad_params[first + 1], at::mm(g.from_hidden.t(), g.h_before));
            if (options.has_biases) {
                assign(grad_params[first + 2], g.from_input.sum(0));
                assign(grad_params[first + 3], g.from_hidden.sum(0));
            }
            grad_x.add_(at::mm(g.from_input, w.input));
            grad_h0[place].copy_(g.h0);
        }
        grad_y = grad_x;
    }
    store_sequences(grad_input, grad_y, size, options.batch_first);
}

}  // namespace opweld::npu::kernels
