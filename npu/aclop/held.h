// What an operator's work on the stream keeps of a call: its tensors and attributes.
#pragma once

#include <string>
#include <vector>

#include "npu/aclop/boundary.h"
#include "npu/aclop/call.h"
#include "npu/kernels/dense.h"

namespace opweld::npu::aclop {

// A tensor with its shape; no memory, if it is absent. Of a tensor in host memory there is a copy, since the
// caller keeps it only as long as the call.
struct Held {
    void* data = nullptr;
    size_t bytes = 0;
    int32_t dtype = 0;
    std::vector<int64_t> shape;
    std::vector<std::byte> copy;
};

// Throws for buffers that are too small or no device memory.
std::vector<Held> held(const Call& call, std::span<const aclTensorDesc* const> tensors,
                       std::span<const aclDataBuffer* const> buffers);

// As kernels take them, while the stream runs.
std::vector<kernels::DenseTensor> dense(std::vector<Held>& list);

// An attribute, or `otherwise`. Throws if it has another type.
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

void* kernel_symbol(const char* name);

// The function F of libopweld_kernels.so, which is always asked for by the same name. It needs PyTorch's
// libraries, which programs that never come here do without.
template <class F>
F kernel_function(const char* name) {
    static const auto kFunction = reinterpret_cast<F>(kernel_symbol(name));
    return kFunction;
}

}  // namespace opweld::npu::aclop
