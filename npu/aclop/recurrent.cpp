#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "npu/aclop/boundary.h"
#include "npu/aclop/call.h"
#include "npu/aclop/held.h"
#include "npu/kernels/nn/dynamic_rnn.h"

namespace opweld::npu::aclop {
namespace {

class Recurrent final : public Task {
  public:
    Recurrent(const char* op_type, kernels::RunDynamicRnn run, bool backwards)
        : op_type_(op_type), run_(run), backwards_(backwards) {}

    std::vector<Held> inputs;
    std::vector<Held> outputs;

    void run() override { run_(op_type_.c_str(), dense(inputs), dense(outputs), backwards_); }
    std::string_view name() const noexcept override { return op_type_; }
    int device() const noexcept override { return device_of(outputs.front().data); }

  private:
    std::string op_type_;
    kernels::RunDynamicRnn run_;
    bool backwards_;
};

// What torch_npu never asks for is refused.
void check_attributes(const Call& call) {
    const float keep = attribute(call, "keep_prob", 1.0F);
    const bool plain = attribute(call, "time_major", true) && !attribute(call, "use_peephole", false) &&
                       attribute(call, "reset_after", true) && std::fabs(keep) == 1.0F &&
                       attribute(call, "cell_clip", -1.0F) < 0 && attribute(call, "forget_bias", 0.0F) == 0 &&
                       attribute<int64_t>(call, "num_proj", 0) == 0 &&
                       attribute<std::string>(call, "activation", "tanh") == "tanh";
    constexpr std::array<std::string_view, 4> kOrders{"", "ifjo", "ifco", "rzh"};
    const std::string order = attribute<std::string>(call, "gate_order", "");
    if (!plain || std::ranges::find(kOrders, order) == kOrders.end()) {
        raise(kNotSupported,
              "the software NPU runs it with time first, gates in the order ifjo or rzh, and without "
              "peepholes, "
              "clipping, projection, dropout and forget bias only: {}",
              story(call));
    }
}

}  // namespace

void recurrent(const Call& call) {
    check_attributes(call);
    const std::string direction = attribute<std::string>(call, "direction", "UNIDIRECTIONAL");
    if (direction != "UNIDIRECTIONAL" && direction != "REDIRECTIONAL") {
        raise(kNotSupported, "direction is '{}', expected UNIDIRECTIONAL or REDIRECTIONAL", direction);
    }
    auto task = std::make_unique<Recurrent>(call.op_type,
                                            kernel_function<kernels::RunDynamicRnn>("opweld_run_dynamic_rnn"),
                                            direction == "REDIRECTIONAL");
    task->inputs = held(call, call.inputs, call.input_buffers);
    task->outputs = held(call, call.outputs, call.output_buffers);
    if (task->outputs.empty() || task->outputs.front().data == nullptr) {
        raise(kInvalidParam, "its first output is missing: {}", story(call));
    }
    if (const int code = enqueue(call.stream, std::move(task)); code != 0) {
        raise(code, "its stream does not take it");
    }
}

}  // namespace opweld::npu::aclop
