#include "npu/aclnn/call/check_optimizer.h"

#include <fmt/format.h>

namespace opweld::npu::aclnn::check {

void running_maximum(bool amsgrad, const Operand& maximum) {
    if (amsgrad && !maximum) {
        invalid(fmt::format("argument '{}' is null, but 'amsgrad' needs it", maximum.name()));
    }
}

void running_maxima(bool amsgrad, const Operands& params, const Operands& maxima) {
    if (amsgrad) {
        same_shapes(params, maxima);
    }
}

void momentum_buffers_of(const Operands& params, const Operands& buffers) {
    if (buffers.size() != 0) {
        same_shapes(params, buffers);
    }
}

}  // namespace opweld::npu::aclnn::check
