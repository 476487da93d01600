#include "npu/aclnn/call/check_normalization.h"

#include <fmt/format.h>

#include <algorithm>

namespace opweld::npu::aclnn::check {
namespace {

void has_elements(const Operand& tensor, int64_t elements, const char* why) {
    if (tensor && tensor.elements() != elements) {
        invalid(fmt::format("argument '{}' has {} elements, expected {}, {}", tensor.name(),
                            tensor.elements(), elements, why));
    }
}

void needed(const Operand& tensor, const char* when) {
    if (!tensor) {
        invalid(fmt::format("argument '{}' is null, but {}", tensor.name(), when));
    }
}

}  // namespace

void channels(const Operand& input, std::initializer_list<Operand> tensors) {
    has_rank(input, 2, 8);
    for (const Operand& tensor : tensors) {
        if (tensor) {
            const int64_t shape[] = {input.size(1)};
            has_shape(tensor, shape, "one for each channel of the input");
        }
    }
}

void running_statistics(bool training, const Operand& mean, const Operand& variance) {
    if (!training) {
        needed(mean, "evaluation needs it");
        needed(variance, "evaluation needs it");
    } else if (static_cast<bool>(mean) != static_cast<bool>(variance)) {
        invalid("of the running mean and variance one is null, expected both or neither");
    }
}

void saved_statistics(bool training, const Operand& mean, const Operand& invstd) {
    if (training) {
        needed(mean, "the gradients of a training step need it");
        needed(invstd, "the gradients of a training step need it");
    }
}

void normalized(const Operand& input, std::span<const int64_t> shape,
                std::initializer_list<Operand> tensors) {
    const auto all = input.shape();
    if (shape.empty() || shape.size() > all.size() ||
        !std::equal(shape.begin(), shape.end(), all.end() - static_cast<int64_t>(shape.size()))) {
        invalid(fmt::format("argument 'normalizedShape' is {}, expected the last sizes of the input {}",
                            text(shape), text(all)));
    }
    for (const Operand& tensor : tensors) {
        if (tensor) {
            has_shape(tensor, shape, "the normalized shape");
        }
    }
}

void layer_statistics(const Operand& input, std::span<const int64_t> shape,
                      std::initializer_list<Operand> tensors) {
    int64_t parts = 1;
    for (int64_t i = 0; i < input.rank() - static_cast<int64_t>(shape.size()); ++i) {
        parts *= input.size(i);
    }
    for (const Operand& tensor : tensors) {
        has_elements(tensor, parts, "one for each normalized part");
    }
}

void grouped(const Operand& input, const GroupArguments& g, std::initializer_list<Operand> parameters,
             std::initializer_list<Operand> statistics) {
    has_elements(input, g.n * g.channels * g.area, "N * C * HxW");
    if (g.groups < 1 || g.channels % g.groups != 0) {
        invalid(
            fmt::format("argument 'group' is {}, expected a divisor of {} channels", g.groups, g.channels));
    }
    for (const Operand& tensor : parameters) {
        has_elements(tensor, g.channels, "one for each channel");
    }
    for (const Operand& tensor : statistics) {
        has_elements(tensor, g.n * g.groups, "one for each group");
    }
}

}  // namespace opweld::npu::aclnn::check
