#include "npu/aclnn/call/check_quantize.h"

#include <fmt/format.h>

#include <algorithm>

namespace opweld::npu::aclnn::check {
namespace {

constexpr int64_t kMostDimensions = 8;

void row_outputs(const Operand& x, const RowOutputs& outputs) {
    same_shape(x, outputs.y);
    of_rows(x, outputs.scale);
}

}  // namespace

void of_last(const Operand& x, const Operand& tensor) {
    has_rank(x, 1, kMostDimensions);
    if (tensor) {
        const int64_t wanted[] = {x.size(x.rank() - 1)};
        has_shape(tensor, wanted, fmt::format("the last dimension of '{}'", x.name()));
    }
}

void one_or_of_last(const Operand& x, const Operand& tensor) {
    if (!tensor || tensor.elements() != 1 || tensor.rank() > 1) {
        of_last(x, tensor);
    }
}

void of_rows(const Operand& x, const Operand& tensor) {
    has_rank(x, 1, kMostDimensions);
    if (tensor) {
        has_shape(tensor, x.shape().first(x.shape().size() - 1),
                  fmt::format("the shape of '{}' without its last dimension", x.name()));
    }
}

void rounding(std::string_view mode) {
    constexpr std::string_view kModes[] = {"round", "floor", "ceil", "trunc"};
    if (std::find(std::begin(kModes), std::end(kModes), mode) == std::end(kModes)) {
        invalid(fmt::format("argument 'roundMode' is '{}', expected round, floor, ceil or trunc", mode));
    }
}

void added(const Operand& x1, const Operand& x2, const Operand& gamma, const Operand& sum) {
    same_shape(x1, x2);
    same_shape(x1, sum);
    same_dtype(x1, x2);
    same_dtype(x1, sum);
    of_last(x1, gamma);
}

void chosen(const Operand& x, std::span<const bool> mask, const Operand& smooth1, const Operand& smooth2,
            const RowOutputs& first, const RowOutputs& second) {
    if (!mask.empty() && mask.size() != 2) {
        invalid(fmt::format("argument 'outputMask' has {} elements, expected 2", mask.size()));
    }
    if (mask.empty() || mask[0]) {
        row_outputs(x, first);
    }
    if (mask.empty() ? smooth1 && smooth2 : mask[1]) {
        row_outputs(x, second);
    }
}

}  // namespace opweld::npu::aclnn::check
