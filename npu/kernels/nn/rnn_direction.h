// One layer and direction of an LSTM or GRU over a batch of sequences.
#pragma once

#include "npu/kernels/nn/rnn_sequence.h"

namespace opweld::npu::kernels::rnn {

// Applies the activations to rows of an LSTM's gates, in place: i, f, g, o side by side.
void activate_lstm(at::Tensor& gates);

// What a direction of an LSTM computes; rows as in Steps, zero where a sequence has no step.
struct LstmDirection {
    at::Tensor gates;  // [time * batch, 4 * hidden] after their activations: i, f, g, o
    at::Tensor h;
    at::Tensor c;
    at::Tensor tanh_c;
    at::Tensor h_end;  // [batch, hidden] after each sequence's last step
    at::Tensor c_end;
};
LstmDirection run_lstm(const at::Tensor& x, const Weights& weights, const at::Tensor& h0,
                       const at::Tensor& c0, const Steps& steps);

// The gradients of the gates' sums from those of h and of c, by one step; grad_c becomes that of the c
// before.
at::Tensor lstm_gate_gradients(const at::Tensor& gates, const at::Tensor& tanh_c, const at::Tensor& c_before,
                               const at::Tensor& grad_h, at::Tensor& grad_c);

struct LstmDirectionGradients {
    at::Tensor gates;     // of the gates' sums: [time * batch, 4 * hidden]
    at::Tensor h_before;  // the states that the steps began with
    at::Tensor h0;
    at::Tensor c0;
};
// `kept` without h_end and c_end. grad_h and grad_c are those of the states after the last steps.
LstmDirectionGradients lstm_gradients(const LstmDirection& kept, const at::Tensor& hidden_weight,
                                      const at::Tensor& h0, const at::Tensor& c0,
                                      const at::Tensor& grad_output, const at::Tensor& grad_h,
                                      const at::Tensor& grad_c, const Steps& steps);

struct GruDirection {
    at::Tensor r;
    at::Tensor z;
    at::Tensor n;
    at::Tensor hidden_n;  // the hidden part of n, before it is multiplied by r
    at::Tensor h;
    at::Tensor h_end;
};
GruDirection run_gru(const at::Tensor& x, const Weights& weights, const at::Tensor& h0, const Steps& steps);

struct GruDirectionGradients {
    at::Tensor from_input;   // of the sums' parts from the input, [time * batch, 3 * hidden]
    at::Tensor from_hidden;  // of their parts from the state
    at::Tensor h_before;
    at::Tensor h0;
};
GruDirectionGradients gru_gradients(const GruDirection& kept, const at::Tensor& hidden_weight,
                                    const at::Tensor& h0, const at::Tensor& grad_output,
                                    const at::Tensor& grad_h, const Steps& steps);

}  // namespace opweld::npu::kernels::rnn
