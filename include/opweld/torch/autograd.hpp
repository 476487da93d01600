// What generated autograd kernels share.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace opweld::torch_support {

using torch::autograd::edge_list;
using torch::autograd::Node;
using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

// The node of an operator that has no derivative: says so when a gradient is asked for.
class NotDifferentiable : public torch::autograd::Error {
  public:
    NotDifferentiable(const std::string& op, edge_list&& edges)
        : Error(op + " has no derivative (its spec says `backward: none`): give it one in the spec, or detach() what "
                     "goes into it",
                std::move(edges)),
          op_(op) {}

    std::string name() const override { return "NotDifferentiable(" + op_ + ")"; }

  private:
    std::string op_;
};

// ---------------------------------------------------------------------------------------------------------------
// Over an operator's arguments, of whichever kind

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

// Whether a gradient will be asked of any of these inputs.
template <typename... Inputs>
bool requires_grad(const Inputs&... inputs) {
    bool any = false;
    if (c10::GradMode::is_enabled()) {
        (for_each_tensor(inputs, [&](const at::Tensor& tensor) { any |= tensor.defined() && tensor.requires_grad(); }),
         ...);
    }
    return any;
}

// One edge per tensor of the inputs, in their order: a node's apply() returns its gradients in the same order.
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

// Makes `node` the origin of an output. Every output takes one place in the node's inputs, differentiable or not.
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

// The gradient of output `index`, as zeros where backward did not reach that output.
inline at::Tensor gradient_or_zeros(const Node& node, const variable_list& grads, size_t index) {
    if (grads[index].defined() || node.input_metadata(index).was_default_constructed()) {
        return grads[index];
    }
    return node.input_metadata(index).zeros_like();
}

inline bool any_defined(const variable_list& grads) {
    for (const at::Tensor& grad : grads) {
        if (grad.defined()) {
            return true;
        }
    }
    return false;
}

// A tensor kept for backward; an absent optional one stays absent.
inline std::optional<at::Tensor> optional_tensor(const at::Tensor& tensor) {
    return tensor.defined() ? std::optional<at::Tensor>(tensor) : std::nullopt;
}

}  // namespace opweld::torch_support
