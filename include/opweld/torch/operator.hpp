// Calling operators through the dispatcher, and small pieces that generated registrations share.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/narrow.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/core/TensorOptions.h>

#include <cstdint>

namespace opweld::torch_support {

// The operator `name` ("npu::npu_abs"), to be kept; its signature is checked.
template <typename Signature>
c10::TypedOperatorHandle<Signature> find_operator(const char* name, const char* overload) {
    return c10::Dispatcher::singleton().findSchemaOrThrow(name, overload).typed<Signature>();
}

// Where an operator without a tensor argument goes: the device's own kernel.
inline c10::DispatchKeySet backend_keys(const at::Device& device) {
    return c10::DispatchKeySet(c10::computeDispatchKey(std::nullopt, std::nullopt, device));
}

// The part of a data-dependent output that the kernel used: `shape` is an int64 tensor that it wrote.
inline at::Tensor cut_to(const at::Tensor& output, const at::Tensor& shape) {
    const at::Tensor sizes = shape.cpu();
    at::Tensor result = output;
    for (int64_t dim = 0; dim < output.dim(); ++dim) {
        const int64_t used = sizes.data_ptr<int64_t>()[dim];
        TORCH_CHECK(used >= 0 && used <= output.size(dim), "the kernel used ", used, " of ", output.size(dim),
                    " places in dimension ", dim, " of its output");
        result = result.narrow(dim, 0, used);
    }
    return result.contiguous();
}

}  // namespace opweld::torch_support
