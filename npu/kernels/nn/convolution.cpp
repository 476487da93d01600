#include "npu/kernels/nn/convolution.h"

#include <ATen/cpu/Utils.h>
#include <ATen/ops/convolution_backward_native.h>
#include <ATen/ops/convolution_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <array>
#include <cstdlib>
#include <string_view>
#include <tuple>
#include <vector>

#include "npu/kernels/matrix.h"
#include "npu/kernels/nn/cropped.h"
#include "npu/kernels/nn/filter_gradient.h"
#include "npu/kernels/nn/results.h"

namespace opweld::npu::kernels {
namespace {

// The dtype to compute in. Half precision has no quick kernel on most hosts, and for some ranks none at all;
// bfloat16 has one where there is AVX-512. float32 accumulates more exactly than either.
at::ScalarType compute_dtype(at::ScalarType dtype) {
    static const bool kQuickBfloat16 = at::cpu::is_avx512_vnni_supported();
    if (dtype == at::kHalf || (dtype == at::kBFloat16 && !kQuickBfloat16)) {
        return at::kFloat;
    }
    return dtype;
}

// HF32 is applied with OPWELD_HF32=1 only. torch_npu asks for it in every convolution unless the program
// turns it off, so that it is nobody's wish, and without it results equal those of the CPU.
bool applies(int64_t cube_math_type) {
    constexpr int64_t kHf32 = 3;
    static const bool kHf32On = [] {
        const char* value = std::getenv("OPWELD_HF32");
        return value != nullptr && std::string_view(value) == "1";
    }();
    return cube_math_type != kHf32 || kHf32On;
}

at::Tensor operand(const at::Tensor& tensor, int64_t cube_math_type) {
    const at::Tensor precise = applies(cube_math_type) ? cube_operand(tensor, cube_math_type) : tensor;
    return precise.to(compute_dtype(tensor.scalar_type()));
}

// An input that is padded before ATen sees it, if its padding is not the same at both ends.
class Padded {
  public:
    Padded(const at::Tensor& input, const Convolution& what) : input_(input), padding_(what.padding) {
        const int64_t spatial = input.dim() - 2;
        if (static_cast<int64_t>(what.padding.size()) != 2 * spatial) {
            return;
        }
        for (int64_t i = 0; i < spatial; ++i) {
            before_.push_back(what.padding[static_cast<size_t>(2 * i)]);
            after_.push_back(what.padding[static_cast<size_t>(2 * i + 1)]);
        }
        if (before_ == after_) {
            padding_ = before_;
            return;
        }
        std::vector<int64_t> sizes = input.sizes().vec();
        for (int64_t i = 0; i < spatial; ++i) {
            sizes[static_cast<size_t>(i + 2)] +=
                before_[static_cast<size_t>(i)] + after_[static_cast<size_t>(i)];
        }
        input_ = at::zeros(sizes, input.options());
        cropped(input_, before_, after_).copy_(input);
        zeros_.assign(static_cast<size_t>(spatial), 0);
        padding_ = zeros_;
        grown_ = true;
    }

    const at::Tensor& input() const noexcept { return input_; }
    at::IntArrayRef padding() const noexcept { return padding_; }

    // The gradient of the input by that of the padded input.
    at::Tensor gradient(const at::Tensor& gradient) const {
        return grown_ ? cropped(gradient, before_, after_) : gradient;
    }

  private:
    at::Tensor input_;
    at::IntArrayRef padding_;
    std::vector<int64_t> before_;
    std::vector<int64_t> after_;
    std::vector<int64_t> zeros_;
    bool grown_ = false;
};

void assign_product(at::Tensor& target, const at::Tensor& grad_output, const at::Tensor& input,
                    const Convolution& what) {
    if (target.is_contiguous() && target.scalar_type() == input.scalar_type()) {
        filter_product(grad_output, input, what, target);
        return;
    }
    at::Tensor product = at::empty(target.sizes(), input.options());
    filter_product(grad_output, input, what, product);
    assign(target, product);
}

}  // namespace

void convolution(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                 const Convolution& what, at::Tensor& output) {
    const Padded padded(operand(input, what.cube_math_type), what);
    const at::Tensor& x = padded.input();
    const at::Tensor w = operand(weight, what.cube_math_type);
    std::optional<at::Tensor> b;
    if (bias.has_value()) {
        b = bias->to(x.scalar_type());
    }
    assign(output, at::native::convolution(x, w, b, what.stride, padded.padding(), what.dilation,
                                           what.transposed, what.output_padding, what.groups));
}

void convolution_backward(const at::Tensor& grad_output, const at::Tensor& input, const at::Tensor& weight,
                          at::OptionalIntArrayRef bias_sizes, const Convolution& what,
                          c10::ArrayRef<bool> mask, const std::optional<at::Tensor>& grad_input,
                          const std::optional<at::Tensor>& grad_weight,
                          const std::optional<at::Tensor>& grad_bias) {
    std::array<bool, 3> wanted = wanted_gradients(mask);
    const Padded padded(operand(input, what.cube_math_type), what);
    const at::Tensor gradient = operand(grad_output, what.cube_math_type);
    if (wanted[1] && grad_weight.has_value() &&
        suits_filter_product(gradient, padded.input(), *grad_weight, what)) {
        Convolution inner = what;
        inner.padding = padded.padding();
        at::Tensor target = *grad_weight;
        assign_product(target, gradient, padded.input(), inner);
        wanted[1] = false;
    }
    if (!wanted[0] && !wanted[1] && !wanted[2]) {
        return;
    }
    const auto results = at::native::convolution_backward(
        gradient, padded.input(), operand(weight, what.cube_math_type), bias_sizes, what.stride,
        padded.padding(), what.dilation, what.transposed, what.output_padding, what.groups, wanted);
    if (wanted[0]) {
        assign_if(true, grad_input, padded.gradient(std::get<0>(results)));
    }
    assign_if(wanted[1], grad_weight, std::get<1>(results));
    assign_if(wanted[2], grad_bias, std::get<2>(results));
}

}  // namespace opweld::npu::kernels
