// Index tensors, checked before a kernel reads with them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

#include "npu/runtime/interface.h"

namespace opweld::npu::kernels {

// What indices may be counted from.
enum class Counted { from_front, from_both_ends };

// The indices as int64; expanded ones stay so. Throws AclException (361001) that names the argument, the
// first value outside [0, size) - or [-size, size) - and that range.
at::Tensor checked_index(std::string_view name, const at::Tensor& index, int64_t size,
                         Counted counted = Counted::from_front);

// What an expanded tensor repeats: a view of it with one element along each dimension without a stride.
OPWELD_EXPORT at::Tensor repeated_part(const at::Tensor& tensor);

// The size along a dimension; a 0-d tensor counts as one with one element.
int64_t size_along(const at::Tensor& tensor, int64_t dim);

}  // namespace opweld::npu::kernels
