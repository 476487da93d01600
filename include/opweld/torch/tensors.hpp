// The tensors in an operator's arguments, of whichever kind: one, an optional one, a list, a list of optional
// ones.
#pragma once

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

namespace opweld::torch_support {

// Calls visit(tensor) for each; an absent one is an undefined tensor.
template <typename Visit>
void for_each_tensor(const at::Tensor& tensor, const Visit& visit) {
    visit(tensor);
}
template <typename Visit>
void for_each_tensor(const std::optional<at::Tensor>& tensor, const Visit& visit) {
    visit(tensor.has_value() ? *tensor : at::Tensor());
}
template <typename Visit>
void for_each_tensor(at::TensorList tensors, const Visit& visit) {
    for (const at::Tensor& tensor : tensors) {
        visit(tensor);
    }
}
template <typename Visit>
void for_each_tensor(const std::vector<at::Tensor>& tensors, const Visit& visit) {
    for_each_tensor(at::TensorList(tensors), visit);
}
template <typename Visit>
void for_each_tensor(const std::optional<std::vector<at::Tensor>>& tensors, const Visit& visit) {
    if (tensors.has_value()) {
        for_each_tensor(at::TensorList(*tensors), visit);
    }
}
template <typename Visit>
void for_each_tensor(const c10::List<std::optional<at::Tensor>>& tensors, const Visit& visit) {
    for (const std::optional<at::Tensor>& tensor : tensors) {
        for_each_tensor(tensor, visit);
    }
}
// Arguments that hold no tensor.
template <typename Other, typename Visit>
void for_each_tensor(const Other& /*other*/, const Visit& /*visit*/) {}

}  // namespace opweld::torch_support
