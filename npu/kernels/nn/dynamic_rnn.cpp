#include "npu/kernels/nn/dynamic_rnn.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "npu/kernels/nn/rnn_direction.h"
#include "npu/kernels/scope.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

using namespace rnn;

constexpr int kDeviceException = 507015;  // what a failing kernel gives on the device

using Tensors = std::vector<std::optional<at::Tensor>>;

at::Tensor wrap(const DenseTensor& tensor) {
    std::vector<int64_t> strides(tensor.shape.size(), 1);
    for (size_t i = strides.size(); i-- > 1;) {
        strides[i - 1] = strides[i] * tensor.shape[i];
    }
    return borrow(tensor.data, scalar_type(tensor.dtype), tensor.shape, strides);
}

Tensors wrap(std::span<const DenseTensor> tensors) {
    Tensors result;
    for (const DenseTensor& tensor : tensors) {
        result.push_back(tensor.data == nullptr ? std::nullopt : std::optional(wrap(tensor)));
    }
    return result;
}

// The arguments of a call; both throw for one that isn't there.
class Arguments {
  public:
    Arguments(Tensors inputs, Tensors outputs, bool backwards)
        : inputs_(std::move(inputs)), outputs_(std::move(outputs)), backwards_(backwards) {}

    bool backwards() const noexcept { return backwards_; }
    const std::optional<at::Tensor>& optional_input(size_t i) const { return inputs_.at(i); }
    const at::Tensor& input(size_t i) const { return present(inputs_, i, "input"); }
    at::Tensor wide(size_t i) const { return input(i).to(compute_dtype(input(0))); }
    // A tensor of steps or states as rows.
    at::Tensor rows(size_t i) const { return wide(i).reshape({-1, input(i).size(-1)}); }
    void set(size_t i, const at::Tensor& value) const {
        at::Tensor out = present(outputs_, i, "output");
        if (out.numel() != value.numel()) {
            throw AclException(
                161002, fmt::format("output {} has {} elements, expected {}", i, out.numel(), value.numel()));
        }
        assign(out, value.reshape(out.sizes()));
    }

  private:
    static const at::Tensor& present(const Tensors& tensors, size_t i, const char* what) {
        if (i >= tensors.size() || !tensors[i].has_value()) {
            throw AclException(161002, fmt::format("{} {} is missing", what, i));
        }
        return *tensors[i];
    }

    Tensors inputs_;
    Tensors outputs_;
    bool backwards_;
};

void require(bool holds, const char* what) {
    if (!holds) {
        throw AclException(161002, what);
    }
}

std::vector<int64_t> counts_of(const std::optional<at::Tensor>& mask, int64_t times, int64_t batch) {
    std::vector<int64_t> counts(static_cast<size_t>(times), batch);
    if (!mask.has_value() || mask->dim() != 3) {
        return counts;
    }
    require(mask->size(0) == times && mask->size(1) == batch, "the mask's shape isn't that of the steps");
    const at::Tensor steps = mask->select(2, 0).to(at::kBool).to(at::kLong);
    for (int64_t time = 0; time < times; ++time) {
        const int64_t count = steps[time].sum().item<int64_t>();
        require(steps[time].narrow(0, 0, count).sum().item<int64_t>() == count,
                "the mask must be set for the first sequences at each time");
        counts[static_cast<size_t>(time)] = count;
    }
    require(std::ranges::is_sorted(counts.rbegin(), counts.rend()), "the mask must not rise with time");
    return counts;
}

Steps steps_of(const Arguments& a, size_t mask) {
    const at::Tensor& x = a.input(0);
    require(x.dim() == 2 || x.dim() == 3,
            "the input must be [time, batch, features], or without time for one step");
    const int64_t times = x.dim() == 3 ? x.size(0) : 1;
    const int64_t batch = x.size(-2);
    return {counts_of(a.optional_input(mask), times, batch), batch, a.backwards()};
}

