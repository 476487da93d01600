#include "npu/kernels/nn/gated.h"

#include <ATen/ExpandUtils.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/stack.h>

#include <string>
#include <utility>

#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

at::Tensor wide(const at::Tensor& tensor) {
    return tensor.to(tensor.scalar_type() == at::kDouble ? at::kDouble : at::kFloat);
}

std::pair<at::Tensor, at::Tensor> halves(const at::Tensor& x, int64_t dim) {
    const int64_t half = x.size(dim) / 2;
    return {wide(x.narrow(dim, 0, half)), wide(x.narrow(dim, half, half))};
}

at::Tensor turn_half(const at::Tensor& x) {
    const int64_t half = x.size(-1) / 2;
    return at::cat({-x.narrow(-1, half, half), x.narrow(-1, 0, half)}, -1);
}

// Each pair (a, b) as (-b, a).
at::Tensor turned(const at::Tensor& x, Rotation rotation) {
    switch (rotation) {
        case Rotation::half:
            return turn_half(x);
        case Rotation::interleave: {
            const at::Tensor pairs = x.unflatten(-1, {x.size(-1) / 2, 2});
            return at::stack({-pairs.select(-1, 1), pairs.select(-1, 0)}, -1).flatten(-2);
        }
        case Rotation::quarter: {
            const int64_t half = x.size(-1) / 2;
            return at::cat({turn_half(x.narrow(-1, 0, half)), turn_half(x.narrow(-1, half, half))}, -1);
        }
    }
    return x;
}

const char* approximation(const GegluOptions& options) { return options.approximate ? "tanh" : "none"; }

}  // namespace

void swiglu(const at::Tensor& x, int64_t dim, at::Tensor& out) {
    const auto [gate, value] = halves(x, dim);
    assign(out, gate * at::sigmoid(gate) * value);
}

void swiglu_backward(const at::Tensor& grad, const at::Tensor& x, int64_t dim, at::Tensor& out) {
    const auto [gate, value] = halves(x, dim);
    const at::Tensor dy = wide(grad);
    const at::Tensor s = at::sigmoid(gate);
    assign(out, at::cat({dy * value * s * (1 + gate * (1 - s)), dy * gate * s}, dim));
}

void geglu(const at::Tensor& x, const GegluOptions& options, at::Tensor& out, at::Tensor& gelu) {
    const auto [left, right] = halves(x, options.dim);
    const at::Tensor activated = at::gelu(options.left ? left : right, approximation(options));
    assign(gelu, activated);
    assign(out, activated * (options.left ? right : left));
}

void geglu_backward(const at::Tensor& grad, const at::Tensor& x, const GegluOptions& options,
                    at::Tensor& out) {
    const auto [left, right] = halves(x, options.dim);
    const at::Tensor& gate = options.left ? left : right;
    const at::Tensor& value = options.left ? right : left;
    const at::Tensor dy = wide(grad);
    const at::Tensor by_gate = at::gelu_backward(dy * value, gate, approximation(options));
    const at::Tensor by_value = dy * at::gelu(gate, approximation(options));
    assign(out, options.left ? at::cat({by_gate, by_value}, options.dim)
                             : at::cat({by_value, by_gate}, options.dim));
}

Rotation rotation(std::string_view name) {
    if (name == "half") {
        return Rotation::half;
    }
    if (name == "interleave") {
        return Rotation::interleave;
    }
    if (name == "quarter") {
        return Rotation::quarter;
    }
    throw AclException(
        161002, "argument 'rotaryMode' is '" + std::string(name) + "', expected half, interleave or quarter");
}

void rotary(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, Rotation rotation,
            at::Tensor& out) {
    const at::Tensor input = wide(x);
    assign(out, input * wide(cos) + turned(input, rotation) * wide(sin));
}

void rotary_backward(const at::Tensor& grad, const at::Tensor& cos, const at::Tensor& sin,
                     const std::optional<at::Tensor>& x, Rotation rotation, at::Tensor& grad_x,
                     at::Tensor& grad_cos, at::Tensor& grad_sin) {
    const at::Tensor dy = wide(grad);
    assign(grad_x, dy * wide(cos) - turned(dy * wide(sin), rotation));
    if (!x.has_value()) {
        grad_cos.zero_();
        grad_sin.zero_();
        return;
    }
    const at::Tensor input = wide(*x);
    assign(grad_cos, at::sum_to(dy * input, grad_cos.sizes()));
    assign(grad_sin, at::sum_to(dy * turned(input, rotation), grad_sin.sizes()));
}

}  // namespace opweld::npu::kernels
