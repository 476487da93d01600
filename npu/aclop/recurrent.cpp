#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "npu/aclop/boundary.h"
#include "npu/aclop/call.h"
#include "npu/kernels/nn/dynamic_rnn.h"

namespace opweld::npu::aclop {
namespace {

using kernels::DenseTensor;

// The kernels need PyTorch's libraries, which programs that never come here do without.
kernels::RunDynamicRnn kernel() {
    static const auto kRun = [] {
        void* library = dlopen("libopweld_kernels.so", RTLD_NOW);
        return library == nullptr
                   ? nullptr
                   : reinterpret_cast<kernels::RunDynamicRnn>(dlsym(library, "opweld_run_dynamic_rnn"));
    }();
    if (kRun == nullptr) {
        raise(kNotSupported, "libopweld_kernels.so is not to be loaded: {}", dlerror());
    }
    return kRun;
}

// A tensor with its shape; no memory, if it is absent.
struct Held {
    void* data = nullptr;
    size_t bytes = 0;
    int32_t dtype = 0;
    std::vector<int64_t> shape;
};

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
    static std::vector<DenseTensor> dense(const std::vector<Held>& list) {
        std::vector<DenseTensor> result;
        for (const Held& held : list) {
            void* data = held.data == nullptr ? nullptr : host_address(held.data, held.bytes);
            result.push_back({data, held.dtype, held.shape});
        }
        return result;
    }

    std::string op_type_;
    kernels::RunDynamicRnn run_;
    bool backwards_;
};

std::vector<Held> held(const Call& call, std::span<const aclTensorDesc* const> tensors,
                       std::span<const aclDataBuffer* const> buffers) {
    if (tensors.size() != buffers.size()) {
        raise(kInvalidParam, "it has {} tensors and {} buffers: {}", tensors.size(), buffers.size(),
              story(call));
    }
    std::vector<Held> result;
    for (size_t i = 0; i < tensors.size(); ++i) {
        const aclTensorDesc& tensor = required(tensors[i], "tensor description");
        Held& item = result.emplace_back();
        if (tensor.dtype < 0 || buffers[i] == nullptr || buffers[i]->data == nullptr) {
            continue;
        }
        item = {buffers[i]->data, byte_size(tensor), tensor.dtype, tensor.shape};
        if (buffers[i]->size < item.bytes) {
            raise(kInvalidParam, "a buffer has {} bytes, its tensor {} needs {}", buffers[i]->size,
                  describe(tensor), item.bytes);
        }
        host_address(item.data, item.bytes);
    }
    return result;
}

template <class T>
T attribute(const Call& call, const char* name, T otherwise) {
    if (call.attributes == nullptr) {
        return otherwise;
    }
    const auto found = call.attributes->values.find(name);
    if (found == call.attributes->values.end()) {
        return otherwise;
    }
    const T* value = std::get_if<T>(&found->second);
    if (value == nullptr) {
        raise(kInvalidParam, "attribute '{}' has another type than expected: {}", name, story(call));
    }
    return *value;
}

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
    auto task = std::make_unique<Recurrent>(call.op_type, kernel(), direction == "REDIRECTIONAL");
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
