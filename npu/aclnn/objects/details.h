// Arguments of an operator in words, for traces and explanations: "float32[2, 3]".
#pragma once

#include <span>
#include <string>

#include "npu/aclnn/objects/objects.h"

namespace opweld::npu::aclnn {

// "none" for a null pointer. Dimensions that are not contiguous are told: "float32[2, 3] strides [1, 2]".
OPWELD_EXPORT std::string in_words(const aclTensor* tensor);
OPWELD_EXPORT std::string in_words(const aclTensorList* tensors);
OPWELD_EXPORT std::string in_words(const aclScalar* scalar);
OPWELD_EXPORT std::string in_words(const OpweldScalar& scalar);
OPWELD_EXPORT std::string in_words(std::span<const int64_t> numbers);

}  // namespace opweld::npu::aclnn
