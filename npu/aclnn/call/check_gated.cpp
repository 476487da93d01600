#include "npu/aclnn/call/check_gated.h"

#include <fmt/format.h>

namespace opweld::npu::aclnn::check {

void rotated(const Operand& x, const Operand& cos, const Operand& sin, int64_t mode) {
    constexpr int64_t kQuarter = 2;
    const int64_t parts = mode == kQuarter ? 4 : 2;
    has_rank(x, 1, 8);
    if (x.size(x.rank() - 1) % parts != 0) {
        invalid(fmt::format("argument '{}' has shape {}, expected a last size that is a multiple of {}",
                            x.name(), text(x.shape()), parts));
    }
    same_shape(cos, sin);
    broadcasts_to(cos, x);
}

void rotation_mode(std::string_view mode) {
    if (mode != "half" && mode != "interleave" && mode != "quarter") {
        invalid(fmt::format(
            "argument 'rotaryMode' is \"{}\", expected \"half\", \"interleave\" or \"quarter\"", mode));
    }
}

}  // namespace opweld::npu::aclnn::check
