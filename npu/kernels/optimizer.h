// Steps of optimizers, in place. 16-bit tensors are computed in float32 and rounded once.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

namespace opweld::npu::kernels {

struct AdamOptions {
    double lr;
    double beta1;
    double beta2;
    double weight_decay;
    double eps;
    bool amsgrad;
    bool maximize;
    bool decoupled = false;  // the decay shrinks the parameter (AdamW), not the gradient
};

// A parameter and its state; max_v is needed with amsgrad.
struct AdamState {
    at::Tensor& var;
    at::Tensor& m;
    at::Tensor& v;
    std::optional<at::Tensor> max_v;
    at::Tensor grad;
};

// The step numbered `step`, from 1.
void adam_step(const AdamState& state, double step, const AdamOptions& options);

// One step for each parameter. Gradients are divided by grad_scale, in place; if found_inf is 1 nothing is
// done.
void adam_steps(std::vector<at::Tensor>& params, std::vector<at::Tensor>& grads, std::vector<at::Tensor>& m,
                std::vector<at::Tensor>& v, std::vector<at::Tensor>& max_v,
                const std::vector<at::Tensor>& steps, const AdamOptions& options,
                const std::optional<at::Tensor>& grad_scale, const std::optional<at::Tensor>& found_inf);

struct SgdOptions {
    double weight_decay;
    double momentum;
    double lr;
    double dampening;
    bool nesterov;
    bool maximize;
    bool first;  // momentum buffers start as the gradients
};

void sgd_steps(std::vector<at::Tensor>& params, std::vector<at::Tensor>& grads,
               std::vector<at::Tensor>& momentum_buffers, const std::optional<at::Tensor>& grad_scale,
               const SgdOptions& options);

}  // namespace opweld::npu::kernels
