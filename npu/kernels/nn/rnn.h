// Recurrent layers: LSTM and GRU over sequences, with their gradients.
//
// Sequences are [time, batch, features] with time first, or with the batch first. `batch_sizes` (optional)
// says for each time how many leading items of the batch have a step there; it doesn't rise. Then the input
// has time * batch rows. What steps lack is zero in the output. Layers of a stack take the one before them as
// their input; a bidirectional layer's directions are side by side in the output. Everything is computed in
// float32 or wider and rounded when it is stored. Calls are independent and safe from any thread.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace opweld::npu::kernels {

struct RnnOptions {
    bool has_biases;
    int64_t layers;
    double dropout;
    bool train;
    bool bidirectional;
    bool batch_first;
};

// What a layer's direction keeps for its gradient, as lists over (layer, direction) of [time, batch, hidden].
using Kept = std::vector<std::vector<at::Tensor>*>;

// params: for each layer and direction w_ih, w_hh (and b_ih, b_hh). hx: h and c, [layers * directions, batch,
// hidden]. kept: i, j, f, o, h, c, tanh(c); lists may be empty.
void lstm(const at::Tensor& input, const std::vector<at::Tensor>& params, const std::vector<at::Tensor>& hx,
          const std::optional<at::Tensor>& batch_sizes, const RnnOptions& options, at::Tensor& output,
          at::Tensor& h_n, at::Tensor& c_n, const Kept& kept);

struct LstmGradients {
    const std::optional<at::Tensor>& grad_output;
    const std::optional<at::Tensor>& grad_h;
    const std::optional<at::Tensor>& grad_c;
};
void lstm_backward(const at::Tensor& input, const std::vector<at::Tensor>& hx,
                   const std::vector<at::Tensor>& params, const LstmGradients& gradients, const Kept& kept,
                   const std::optional<at::Tensor>& batch_sizes, const RnnOptions& options,
                   at::Tensor& grad_input, at::Tensor& grad_h0, at::Tensor& grad_c0,
                   std::vector<at::Tensor>& grad_params);

// kept: r, z, n, the hidden part of n before r, h.
void gru(const at::Tensor& input, const std::vector<at::Tensor>& params, const at::Tensor& hx,
         const std::optional<at::Tensor>& batch_sizes, const RnnOptions& options, at::Tensor& output,
         at::Tensor& h_n, const Kept& kept);
void gru_backward(const at::Tensor& input, const std::vector<at::Tensor>& params, const at::Tensor& hx,
                  const at::Tensor& grad_output, const at::Tensor& grad_h, const Kept& kept,
                  const std::optional<at::Tensor>& batch_sizes, const RnnOptions& options,
                  at::Tensor& grad_input, at::Tensor& grad_h0, std::vector<at::Tensor>& grad_params);

// One step of an LSTM from its gates' two parts: writes h, c and the gates after their activations, in the
// order i, f, g, o.
void lstm_cell(const at::Tensor& input_gates, const at::Tensor& hidden_gates, const at::Tensor& cx,
               const std::optional<at::Tensor>& input_bias, const std::optional<at::Tensor>& hidden_bias,
               at::Tensor& hy, at::Tensor& cy, at::Tensor& gates);
void lstm_cell_backward(const std::optional<at::Tensor>& grad_hy, const std::optional<at::Tensor>& grad_cy,
                        const at::Tensor& cx, const at::Tensor& cy, const at::Tensor& gates, bool has_bias,
                        at::Tensor& grad_gates, at::Tensor& grad_cx,
                        const std::optional<at::Tensor>& grad_bias);

}  // namespace opweld::npu::kernels
