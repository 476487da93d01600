#include "npu/aclnn/call/check_amp.h"

#include <fmt/format.h>

namespace opweld::npu::aclnn::check {

void one_element(const Operand& tensor) {
    if (tensor.elements() != 1) {
        invalid(fmt::format("argument '{}' has {} elements, expected 1", tensor.name(), tensor.elements()));
    }
}

}  // namespace opweld::npu::aclnn::check
