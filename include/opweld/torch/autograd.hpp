// What generated autograd kernels share.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opweld/torch/tensors.hpp"

namespace opweld::torch_support {

using torch::autograd::edge_list;
using torch::autograd::Node;
using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

// The node of an operator that has no derivative: says so when a gradient is asked for.
class NotDifferentiable : public torch::autograd::Error {
  public:
    NotDifferentiable(const std::string& op, edge_list&& edges)
        : Error(op + " has no derivative: its spec has no `backward`, or says `backward: none`. Give it one "
                     "in the spec, or detach() what goes into it",
                std::move(edges)),
          op_(op) {}

    std::string name() const override { return "NotDifferentiable(" + op_ + ")"; }

  private:
    std::string op_;
};

// Whether a gradient will be asked of any of these inputs.
template <typename... Inputs>
bool requires_grad(const Inputs&... inputs) {
    bool any = false;
    if (c10::GradMode::is_enabled()) {
        (for_each_tensor(
             inputs, [&](const at::Tensor& tensor) { any |= tensor.defined() && tensor.requires_grad(); }),
         ...);
    }
    return any;
}

// One edge per tensor of the inputs, in their order: a node's apply() returns its gradients in the same
// order.
template <typename... Inputs>
edge_list gradient_edges(const Inputs&... inputs) {
    edge_list edges;
    (for_each_tensor(inputs,
                     [&](const at::Tensor& tensor) {
                         edges.push_back(tensor.defined() ? torch::autograd::impl::gradient_edge(tensor)
                                                          : torch::autograd::Edge());
                     }),
     ...);
    return edges;
}

// Refuses tangents of forward-mode differentiation (jvp), which would be dropped silently otherwise.
template <typename... Inputs>
void refuse_forward_mode(const char* op, const Inputs&... inputs) {
    (for_each_tensor(inputs,
                     [&](const at::Tensor& tensor) {
                         TORCH_CHECK_NOT_IMPLEMENTED(!torch::autograd::isFwGradDefined(tensor), op,
                                                     " has no forward-mode derivative (jvp)");
                     }),
     ...);
}

// Makes `node` the origin of an output. Every output takes one place in the node's inputs, differentiable or
// not.
inline void record_output(const at::Tensor& output, const c10::intrusive_ptr<Node>& node) {
    if (output.defined() && torch::autograd::isDifferentiableType(output.scalar_type())) {
        torch::autograd::set_history(output, node);
    } else {
        node->add_input_metadata(Node::undefined_input());
    }
}
inline void record_output(at::TensorList outputs, const c10::intrusive_ptr<Node>& node) {
    for (const at::Tensor& output : outputs) {
        record_output(output, node);
    }
}

// Where an operator writes into its inputs: refuses a leaf that requires a gradient, and afterwards lets
// autograd know.
template <typename Input>
void check_mutable(const Input& input, bool any_requires_grad) {
    for_each_tensor(input, [&](const at::Tensor& tensor) {
        TORCH_CHECK(!any_requires_grad || !tensor.defined() || !(tensor.requires_grad() && tensor.is_leaf()),
                    "a leaf Variable that requires grad is being used in an in-place operation");
    });
}
template <typename Input>
void record_mutation(const Input& input, const c10::intrusive_ptr<Node>& node) {
    for_each_tensor(input, [&](const at::Tensor& tensor) {
        if (!tensor.defined()) {
            return;
        }
        if (!tensor.is_inference()) {
            torch::autograd::impl::bump_version(tensor);
        }
        if (node && torch::autograd::isDifferentiableType(tensor.scalar_type())) {
            const auto position = node->add_input_metadata(tensor);
            torch::autograd::impl::rebase_history(tensor, {node, position});
        }
    });
}

// The gradient of output `index`, as zeros where backward did not reach that output.
inline at::Tensor gradient_or_zeros(const Node& node, const variable_list& grads, size_t index) {
    if (grads[index].defined() || node.input_metadata(index).was_default_constructed()) {
        return grads[index];
    }
    return node.input_metadata(index).zeros_like();
}

inline std::vector<at::Tensor> gradients_or_zeros(const Node& node, const variable_list& grads, size_t first,
                                                  size_t count) {
    std::vector<at::Tensor> gradients;
    gradients.reserve(count);
    for (size_t i = 0; i < count; ++i) {
        gradients.push_back(gradient_or_zeros(node, grads, first + i));
    }
    return gradients;
}

template <typename Input>
size_t tensor_count(const Input& input) {
    size_t count = 0;
    for_each_tensor(input, [&](const at::Tensor& /*tensor*/) { ++count; });
    return count;
}

inline bool any_defined(const variable_list& grads) {
    for (const at::Tensor& grad : grads) {
        if (grad.defined()) {
            return true;
        }
    }
    return false;
}

// ---------------------------------------------------------------------------------------------------------------
// What a node keeps of the forward call, and how it is given to the backward call

inline SavedVariable save(const at::Tensor& tensor, bool is_output = false) { return {tensor, is_output}; }
inline SavedVariable save(const std::optional<at::Tensor>& tensor, bool is_output = false) {
    return {tensor.value_or(at::Tensor()), is_output};
}
inline std::vector<SavedVariable> save(at::TensorList tensors, bool is_output = false) {
    std::vector<SavedVariable> saved;
    saved.reserve(tensors.size());
    for (const at::Tensor& tensor : tensors) {
        saved.emplace_back(tensor, is_output);
    }
    return saved;
}
inline std::vector<SavedVariable> save(const std::optional<std::vector<at::Tensor>>& tensors) {
    return tensors.has_value() ? save(at::TensorList(*tensors)) : std::vector<SavedVariable>();
}
inline std::vector<SavedVariable> save(const c10::List<std::optional<at::Tensor>>& tensors) {
    std::vector<SavedVariable> saved;
    for_each_tensor(tensors, [&](const at::Tensor& tensor) { saved.emplace_back(tensor, false); });
    return saved;
}

inline void forget(SavedVariable& saved) { saved.reset_data(); }
inline void forget(std::vector<SavedVariable>& saved) {
    for (SavedVariable& variable : saved) {
        variable.reset_data();
    }
}

inline at::Tensor recall(const SavedVariable& saved, Node& node) { return saved.unpack(node.getptr()); }
inline std::vector<at::Tensor> recall(const std::vector<SavedVariable>& saved, Node& node) {
    std::vector<at::Tensor> tensors;
    tensors.reserve(saved.size());
    for (const SavedVariable& variable : saved) {
        tensors.push_back(variable.unpack(node.getptr()));
    }
    return tensors;
}
// An absent optional tensor stays absent.
inline std::optional<at::Tensor> optional_tensor(const at::Tensor& tensor) {
    return tensor.defined() ? std::optional<at::Tensor>(tensor) : std::nullopt;
}
inline c10::List<std::optional<at::Tensor>> optional_tensors(const std::vector<at::Tensor>& tensors) {
    c10::List<std::optional<at::Tensor>> list;
    for (const at::Tensor& tensor : tensors) {
        list.push_back(optional_tensor(tensor));
    }
    return list;
}

// Views become owned, and views again.
inline std::string keep(std::string_view text) { return std::string(text); }
template <typename T>
std::vector<T> keep(at::ArrayRef<T> items) {
    return items.vec();
}
inline std::optional<std::string> keep(std::optional<std::string_view> text) {
    return text.has_value() ? std::optional<std::string>(*text) : std::nullopt;
}
template <typename T>
std::optional<std::vector<T>> keep(const c10::OptionalArrayRef<T>& items) {
    return items.has_value() ? std::optional<std::vector<T>>(items->vec()) : std::nullopt;
}
template <typename T>
std::optional<std::vector<T>> keep(const std::optional<at::ArrayRef<T>>& items) {
    return items.has_value() ? std::optional<std::vector<T>>(items->vec()) : std::nullopt;
}
inline std::string_view give(const std::string& text) { return text; }
template <typename T>
at::ArrayRef<T> give(const std::vector<T>& items) {
    return items;
}
inline std::optional<std::string_view> give(const std::optional<std::string>& text) {
    return text.has_value() ? std::optional<std::string_view>(*text) : std::nullopt;
}
template <typename T>
std::optional<at::ArrayRef<T>> give(const std::optional<std::vector<T>>& items) {
    return items.has_value() ? std::optional<at::ArrayRef<T>>(*items) : std::nullopt;
}

// Puts gradients where a node's apply() returns them, moving on.
class GradientWriter {
  public:
    explicit GradientWriter(variable_list& result) : result_(result) {}

    void put(const at::Tensor& gradient) { result_[next_++] = gradient; }
    void put(const std::vector<at::Tensor>& gradients, size_t count) {
        for (size_t i = 0; i < count; ++i) {
            result_[next_++] = i < gradients.size() ? gradients[i] : at::Tensor();
        }
    }
    void skip(size_t count = 1) { next_ += count; }

  private:
    variable_list& result_;
    size_t next_ = 0;
};

}  // namespace opweld::torch_support
