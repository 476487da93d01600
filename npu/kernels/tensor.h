// Tensors over memory that somebody else owns.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "npu/runtime/interface.h"

namespace opweld::npu::kernels {

// The dtype of an OpweldDType number; throws AclException (161002) for one that ATen doesn't have.
OPWELD_EXPORT at::ScalarType scalar_type(int32_t dtype);

// A CPU tensor over memory that begins with the first element. It doesn't own the memory and can't be
// resized.
OPWELD_EXPORT at::Tensor borrow(void* first, at::ScalarType dtype, std::span<const int64_t> sizes,
                                std::span<const int64_t> strides);

// Whether both tensors have the same elements at the same places.
OPWELD_EXPORT bool same_view(const at::Tensor& a, const at::Tensor& b) noexcept;

// Stores a result whose size was not known in the first phase: unless out has its shape, the values go to the
// start of out's memory, and out takes their shape. Throws if they don't fit.
OPWELD_EXPORT void store(at::Tensor& out, const at::Tensor& result);

// Copies a result into an output of the same shape, converting its dtype.
OPWELD_EXPORT void assign(at::Tensor& out, const at::Tensor& result);

// Runs `kernel(input, output)` for a kernel that needs both in one dtype and the output contiguous: directly
// where that is so, else on copies.
template <class F>
void assign_like(at::Tensor& out, const at::Tensor& input, F&& kernel) {
    const at::Tensor same = input.scalar_type() == out.scalar_type() ? input : input.to(out.scalar_type());
    if (out.is_contiguous()) {
        kernel(same, out);
    } else {
        at::Tensor dense = out.contiguous();
        kernel(same, dense);
        assign(out, dense);
    }
}

// A number as a 0-d tensor that doesn't decide the dtype of a result: what PyTorch makes of a Python number.
OPWELD_EXPORT at::Tensor number(const at::Scalar& value);

}  // namespace opweld::npu::kernels
