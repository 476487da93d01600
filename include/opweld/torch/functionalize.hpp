// Functionalization of operators that write into their inputs.
#pragma once

#include <ATen/FunctionalTensorWrapper.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/clone.h>

#include <optional>
#include <vector>

#include "opweld/torch/tensors.hpp"

namespace opweld::torch_support {

namespace functional = at::functionalization::impl;

// The tensor inside a functional one, brought up to date.
inline at::Tensor functional_value(const at::Tensor& tensor) {
    if (!tensor.defined() || !functional::isFunctionalTensor(tensor)) {
        return tensor;
    }
    functional::sync(tensor);
    return functional::from_functional_tensor(tensor);
}
inline std::optional<at::Tensor> functional_value(const std::optional<at::Tensor>& tensor) {
    return tensor.has_value() ? std::optional<at::Tensor>(functional_value(*tensor)) : std::nullopt;
}
inline std::vector<at::Tensor> functional_value(at::TensorList tensors) {
    std::vector<at::Tensor> values;
    for (const at::Tensor& tensor : tensors) {
        values.push_back(functional_value(tensor));
    }
    return values;
}
inline std::optional<std::vector<at::Tensor>> functional_value(
    const std::optional<std::vector<at::Tensor>>& tensors) {
    return tensors.has_value()
               ? std::optional<std::vector<at::Tensor>>(functional_value(at::TensorList(*tensors)))
               : std::nullopt;
}
inline c10::List<std::optional<at::Tensor>> functional_value(
    const c10::List<std::optional<at::Tensor>>& tensors) {
    c10::List<std::optional<at::Tensor>> values;
    for (const std::optional<at::Tensor>& tensor : tensors) {
        values.push_back(functional_value(tensor));
    }
    return values;
}

// Copies to write into; at::TensorList comes as a view.
inline at::Tensor copy_of(const at::Tensor& tensor) { return tensor.defined() ? tensor.clone() : tensor; }
inline std::optional<at::Tensor> copy_of(const std::optional<at::Tensor>& tensor) {
    return tensor.has_value() ? std::optional<at::Tensor>(copy_of(*tensor)) : std::nullopt;
}
inline std::vector<at::Tensor> copy_of(at::TensorList tensors) {
    std::vector<at::Tensor> copies;
    for (const at::Tensor& tensor : tensors) {
        copies.push_back(copy_of(tensor));
    }
    return copies;
}
inline std::optional<std::vector<at::Tensor>> copy_of(const std::optional<std::vector<at::Tensor>>& tensors) {
    return tensors.has_value() ? std::optional<std::vector<at::Tensor>>(copy_of(at::TensorList(*tensors)))
                               : std::nullopt;
}
inline c10::List<std::optional<at::Tensor>> copy_of(const c10::List<std::optional<at::Tensor>>& tensors) {
    c10::List<std::optional<at::Tensor>> copies;
    for (const std::optional<at::Tensor>& tensor : tensors) {
        copies.push_back(copy_of(tensor));
    }
    return copies;
}

// A copy as the result of the operator without mutation.
inline at::Tensor as_result(const at::Tensor& tensor) { return tensor; }
inline at::Tensor as_result(const std::optional<at::Tensor>& tensor) { return tensor.value_or(at::Tensor()); }
inline std::vector<at::Tensor> as_result(const std::vector<at::Tensor>& tensors) { return tensors; }
inline std::vector<at::Tensor> as_result(const std::optional<std::vector<at::Tensor>>& tensors) {
    return tensors.value_or(std::vector<at::Tensor>());
}
inline std::vector<at::Tensor> as_result(const c10::List<std::optional<at::Tensor>>& tensors) {
    std::vector<at::Tensor> result;
    for_each_tensor(tensors, [&](const at::Tensor& tensor) { result.push_back(tensor); });
    return result;
}

// Gives a tensor that the operator wrote into its new value.
inline void commit(const at::Tensor& tensor, const at::Tensor& value) {
    if (!tensor.defined()) {
        return;
    }
    TORCH_CHECK(functional::isFunctionalTensor(tensor),
                "an operator writes into a tensor that is not being functionalized, beside tensors that are");
    functional::replace_(tensor, value);
    functional::commit_update(tensor);
    functional::sync(tensor);
}
inline void commit(const std::optional<at::Tensor>& tensor, const at::Tensor& value) {
    commit(tensor.value_or(at::Tensor()), value);
}
template <typename List>
void commit(const List& tensors, const std::vector<at::Tensor>& values) {
    size_t i = 0;
    for_each_tensor(tensors, [&](const at::Tensor& tensor) { commit(tensor, values[i++]); });
}

inline at::Tensor to_functional(const at::Tensor& tensor) {
    return tensor.defined() ? functional::to_functional_tensor(tensor) : tensor;
}
inline std::vector<at::Tensor> to_functional(const std::vector<at::Tensor>& tensors) {
    return functional::to_functional_tensor(at::TensorList(tensors));
}

}  // namespace opweld::torch_support
