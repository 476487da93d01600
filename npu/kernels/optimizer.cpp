#include "npu/kernels/optimizer.h"

#include <ATen/ops/maximum.h>

#include <cmath>

#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

// A tensor to compute on: a copy in float32 where it has 16 bits, else the tensor itself.
at::Tensor wide(const at::Tensor& tensor) {
    return tensor.scalar_type() == at::kHalf || tensor.scalar_type() == at::kBFloat16 ? tensor.to(at::kFloat)
                                                                                      : tensor;
}

void store_back(at::Tensor& tensor, const at::Tensor& computed) {
    if (!computed.is_same(tensor)) {
        assign(tensor, computed);
    }
}

void unscale(at::Tensor& grad, const std::optional<at::Tensor>& grad_scale) {
    if (grad_scale) {
        grad.div_(grad_scale->item());
    }
}

}  // namespace

void adam_step(const AdamState& state, double step, const AdamOptions& options) {
    at::Tensor var = wide(state.var);
    at::Tensor m = wide(state.m);
    at::Tensor v = wide(state.v);
    at::Tensor grad = wide(state.grad);
    if (options.maximize) {
        grad = grad.neg();
    }
    if (options.weight_decay != 0) {
        if (options.decoupled) {
            var.mul_(1 - options.lr * options.weight_decay);
        } else {
            grad = grad.add(var, options.weight_decay);
        }
    }
    m.lerp_(grad, 1 - options.beta1);
    v.mul_(options.beta2).addcmul_(grad, grad, 1 - options.beta2);
    at::Tensor second = v;
    if (options.amsgrad) {
        at::Tensor largest = wide(*state.max_v);
        second = largest.copy_(at::maximum(largest, v));
        at::Tensor target = *state.max_v;
        store_back(target, largest);
    }
    const double first_correction = 1 - std::pow(options.beta1, step);
    const double second_correction = 1 - std::pow(options.beta2, step);
    const at::Tensor denominator = second.sqrt().div_(std::sqrt(second_correction)).add_(options.eps);
    var.addcdiv_(m, denominator, -options.lr / first_correction);
    store_back(state.var, var);
    store_back(state.m, m);
    store_back(state.v, v);
}

void adam_steps(std::vector<at::Tensor>& params, std::vector<at::Tensor>& grads, std::vector<at::Tensor>& m,
                std::vector<at::Tensor>& v, std::vector<at::Tensor>& max_v,
                const std::vector<at::Tensor>& steps, const AdamOptions& options,
                const std::optional<at::Tensor>& grad_scale, const std::optional<at::Tensor>& found_inf) {
    if (found_inf && found_inf->item<double>() == 1) {
        return;
    }
    for (size_t i = 0; i < params.size(); ++i) {
        unscale(grads[i], grad_scale);
        const auto largest = options.amsgrad ? std::optional<at::Tensor>(max_v[i]) : std::nullopt;
        adam_step({.var = params[i], .m = m[i], .v = v[i], .max_v = largest, .grad = grads[i]},
                  steps[i].item<double>() + 1, options);
    }
}

void sgd_steps(std::vector<at::Tensor>& params, std::vector<at::Tensor>& grads,
               std::vector<at::Tensor>& momentum_buffers, const std::optional<at::Tensor>& grad_scale,
               const SgdOptions& options) {
    for (size_t i = 0; i < params.size(); ++i) {
        unscale(grads[i], grad_scale);
        at::Tensor param = wide(params[i]);
        at::Tensor grad = wide(grads[i]);
        if (options.maximize) {
            grad = grad.neg();
        }
        if (options.weight_decay != 0) {
            grad = grad.add(param, options.weight_decay);
        }
        if (!momentum_buffers.empty()) {
            at::Tensor buffer = wide(momentum_buffers[i]);
            if (options.first) {
                buffer.copy_(grad);
            } else {
                buffer.mul_(options.momentum).add_(grad, 1 - options.dampening);
            }
            grad = options.nesterov ? grad.add(buffer, options.momentum) : buffer;
            store_back(momentum_buffers[i], buffer);
        }
        param.add_(grad, -options.lr);
        store_back(params[i], param);
    }
}

}  // namespace opweld::npu::kernels
