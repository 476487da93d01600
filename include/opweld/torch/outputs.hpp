// Making outputs: what the generated outputs.hpp calls.
#pragma once

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/SymBool.h>
#include <c10/core/SymInt.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "opweld/torch/tensors.hpp"

namespace opweld::torch_support {

// The device of the first tensor that is there; CPU if none is.
template <typename... Inputs>
at::Device device_of(const Inputs&... inputs) {
    std::optional<at::Device> device;
    (for_each_tensor(inputs,
                     [&](const at::Tensor& tensor) {
                         if (tensor.defined() && !device.has_value()) {
                             device = tensor.device();
                         }
                     }),
     ...);
    return device.value_or(at::Device(at::kCPU));
}

// Formats other than the contiguous one are made by their strides: the NPU's own empty() takes no format.
inline at::Tensor empty(c10::SymIntArrayRef shape, const at::TensorOptions& options,
                        std::optional<at::MemoryFormat> format = std::nullopt) {
    if (format == at::MemoryFormat::ChannelsLast) {
        return at::empty_strided_symint(shape, c10::get_channels_last_strides_2d(shape), options);
    }
    if (format == at::MemoryFormat::ChannelsLast3d) {
        return at::empty_strided_symint(shape, c10::get_channels_last_strides_3d(shape), options);
    }
    return at::empty_symint(shape, options);
}
inline at::Tensor empty(at::IntArrayRef shape, const at::TensorOptions& options,
                        std::optional<at::MemoryFormat> format = std::nullopt) {
    return empty(c10::fromIntArrayRefSlow(shape), options, format);
}

inline c10::SymIntArrayRef as_sizes(const std::vector<c10::SymInt>& sizes) { return sizes; }
inline c10::SymIntArrayRef as_sizes(c10::SymIntArrayRef sizes) { return sizes; }
inline c10::SymIntArrayRef as_sizes(at::IntArrayRef sizes) { return c10::fromIntArrayRefSlow(sizes); }

template <typename Shape, typename Strides>
at::Tensor empty_strided(const Shape& shape, const Strides& strides, const at::TensorOptions& options) {
    return at::empty_strided_symint(as_sizes(shape), as_sizes(strides), options);
}

// The format to allocate in, for an attribute of type MemoryFormat.
inline std::optional<at::MemoryFormat> allocation_format(std::optional<at::MemoryFormat> format) {
    return format == at::MemoryFormat::Preserve ? std::nullopt : format;
}

inline int64_t concrete(int64_t value) { return value; }
inline int64_t concrete(const c10::SymInt& value) { return value.guard_int(__FILE__, __LINE__); }
inline bool concrete(bool value) { return value; }
inline bool concrete(const c10::SymBool& value) { return value.guard_bool(__FILE__, __LINE__); }

}  // namespace opweld::torch_support
