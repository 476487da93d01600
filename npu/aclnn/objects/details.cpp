#include "npu/aclnn/objects/details.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace opweld::npu::aclnn {
namespace {

constexpr size_t kShown = 4;  // of a list of tensors

bool contiguous(const aclTensor& tensor) {
    int64_t expected = 1;
    for (size_t i = tensor.shape().size(); i-- > 0;) {
        if (tensor.shape()[i] != 1 && tensor.strides()[i] != expected) {
            return false;
        }
        expected *= tensor.shape()[i];
    }
    return true;
}

}  // namespace

std::string in_words(std::span<const int64_t> numbers) {
    return fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::string in_words(const aclTensor* tensor) {
    if (tensor == nullptr) {
        return "none";
    }
    std::string text = fmt::format("{}{}", dtype_name(tensor->dtype()), in_words(tensor->shape()));
    if (tensor->elements() != 0 && !contiguous(*tensor)) {
        text += fmt::format(" strides {}", in_words(tensor->strides()));
    }
    return text;
}

std::string in_words(const aclTensorList* tensors) {
    if (tensors == nullptr) {
        return "none";
    }
    std::string text;
    for (size_t i = 0; i < tensors->items().size(); ++i) {
        if (i == kShown) {
            text += fmt::format(" and {} more", tensors->items().size() - kShown);
            break;
        }
        text += (text.empty() ? "" : ", ") + in_words(tensors->items()[i]);
    }
    return fmt::format("({})", text);
}

std::string in_words(const OpweldScalar& scalar) {
    switch (scalar.dtype) {
        case OPWELD_BOOL:
            return scalar.integer != 0 ? "true" : "false";
        case OPWELD_INT64:
            return fmt::format("{}", scalar.integer);
        case OPWELD_FLOAT64:
            return fmt::format("{}", scalar.real);
        default:
            return fmt::format("{} + {}i", scalar.real, scalar.imaginary);
    }
}

std::string in_words(const aclScalar* scalar) { return scalar == nullptr ? "none" : in_words(scalar->value); }

}  // namespace opweld::npu::aclnn
