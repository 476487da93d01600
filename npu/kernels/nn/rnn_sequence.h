// Steps of a batch of sequences: what LSTM and GRU have in common.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "npu/kernels/nn/rnn.h"

namespace opweld::npu::kernels::rnn {

// The order of a direction's steps and the rows that each has. Rows of [time * batch, features] tensors: step
// t has rows t * batch up to t * batch + count(t).
class Steps {
  public:
    Steps(std::vector<int64_t> counts, int64_t batch, bool backwards);

    int64_t times() const noexcept { return static_cast<int64_t>(counts_.size()); }
    int64_t batch() const noexcept { return batch_; }
    // The time of the step that is `number`-th in the direction's order.
    int64_t time(int64_t number) const noexcept { return backwards_ ? times() - 1 - number : number; }
    int64_t count(int64_t time) const noexcept { return counts_[static_cast<size_t>(time)]; }
    at::Tensor rows(const at::Tensor& flat, int64_t time) const;
    // The state before the step: from the direction's step before, or from the start for new rows.
    at::Tensor before(const at::Tensor& flat, const at::Tensor& start, int64_t number) const;

  private:
    std::vector<int64_t> counts_;
    int64_t batch_;
    bool backwards_;
};

// The shape of a call's sequences.
struct Extent {
    int64_t times;
    int64_t batch;
    std::vector<int64_t> counts;
};

// Throws AclException (361001) for batch sizes that rise or don't fit the input.
Extent extent(const at::Tensor& input, const std::optional<at::Tensor>& batch_sizes, bool batch_first);

// A direction's weights, in the dtype that is computed in; undefined biases where there are none.
struct Weights {
    at::Tensor input;
    at::Tensor hidden;
    at::Tensor input_bias;
    at::Tensor hidden_bias;
};
Weights weights(const std::vector<at::Tensor>& params, bool has_biases, int64_t place, at::ScalarType dtype);

// x @ w^T + b, for rows of x.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

// The dtype that is computed in: float32, or float64 for float64.
at::ScalarType compute_dtype(const at::Tensor& tensor);

// [time * batch, features] with time first, from either layout, and back.
at::Tensor flattened(const at::Tensor& sequences, const Extent& extent, bool batch_first,
                     at::ScalarType dtype);
void store_sequences(at::Tensor& out, const at::Tensor& flat, const Extent& extent, bool batch_first);

// Throws AclException (161002) unless lists and options agree.
void require_lists(const std::vector<at::Tensor>& params, const Kept& kept, const RnnOptions& options);

// What the forward pass fills: nothing where it doesn't train; the caller's lists are placeholders then.
const Kept& kept_in_training(const Kept& kept, const RnnOptions& options);

// Keeps a direction's tensor for the gradient, if the list is there; and reads it again.
void keep(const Kept& kept, size_t what, size_t place, const at::Tensor& flat);
at::Tensor kept_rows(const Kept& kept, size_t what, size_t place, at::ScalarType dtype);

// What a layer gave to the next one: the kept hidden states of its directions, side by side.
at::Tensor outputs_of(int64_t layer, const Kept& kept, size_t hidden, int64_t directions,
                      at::ScalarType dtype);

}  // namespace opweld::npu::kernels::rnn
