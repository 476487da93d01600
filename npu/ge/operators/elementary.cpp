#include "npu/ge/operators/elementary.h"

#include <ATen/ops/add.h>
#include <ATen/ops/div.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/log.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/result_type.h>

#include <cmath>

namespace opweld::npu::graph {
namespace {

at::Tensor linear(const at::Tensor& x, double scale, double shift) {
    const at::Tensor scaled = scale == 1.0 ? x : at::mul(x, scale);
    return shift == 0.0 ? scaled : at::add(scaled, shift);
}

}  // namespace

at::Tensor exp_to_base(const at::Tensor& x, double base, double scale, double shift) {
    const at::Tensor exponent = linear(x, scale, shift);
    return at::exp(base < 0 ? exponent : at::mul(exponent, std::log(base)));
}

at::Tensor log_to_base(const at::Tensor& x, double base, double scale, double shift) {
    const at::Tensor natural = at::log(linear(x, scale, shift));
    return base < 0 ? natural : at::div(natural, std::log(base));
}

at::Tensor divide(const at::Tensor& x1, const at::Tensor& x2) {
    const bool integers = at::isIntegralType(at::result_type(x1, x2), true);
    return integers ? at::div(x1, x2, "trunc") : at::div(x1, x2);
}

}  // namespace opweld::npu::graph
