#include "npu/kernels/reduction.h"

#include <ATen/ops/bincount_cpu_dispatch.h>
#include <ATen/ops/histc_cpu_dispatch.h>
#include <ATen/ops/linalg_vector_norm_cpu_dispatch.h>
#include <ATen/ops/prod_cpu_dispatch.h>
#include <fmt/format.h>

#include <algorithm>

namespace opweld::npu::kernels {

void assign(at::Tensor& first, at::Tensor& second, const std::tuple<at::Tensor, at::Tensor>& results) {
    assign(first, std::get<0>(results));
    assign(second, std::get<1>(results));
}

void vector_norm(const at::Tensor& self, const at::Scalar& ord, at::IntArrayRef dim, bool keepdim,
                 at::Tensor& out) {
    const auto over = dim.empty() ? at::OptionalIntArrayRef() : at::OptionalIntArrayRef(dim);
    const auto dtype = self.is_complex() ? std::nullopt : std::optional<at::ScalarType>(out.scalar_type());
    at::cpu::linalg_vector_norm_outf(self, ord, over, keepdim, dtype, out);
}

void product(const at::Tensor& self, std::optional<int64_t> dim, bool keepdim, at::ScalarType dtype,
             at::Tensor& out) {
    const bool reduced = dtype == at::kHalf || dtype == at::kBFloat16;
    const at::Tensor factors = reduced ? self.to(dtype).to(at::kFloat) : self;
    const at::ScalarType computed = reduced ? at::kFloat : dtype;
    if (!dim.has_value()) {
        assign(out, at::cpu::prod(factors, computed));
    } else if (computed == out.scalar_type()) {
        at::cpu::prod_outf(factors, *dim, keepdim, computed, out);
    } else {
        assign(out, at::cpu::prod(factors, *dim, keepdim, computed));
    }
}

void histogram(const at::Tensor& self, int64_t bins, const at::Scalar& min, const at::Scalar& max,
               at::Tensor& out) {
    if (self.scalar_type() == out.scalar_type() &&
        (self.scalar_type() == at::kFloat || self.scalar_type() == at::kDouble)) {
        at::cpu::histc_outf(self, bins, min, max, out);
    } else {
        assign(out, at::cpu::histc(self.to(at::kDouble), bins, min, max));
    }
}

void count(const at::Tensor& self, const std::optional<at::Tensor>& weights, int64_t minlength,
           at::Tensor& out) {
    const int64_t largest = self.numel() == 0 ? -1 : self.max().item<int64_t>();
    if (largest >= out.numel() || std::max(largest + 1, minlength) != out.numel()) {
        throw AclException(
            161002, fmt::format("the output has {} elements, but the largest number is {} and at least "
                                "{} are wanted",
                                out.numel(), largest, minlength));
    }
    assign(out, at::cpu::bincount(self, weights, minlength));
}

}  // namespace opweld::npu::kernels