// The states at every time: those of steps, and where a sequence has none, the one that it has then.
at::Tensor with_pauses(const at::Tensor& states, const at::Tensor& pause, const Steps& steps) {
    at::Tensor result = states.clone();
    for (int64_t time = 0; time < steps.times(); ++time) {
        const int64_t count = steps.count(time);
        const int64_t rest = steps.batch() - count;
        result.narrow(0, time * steps.batch() + count, rest).copy_(pause.narrow(0, count, rest));
    }
    return result;
}

Weights transposed(const at::Tensor& input, const at::Tensor& hidden, const at::Tensor& bias) {
    return {.input = input.t().contiguous(),
            .hidden = hidden.t().contiguous(),
            .input_bias = bias,
            .hidden_bias = {}};
}

// DynamicRNN's weights of input and state, one below the other.
Weights split_weights(const Arguments& a) {
    const at::Tensor both = a.wide(1);
    const int64_t features = a.input(0).size(-1);
    require(both.dim() == 2 && both.size(0) > features, "the weight must be [features + hidden, 4 * hidden]");
    return transposed(both.narrow(0, 0, features), both.narrow(0, features, both.size(0) - features),
                      a.optional_input(2).has_value() ? a.wide(2) : at::Tensor());
}

Weights two_weights(const Arguments& a, bool bias) {
    return transposed(a.wide(1), a.wide(2),
                      bias && a.optional_input(3).has_value() ? a.wide(3) : at::Tensor());
}

void lstm_forward(const Arguments& a, const Weights& weights, const Steps& steps, size_t h0, size_t c0) {
    const at::Tensor h = a.rows(h0);
    const at::Tensor c = a.rows(c0);
    const LstmDirection d = run_lstm(a.rows(0), weights, h, c, steps);
    const int64_t hidden = d.h.size(1);
    const auto gate = [&](int64_t i) { return d.gates.narrow(1, i * hidden, hidden); };
    a.set(0, d.h);
    a.set(1, with_pauses(d.h, a.backwards() ? h : d.h_end, steps));
    a.set(2, with_pauses(d.c, a.backwards() ? c : d.c_end, steps));
    a.set(3, gate(0));
    a.set(4, gate(2));
    a.set(5, gate(1));
    a.set(6, gate(3));
    a.set(7, d.tanh_c);
}

struct LstmSteps {
    LstmDirectionGradients gradients;
    at::Tensor input;         // of the input
    at::Tensor input_weight;  // [features, 4 * hidden]
    at::Tensor hidden_weight;
};

// Inputs from `first` on: initial h and c, h and c of the steps, the gradients of the output and of the last
// h and c, and i, j, f, o and tanh(c).
LstmSteps lstm_backward_steps(const Arguments& a, const Weights& weights, const Steps& steps, size_t first) {
    const auto rows = [&](size_t i) { return a.rows(first + i); };
    const LstmDirection kept{.gates = at::cat({rows(7), rows(9), rows(8), rows(10)}, 1),
                             .h = rows(2),
                             .c = rows(3),
                             .tanh_c = rows(11),
                             .h_end = {},
                             .c_end = {}};
    LstmSteps result{
        .gradients = lstm_gradients(kept, weights.hidden, rows(0), rows(1), rows(4), rows(5), rows(6), steps),
        .input = {},
        .input_weight = {},
        .hidden_weight = {}};
    result.input = at::mm(result.gradients.gates, weights.input);
    result.input_weight = at::mm(a.rows(0).t(), result.gradients.gates);
    result.hidden_weight = at::mm(result.gradients.h_before.t(), result.gradients.gates);
    return result;
}

void dynamic_rnn(const Arguments& a) { lstm_forward(a, split_weights(a), steps_of(a, 3), 4, 5); }

void dynamic_rnn_v2(const Arguments& a) { lstm_forward(a, two_weights(a, true), steps_of(a, 4), 5, 6); }

void dynamic_rnn_grad(const Arguments& a) {
    const LstmSteps g = lstm_backward_steps(a, split_weights(a), steps_of(a, 16), 4);
    a.set(0, at::cat({g.input_weight, g.hidden_weight}, 0));
    a.set(1, g.gradients.gates.sum(0));
    a.set(2, g.input);
    a.set(3, g.gradients.h0);
    a.set(4, g.gradients.c0);
}

