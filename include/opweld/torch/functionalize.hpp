// Functionalization of operators that write into their inputs.
#pragma once

#include <ATen/FunctionalTensorWrapper.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/clone.h>

#include <optional>
#include <vector>

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

inline at::Tensor clone(const at::Tensor& tensor) { return tensor.defined() ? tensor.clone() : tensor; }
inline std::optional<at::Tensor> clone(const std::optional<at::Tensor>& tensor) {
    return tensor.has_value() ? std::optional<at::Tensor>(clone(*tensor)) : std::nullopt;
}
inline std::vector<at::Tensor> clone(const std::vector<at::Tensor>& tensors) {
    std::vector<at::Tensor> copies;
    for (const at::Tensor& tensor : tensors) {
        copies.push_back(clone(tensor));
    }
    return copies;
}
inline std::optional<std::vector<at::Tensor>> clone(const std::optional<std::vector<at::Tensor>>& tensors) {
    return tensors.has_value() ? std::optional<std::vector<at::Tensor>>(clone(*tensors)) : std::nullopt;
}
inline c10::List<std::optional<at::Tensor>> clone(const c10::List<std::optional<at::Tensor>>& tensors) {
    c10::List<std::optional<at::Tensor>> copies;
    for (const std::optional<at::Tensor>& tensor : tensors) {
        copies.push_back(clone(tensor));
    }
    return copies;
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
inline void commit(const std::optional<at::Tensor>& tensor, const std::optional<at::Tensor>& value) {
    if (tensor.has_value()) {
        commit(*tensor, *value);
    }
}
inline void commit(at::TensorList tensors, const std::vector<at::Tensor>& values) {
    for (size_t i = 0; i < tensors.size(); ++i) {
        commit(tensors[i], values[i]);
    }
}
inline void commit(const std::optional<std::vector<at::Tensor>>& tensors,
                   const std::optional<std::vector<at::Tensor>>& values) {
    if (tensors.has_value()) {
        commit(at::TensorList(*tensors), *values);
    }
}
inline void commit(const c10::List<std::optional<at::Tensor>>& tensors,
                   const c10::List<std::optional<at::Tensor>>& values) {
    for (size_t i = 0; i < tensors.size(); ++i) {
        commit(tensors.get(i), values.get(i));
    }
}

inline at::Tensor to_functional(const at::Tensor& tensor) {
    return tensor.defined() ? functional::to_functional_tensor(tensor) : tensor;
}
inline std::vector<at::Tensor> to_functional(const std::vector<at::Tensor>& tensors) {
    return functional::to_functional_tensor(at::TensorList(tensors));
}

}  // namespace opweld::torch_support
