#include "npu/ge/operators/quantized.h"

#include <fmt/format.h>

#include <array>

#include "npu/ge/model/graph.h"
#include "npu/ge/operators/kernel_call.h"

namespace opweld::npu::graph {
namespace {

constexpr size_t kOutputs = 2;
using Mask = std::array<bool, kOutputs>;

template <class M>
void run(const NormalizedInputs& in, double epsilon, const M& mask, std::span<at::Tensor> out) {
    run_kernel("AddRmsNormDynamicQuantV2", in.x1, in.x2, in.gamma, in.smooth1, in.smooth2, in.beta, epsilon,
               mask, out[0], out[1], out[2], out[3], out[4]);
}

}  // namespace

at::Tensor quantized_form(const at::Tensor& x, int64_t dst_type) {
    if (dtype_of(dst_type) != at::kChar) {
        throw GraphError(fmt::format("attribute 'dst_type' is {}; only {} (DT_INT8) is supported", dst_type,
                                     dtype_number(at::kChar).number));
    }
    if (x.dim() < 1) {
        throw GraphError("x has no dimension; a quantization by rows needs one");
    }
    return x.new_empty(x.sizes(), x.options().dtype(at::kChar));
}

at::Tensor rows_form(const at::Tensor& x) {
    return x.new_empty(x.sizes().slice(0, static_cast<size_t>(x.dim()) - 1), x.options().dtype(at::kFloat));
}

void add_rms_norm_dynamic_quant(const NormalizedInputs& inputs, double epsilon, const std::vector<bool>& mask,
                                std::span<at::Tensor> outputs) {
    if (mask.empty()) {
        run(inputs, epsilon, std::array<bool, 0>(), outputs);
    } else if (mask.size() == kOutputs) {
        run(inputs, epsilon, Mask{mask[0], mask[1]}, outputs);
    } else {
        throw GraphError(fmt::format("attribute 'output_mask' has {} values, not {}", mask.size(), kOutputs));
    }
}

}  // namespace opweld::npu::graph