void dynamic_rnn_v2_grad(const Arguments& a) {
    const LstmSteps g = lstm_backward_steps(a, two_weights(a, false), steps_of(a, 16), 4);
    a.set(0, g.input_weight);
    a.set(1, g.hidden_weight);
    a.set(2, g.gradients.gates.sum(0));
    a.set(3, g.input);
    a.set(4, g.gradients.h0);
    a.set(5, g.gradients.c0);
}

void dynamic_gru_v2(const Arguments& a) {
    Weights weights = two_weights(a, true);
    if (a.optional_input(4).has_value()) {
        weights.hidden_bias = a.wide(4);
    }
    const Steps steps = steps_of(a, 5);
    const at::Tensor h0 = a.rows(6);
    const GruDirection d = run_gru(a.rows(0), weights, h0, steps);
    a.set(0, d.h);
    a.set(1, with_pauses(d.h, a.backwards() ? h0 : d.h_end, steps));
    a.set(2, d.z);
    a.set(3, d.r);
    a.set(4, d.n);
    a.set(5, d.hidden_n);
}

void dynamic_gru_v2_grad(const Arguments& a) {
    const Weights weights = two_weights(a, false);
    const GruDirection kept{
        .r = a.rows(9), .z = a.rows(8), .n = a.rows(10), .hidden_n = a.rows(11), .h = a.rows(5), .h_end = {}};
    const GruDirectionGradients g =
        gru_gradients(kept, weights.hidden, a.rows(4), a.rows(6), a.rows(7), steps_of(a, 12));
    a.set(0, at::mm(a.rows(0).t(), g.from_input));
    a.set(1, at::mm(g.h_before.t(), g.from_hidden));
    a.set(2, g.from_input.sum(0));
    a.set(3, g.from_hidden.sum(0));
    a.set(4, at::mm(g.from_input, weights.input));
    a.set(5, g.h0);
}

struct Known {
    std::string_view name;
    size_t inputs;
    size_t outputs;
    void (*run)(const Arguments&);
};
constexpr std::array kKnown{
    Known{"DynamicRNN", 6, 8, dynamic_rnn},      Known{"DynamicRNNGrad", 17, 5, dynamic_rnn_grad},
    Known{"DynamicRNNV2", 7, 8, dynamic_rnn_v2}, Known{"DynamicRNNV2Grad", 17, 6, dynamic_rnn_v2_grad},
    Known{"DynamicGRUV2", 7, 6, dynamic_gru_v2}, Known{"DynamicGRUV2Grad", 13, 6, dynamic_gru_v2_grad}};

}  // namespace
}  // namespace opweld::npu::kernels

extern "C" void opweld_run_dynamic_rnn(const char* op_type,
                                       std::span<const opweld::npu::kernels::DenseTensor> inputs,
                                       std::span<const opweld::npu::kernels::DenseTensor> outputs,
                                       bool backwards) {
    using namespace opweld::npu::kernels;
    for (const Known& known : kKnown) {
        if (known.name != op_type) {
            continue;
        }
        if (inputs.size() < known.inputs || outputs.size() != known.outputs) {
            throw opweld::npu::AclException(
                161002, fmt::format("it has {} inputs and {} outputs, expected {} or more and {}",
                                    inputs.size(), outputs.size(), known.inputs, known.outputs));
        }
        const KernelScope scope;
        try {
            known.run(Arguments(wrap(inputs), wrap(outputs), backwards));
        } catch (const opweld::npu::AclException& error) {
            throw opweld::npu::AclException(kDeviceException, error.what());
        } catch (const c10::Error& error) {
            throw opweld::npu::AclException(kDeviceException, error.what_without_backtrace());
        }
        return;
    }
    throw opweld::npu::AclException(161002,
                                    fmt::format("there is no recurrent operator of type {}", op_type));
}
