// Tensors of callers that know no PyTorch: the older single-operator interface (npu/aclop).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace opweld::npu::kernels {

// A tensor that lies densely in memory that the host may touch; no memory: it is absent.
struct DenseTensor {
    void* data;
    int32_t dtype;  // OpweldDType
    std::span<const int64_t> shape;
};

}  // namespace opweld::npu::kernels
