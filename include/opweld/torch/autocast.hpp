// Casting of inputs under torch.autocast. The functions are torch's; its own header brings all of ATen with
// it.
#pragma once

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DeviceType.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <optional>
#include <vector>

#include "opweld/torch/tensors.hpp"

namespace at::autocast {
TORCH_API at::ScalarType get_autocast_dtype(at::DeviceType device_type);
TORCH_API Tensor cached_cast(at::ScalarType to_type, const Tensor& arg, c10::DeviceType device_type);
}  // namespace at::autocast

namespace opweld::torch_support {

// Casts floating inputs of one device type (not float64, as PyTorch does it) to one type.
class AutocastTo {
  public:
    AutocastTo(at::ScalarType type, c10::DeviceType device) : type_(type), device_(device) {}

    at::Tensor operator()(const at::Tensor& tensor) const {
        return tensor.defined() ? at::autocast::cached_cast(type_, tensor, device_) : tensor;
    }
    std::optional<at::Tensor> operator()(const std::optional<at::Tensor>& tensor) const {
        return tensor.has_value() ? std::optional<at::Tensor>((*this)(*tensor)) : std::nullopt;
    }
    std::vector<at::Tensor> operator()(at::TensorList tensors) const {
        std::vector<at::Tensor> result;
        result.reserve(tensors.size());
        for (const at::Tensor& tensor : tensors) {
            result.push_back((*this)(tensor));
        }
        return result;
    }
    std::optional<std::vector<at::Tensor>> operator()(
        const std::optional<std::vector<at::Tensor>>& tensors) const {
        return tensors.has_value() ? std::optional<std::vector<at::Tensor>>((*this)(at::TensorList(*tensors)))
                                   : std::nullopt;
    }
    c10::List<std::optional<at::Tensor>> operator()(
        const c10::List<std::optional<at::Tensor>>& tensors) const {
        c10::List<std::optional<at::Tensor>> result;
        result.reserve(tensors.size());
        for (const std::optional<at::Tensor>& tensor : tensors) {
            result.push_back((*this)(tensor));
        }
        return result;
    }

  private:
    at::ScalarType type_;
    c10::DeviceType device_;
};

// The widest floating type that goes in: float32 where two different ones meet; `other` where there is none.
template <typename... Inputs>
at::ScalarType widest_type(at::ScalarType other, const Inputs&... inputs) {
    std::optional<at::ScalarType> type;
    (for_each_tensor(inputs,
                     [&](const at::Tensor& tensor) {
                         if (tensor.defined() && tensor.is_floating_point() &&
                             tensor.scalar_type() != at::kDouble) {
                             type = !type.has_value() || *type == tensor.scalar_type() ? tensor.scalar_type()
                                                                                       : at::kFloat;
                         }
                     }),
     ...);
    return type.value_or(other);
}

// What a call below autocast leaves out.
constexpr c10::DispatchKeySet autocast_keys(c10::DeviceType device) {
    return c10::DispatchKeySet(device == c10::DeviceType::CPU ? c10::DispatchKey::AutocastCPU
                                                              : c10::DispatchKey::AutocastPrivateUse1);
}

}  // namespace opweld::torch_support
