#include "npu/kernels/nn/fused_norm.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/rsqrt.h>

#include <tuple>

#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

at::Tensor wide(const at::Tensor& tensor) {
    return tensor.to(tensor.scalar_type() == at::kDouble ? at::kDouble : at::kFloat);
}

// One row for each normalization.
at::Tensor as_rows(const at::Tensor& tensor, const at::Tensor& gamma) {
    return wide(tensor).reshape({gamma.numel() == 0 ? 0 : tensor.numel() / gamma.numel(), gamma.numel()});
}

at::Tensor column(const at::Tensor& statistics) { return wide(statistics).reshape({-1, 1}); }

void store_like(at::Tensor& out, const at::Tensor& value) { assign(out, value.reshape(out.sizes())); }

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_rows(const at::Tensor& rows,
                                                               const at::Tensor& gamma,
                                                               const at::Tensor& beta, double epsilon) {
    const at::Tensor mean = rows.mean(1, true);
    const at::Tensor centred = rows - mean;
    const at::Tensor rstd = at::rsqrt(centred.mul(centred).mean(1, true) + epsilon);
    return {centred * rstd * wide(gamma).reshape({1, -1}) + wide(beta).reshape({1, -1}), mean, rstd};
}

struct LayerGradients {
    at::Tensor input;
    at::Tensor gamma;
    at::Tensor beta;
};

LayerGradients layer_gradients(const at::Tensor& grad, const at::Tensor& rows, const at::Tensor& gamma,
                               const at::Tensor& mean, const at::Tensor& rstd) {
    const at::Tensor dy = as_rows(grad, gamma);
    const at::Tensor normal = (rows - column(mean)) * column(rstd);
    const at::Tensor scaled = dy * wide(gamma).reshape({1, -1});
    const at::Tensor input =
        (scaled - scaled.mean(1, true) - normal * (scaled * normal).mean(1, true)) * column(rstd);
    return {.input = input, .gamma = (dy * normal).sum(0), .beta = dy.sum(0)};
}

}  // namespace

void rms_norm(const at::Tensor& x, const at::Tensor& gamma, double epsilon, double shift, at::Tensor& y,
              at::Tensor& rstd) {
    const at::Tensor rows = as_rows(x, gamma);
    const at::Tensor factor = at::rsqrt(rows.mul(rows).mean(1, true) + epsilon);
    store_like(y, rows * factor * (wide(gamma).reshape({1, -1}) + shift));
    store_like(rstd, factor);
}

void rms_norm_backward(const at::Tensor& grad, const at::Tensor& x, const at::Tensor& rstd,
                       const at::Tensor& gamma, at::Tensor& grad_x, at::Tensor& grad_gamma) {
    const at::Tensor dy = as_rows(grad, gamma);
    const at::Tensor factor = column(rstd);
    const at::Tensor normal = as_rows(x, gamma) * factor;
    const at::Tensor scaled = dy * wide(gamma).reshape({1, -1});
    store_like(grad_x, (scaled - normal * (scaled * normal).mean(1, true)) * factor);
    store_like(grad_gamma, (dy * normal).sum(0));
}

void add_rms_norm(const at::Tensor& x1, const at::Tensor& x2, const at::Tensor& gamma, double epsilon,
                  at::Tensor& y, at::Tensor& rstd, at::Tensor& x) {
    const at::Tensor sum = (wide(x1) + wide(x2)).to(x.scalar_type());
    assign(x, sum);
    rms_norm(sum, gamma, epsilon, 0, y, rstd);
}

void add_layer_norm(const at::Tensor& x1, const at::Tensor& x2, const at::Tensor& gamma,
                    const at::Tensor& beta, const std::optional<at::Tensor>& bias, double epsilon,
                    at::Tensor& y, at::Tensor& mean, at::Tensor& rstd, at::Tensor& x) {
    at::Tensor sum = wide(x1) + wide(x2);
    if (bias.has_value()) {
        sum = sum + wide(*bias);
    }
    assign(x, sum);
    const auto [normal, centre, factor] = layer_norm_rows(as_rows(sum, gamma), gamma, beta, epsilon);
    store_like(y, normal);
    store_like(mean, centre);
    store_like(rstd, factor);
}

void add_layer_norm_backward(const at::Tensor& grad, const at::Tensor& x1, const at::Tensor& x2,
                             const at::Tensor& rstd, const at::Tensor& mean, const at::Tensor& gamma,
                             const std::optional<at::Tensor>& grad_sum, at::Tensor& grad_x,
                             at::Tensor& grad_gamma, at::Tensor& grad_beta) {
    const LayerGradients g =
        layer_gradients(grad, as_rows(x1, gamma) + as_rows(x2, gamma), gamma, mean, rstd);
    store_like(grad_x, grad_sum.has_value() ? g.input + as_rows(*grad_sum, gamma) : g.input);
    store_like(grad_gamma, g.gamma);
    store_like(grad_beta, g.beta);
}

void deep_norm(const at::Tensor& x, const at::Tensor& residual, const at::Tensor& beta,
               const at::Tensor& gamma, double alpha, double epsilon, at::Tensor& mean, at::Tensor& rstd,
               at::Tensor& y) {
    const auto [normal, centre, factor] =
        layer_norm_rows(as_rows(x, gamma) * alpha + as_rows(residual, gamma), gamma, beta, epsilon);
    store_like(y, normal);
    store_like(mean, centre);
    store_like(rstd, factor);
}

void deep_norm_backward(const at::Tensor& grad, const at::Tensor& x, const at::Tensor& residual,
                        const at::Tensor& gamma, const at::Tensor& mean, const at::Tensor& rstd, double alpha,
                        at::Tensor& grad_x, at::Tensor& grad_residual, at::Tensor& grad_beta,
                        at::Tensor& grad_gamma) {
    const LayerGradients g =
        layer_gradients(grad, as_rows(x, gamma) * alpha + as_rows(residual, gamma), gamma, mean, rstd);
    store_like(grad_x, g.input * alpha);
    store_like(grad_residual, g.input);
    store_like(grad_beta, g.beta);
    store_like(grad_gamma, g.gamma);
}

}  // namespace opweld::npu::kernels
