#include "npu/aclnn/call/check_activation.h"

#include <fmt/format.h>

namespace opweld::npu::aclnn::check {

void not_zero(const Number& number) {
    if (as_double(number) == 0) {
        invalid(fmt::format("argument '{}' is 0, by which nothing can be divided", number.name()));
    }
}

}  // namespace opweld::npu::aclnn::check
