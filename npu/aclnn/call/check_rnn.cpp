#include "npu/aclnn/call/check_rnn.h"

#include <fmt/format.h>

namespace opweld::npu::aclnn::check {
namespace {

int64_t hidden_size(const Operands& params) { return params[1].size(1); }

}  // namespace

void recurrent(int64_t gates, const Operand& input, const Operands& params, const Recurrence& recurrence) {
    at_least("numLayers", static_cast<double>(recurrence.layers), 1);
    const size_t each = recurrence.has_biases ? 4 : 2;
    if (params.size() != each * recurrence.directions()) {
        invalid(fmt::format("list '{}' has {} tensors, expected {}: {} for each of {} layers and directions",
                            params.name(), params.size(), each * recurrence.directions(), each,
                            recurrence.directions()));
    }
    has_rank(input, 2, 3);
    has_rank(params[1], 2, 2);
    const int64_t hidden = hidden_size(params);
    const int64_t directions = recurrence.bidirectional ? 2 : 1;
    for (size_t i = 0; i < recurrence.directions(); ++i) {
        const bool first = i < static_cast<size_t>(directions);
        const int64_t width = first ? input.size(input.rank() - 1) : directions * hidden;
        has_shape(params[each * i], Shape{gates * hidden, width}, "the weight of a layer's input");
        has_shape(params[each * i + 1], Shape{gates * hidden, hidden}, "the weight of a layer's state");
        for (size_t bias = 2; bias < each; ++bias) {
            has_shape(params[each * i + bias], Shape{gates * hidden}, "a bias of a layer");
        }
    }
}

void states(const Operands& list, size_t count, const Operand& model) {
    if (list.size() != count) {
        invalid(fmt::format("list '{}' has {} tensors, expected {}", list.name(), list.size(), count));
    }
    for (size_t i = 0; i < count; ++i) {
        same_shape(model, list[i]);
    }
}

void states_of(const Operands& params, const Recurrence& recurrence, std::initializer_list<Operand> tensors) {
    const Operand& model = *tensors.begin();
    has_rank(model, 3, 3);
    const Shape shape{static_cast<int64_t>(recurrence.directions()), model.size(1), hidden_size(params)};
    for (const Operand& tensor : tensors) {
        has_shape(tensor, shape, "[layers * directions, batch, hidden]");
    }
}

void sequences(const Operands& params, const Recurrence& recurrence, const Operand& input,
               const Operand& output) {
    has_rank(output, 2, 3);
    const int64_t width = hidden_size(params) * (recurrence.bidirectional ? 2 : 1);
    const int64_t input_width = input.size(input.rank() - 1);
    if (output.size(output.rank() - 1) != width ||
        output.elements() * input_width != input.elements() * width) {
        invalid(fmt::format("argument '{}' has shape {}, expected the steps of '{}' {} with {} features",
                            output.name(), text(output.shape()), input.name(), text(input.shape()), width));
    }
}

void kept(const Operands& params, const Recurrence& recurrence, std::initializer_list<Operands> lists) {
    for (const Operands& list : lists) {
        if (list.size() != recurrence.directions()) {
            invalid(fmt::format("list '{}' has {} tensors, expected {}, one for each layer and direction",
                                list.name(), list.size(), recurrence.directions()));
        }
        for (size_t i = 0; i < list.size(); ++i) {
            has_rank(list[i], 2, 3);
            same_shape((*lists.begin())[0], list[i]);
            if (list[i].size(list[i].rank() - 1) != hidden_size(params)) {
                invalid(fmt::format("item {} of '{}' has shape {}, expected {} last", i, list.name(),
                                    text(list[i].shape()), hidden_size(params)));
            }
        }
    }
}

void cell_gates(const Operand& cx, std::initializer_list<Operand> gates,
                std::initializer_list<Operand> biases) {
    for (const Operand& gate : gates) {
        has_shape(gate, Shape{cx.size(0), 4 * cx.size(1)}, "four gates for each element of the state");
    }
    for (const Operand& bias : biases) {
        has_shape(bias, Shape{4 * cx.size(1)}, "four gates for each element of the state");
    }
}

}  // namespace opweld::npu::aclnn::check
