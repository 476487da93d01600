// Quantization to int8.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <span>
#include <vector>

#include "npu/ge/operators/call.h"

namespace opweld::npu::graph {

// An int8 tensor like x. Throws GraphError where `dst_type` is not DT_INT8.
at::Tensor quantized_form(const at::Tensor& x, int64_t dst_type);

// One float32 number for each row of x: its shape without the last dimension.
at::Tensor rows_form(const at::Tensor& x);

// rms_norm(x1 + x2) * gamma + beta, quantized by rows with one or two smooth scales.
struct NormalizedInputs {
    const at::Tensor& x1;
    const at::Tensor& x2;
    const at::Tensor& gamma;
    const std::optional<at::Tensor>& smooth1;
    const std::optional<at::Tensor>& smooth2;
    const std::optional<at::Tensor>& beta;
};
// `mask` says which: none (the first, and the second if there are two smooth scales), or two values.
// `outputs` are y1, y2, x, scale1, scale2.
void add_rms_norm_dynamic_quant(const NormalizedInputs& inputs, double epsilon, const std::vector<bool>& mask,
                                std::span<at::Tensor> outputs);

}  // namespace opweld::npu::graph
