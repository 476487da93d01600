#pragma once

#include <vector>

#include "graph/tensor_type.h"

namespace opweld::npu::prototypes {

// The data types that a ge::TensorType stands for.
const std::vector<::ge::DataType>& members(const ::ge::TensorType& type);

}  // namespace opweld::npu::prototypes
