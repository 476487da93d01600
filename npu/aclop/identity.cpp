#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "npu/aclop/boundary.h"
#include "npu/aclop/call.h"

namespace opweld::npu::aclop {
namespace {

class Copy final : public Task {
  public:
    Copy(void* target, const void* source, size_t bytes) : target_(target), source_(source), bytes_(bytes) {}
    void run() override {
        std::memmove(host_address(target_, bytes_), host_address(source_, bytes_), bytes_);
    }
    std::string_view name() const noexcept override { return "Identity"; }
    int device() const noexcept override { return device_of(target_); }

  private:
    void* target_;
    const void* source_;
    size_t bytes_;
};

// Whether elements lie in the order of the dimensions, and these mean the same.
bool alike(int format, int other) noexcept {
    constexpr std::array kOrdered{-1, 0, 2, 30, 47};  // undefined NCHW ND NCDHW NCL
    constexpr std::array kChannelsLast{1, 27};        // NHWC NDHWC
    const auto holds = [](const auto& list, int value) {
        return std::find(list.begin(), list.end(), value) != list.end();
    };
    return (holds(kOrdered, format) && holds(kOrdered, other)) ||
           (holds(kChannelsLast, format) && format == other);
}

void check(const Call& call, const aclTensorDesc& input, const aclTensorDesc& output) {
    if (!alike(input.format, output.format)) {
        raise(kNotSupported,
              "a cast from format {} to format {} (aclFormat) changes the order of elements, which the "
              "software NPU does not implement: {}; leave out npu_format_cast, or set "
              "torch.npu.config.allow_internal_format = False",
              input.format, output.format, story(call));
    }
    if (input.dtype != output.dtype || byte_size(input) != byte_size(output)) {
        raise(kInvalidParam, "input and output must have one dtype and as many elements: {}", story(call));
    }
}

void* memory(const aclDataBuffer* buffer, size_t bytes, std::string_view which) {
    const aclDataBuffer& known = required(buffer, which);
    if (known.size < bytes) {
        raise(kInvalidParam, "the buffer of the {} has {} bytes, the tensor needs {}", which, known.size,
              bytes);
    }
    host_address(known.data, bytes);
    return known.data;
}

}  // namespace

void identity(const Call& call) {
    if (call.inputs.size() != 1 || call.outputs.size() != 1 || call.input_buffers.size() != 1 ||
        call.output_buffers.size() != 1) {
        raise(kInvalidParam, "it takes one input and one output with their buffers: {}", story(call));
    }
    const aclTensorDesc& input = required(call.inputs[0], "inputDesc[0]");
    const aclTensorDesc& output = required(call.outputs[0], "outputDesc[0]");
    check(call, input, output);
    const size_t bytes = byte_size(input);
    if (bytes == 0) {
        return;
    }
    void* source = memory(call.input_buffers[0], bytes, "input");
    void* target = memory(call.output_buffers[0], bytes, "output");
    if (const int code = enqueue(call.stream, std::make_unique<Copy>(target, source, bytes)); code != 0) {
        raise(code, "its stream does not take it");
    }
}

}  // namespace opweld::npu::aclop
