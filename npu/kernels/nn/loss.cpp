#include "npu/kernels/nn/loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/log.h>
#include <ATen/ops/multilabel_margin_loss_forward_cpu_dispatch.h>
#include <ATen/ops/nll_loss2d_backward_cpu_dispatch.h>
#include <ATen/ops/nll_loss2d_forward_cpu_dispatch.h>
#include <ATen/ops/nll_loss_forward_cpu_dispatch.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sign.h>
#include <fmt/format.h>

#include <cmath>
#include <span>
#include <tuple>

#include "npu/kernels/tensor.h"
#include "npu/runtime/interface.h"

namespace opweld::npu::kernels {
namespace {

// The gradient of an element of a loss, from that of the whole. `elements` is the loss without reduction.
at::Tensor each_gradient(const at::Tensor& grad_output, int64_t elements, int64_t reduction) {
    const at::Tensor gradient = widened(grad_output);
    return reduction == at::Reduction::Mean ? gradient / elements : gradient;
}

}  // namespace

at::Tensor classes(const at::Tensor& target, int64_t count, int64_t ignore_index) {
    at::Tensor result = target.to(at::kLong).contiguous();
    const auto* const first = result.const_data_ptr<int64_t>();
    for (const int64_t value : std::span(first, static_cast<size_t>(result.numel()))) {
        if (value != ignore_index && (value < 0 || value >= count)) {
            throw AclException(161002,
                               fmt::format("argument 'target' holds {}, expected a class from 0 to {}, or "
                                           "'ignoreIndex', {}",
                                           value, count - 1, ignore_index));
        }
    }
    return result;
}

void nll_loss(const at::Tensor& self, const at::Tensor& target, const at::Tensor& weight, int64_t reduction,
              int64_t ignore_index, at::Tensor& out, at::Tensor& total_weight) {
    const at::Tensor scores = widened(self);
    const auto [loss, total] = at::cpu::nll_loss_forward(
        scores, target.to(at::kLong), weight.to(scores.scalar_type()), reduction, ignore_index);
    assign(out, loss);
    assign(total_weight, total);
}

void nll_loss2d(const at::Tensor& self, const at::Tensor& target, const at::Tensor& weight, int64_t reduction,
                int64_t ignore_index, at::Tensor& out, at::Tensor& total_weight) {
    const at::Tensor scores = widened(self);
    const auto [loss, total] = at::cpu::nll_loss2d_forward(
        scores, target.to(at::kLong), weight.to(scores.scalar_type()), reduction, ignore_index);
    assign(out, loss);
    assign(total_weight, total);
}

void nll_loss2d_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                         const at::Tensor& weight, int64_t reduction, int64_t ignore_index,
                         const at::Tensor& total_weight, at::Tensor& grad_input) {
    const at::Tensor scores = widened(self);
    const at::ScalarType dtype = scores.scalar_type();
    const at::Tensor labels = classes(target, self.size(1), ignore_index);
    at::Tensor total = total_weight.to(dtype);
    if (!std::isfinite(total.item<double>())) {
        // A large image has more pixels than float16 can count.
        total = std::get<1>(
            at::cpu::nll_loss2d_forward(scores, labels, weight.to(dtype), reduction, ignore_index));
    }
    assign(grad_input, at::cpu::nll_loss2d_backward(grad_output.to(dtype), scores, labels, weight.to(dtype),
                                                    reduction, ignore_index, total));
}

void l1_loss_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                      int64_t reduction, at::Tensor& grad_input) {
    const at::Tensor signs = at::sign(widened(self) - widened(target));
    assign(grad_input, signs * each_gradient(grad_output, signs.numel(), reduction));
}

void binary_cross_entropy_with_logits_backward(const at::Tensor& grad_output, const at::Tensor& self,
                                               const at::Tensor& target,
                                               const std::optional<at::Tensor>& weight,
                                               const std::optional<at::Tensor>& pos_weight, int64_t reduction,
                                               at::Tensor& out) {
    const at::Tensor t = widened(target);
    const at::Tensor probability = at::sigmoid(widened(self));
    at::Tensor gradient;
    if (pos_weight.has_value()) {
        const at::Tensor positive = widened(*pos_weight) * t;
        gradient = (positive + 1 - t) * probability - positive;
    } else {
        gradient = probability - t;
    }
    if (weight.has_value()) {
        gradient = gradient * widened(*weight);
    }
    assign(out, gradient * each_gradient(grad_output, self.numel(), reduction));
}

void kl_div_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                     int64_t reduction, bool log_target, at::Tensor& out) {
    const at::Tensor t = widened(target);
    const at::Tensor gradient = each_gradient(grad_output, (self - target).numel(), reduction);
    assign(out, -(log_target ? at::exp(t) : t) * gradient);
}

void kl_div_target_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                            int64_t reduction, bool log_target, at::Tensor& grad_target) {
    const at::Tensor x = widened(self);
    const at::Tensor t = widened(target);
    const at::Tensor gradient = each_gradient(grad_output, (x - t).numel(), reduction);
    if (log_target) {
        assign(grad_target, at::exp(t) * (t + 1 - x) * gradient);
    } else {
        assign(grad_target, ((at::log(t) + 1 - x) * gradient).masked_fill(t == 0, 0));
    }
}

void multilabel_margin_loss(const at::Tensor& self, const at::Tensor& target, int64_t reduction,
                            at::Tensor& out, at::Tensor& is_target) {
    const auto [loss, marks] =
        at::cpu::multilabel_margin_loss_forward(widened(self), target.to(at::kLong), reduction);
    assign(out, loss);
    assign(is_target, marks.view(is_target.sizes()));
}

}  // namespace opweld::npu::kernels
