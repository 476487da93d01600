#include "npu/aclop/held.h"

#include <dlfcn.h>

namespace opweld::npu::aclop {

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
        item = {buffers[i]->data, byte_size(tensor), tensor.dtype, tensor.shape, {}};
        if (buffers[i]->size < item.bytes) {
            raise(kInvalidParam, "a buffer has {} bytes, its tensor {} needs {}", buffers[i]->size,
                  describe(tensor), item.bytes);
        }
        if (tensor.placement == kDevice) {
            host_address(item.data, item.bytes);
        } else {
            const auto* first = static_cast<const std::byte*>(item.data);
            item.copy.assign(first, first + item.bytes);
        }
    }
    return result;
}

std::vector<kernels::DenseTensor> dense(std::vector<Held>& list) {
    std::vector<kernels::DenseTensor> result;
    for (Held& item : list) {
        void* data = item.copy.empty() ? item.data : item.copy.data();
        if (data != nullptr && item.copy.empty()) {
            data = host_address(data, item.bytes);
        }
        result.push_back({data, item.dtype, item.shape});
    }
    return result;
}

void* kernel_symbol(const char* name) {
    void* library = dlopen("libopweld_kernels.so", RTLD_NOW);
    void* symbol = library == nullptr ? nullptr : dlsym(library, name);
    if (symbol == nullptr) {
        raise(kNotSupported, "{} of libopweld_kernels.so is not to be loaded: {}", name, dlerror());
    }
    return symbol;
}

}  // namespace opweld::npu::aclop
