#include "spec/swapped_gradients.h"

#include <string_view>
#include <vector>

namespace opweld::spec {
namespace {

// The forward input whose `.shape` is the shape of the output.
std::optional<std::size_t> shaped_like(const BackwardOp& call, const Operator& callee,
                                       const OutputDesc& output) {
    constexpr std::string_view kSuffix = ".shape";
    const std::string_view text = output.shape.expression.text;
    if (output.shape.kind != ShapeRule::Kind::Expression || !text.ends_with(kSuffix)) {
        return std::nullopt;
    }
    const auto parameter = callee.find_input(text.substr(0, text.size() - kSuffix.size()));
    for (const BackwardArg& arg : call.args) {
        if (!parameter || arg.from != BackwardArg::From::Input || arg.argument >= callee.arguments.size()) {
            continue;
        }
        const Argument& taken = callee.arguments[arg.argument];
        if (taken.from == Argument::From::Input && taken.index == *parameter) {
            return arg.index;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::pair<std::size_t, std::size_t>> swapped_gradients(const BackwardOp& call,
                                                                     const Operator& callee) {
    std::vector<std::optional<std::size_t>> shapes;
    shapes.reserve(callee.outputs.size());
    for (const OutputDesc& output : callee.outputs) {
        shapes.push_back(shaped_like(call, callee, output));
    }
    for (std::size_t first = 0; first < shapes.size(); ++first) {
        for (std::size_t second = first + 1; second < shapes.size(); ++second) {
            if (call.gives[first] != call.gives[second] && shapes[first] == call.gives[second] &&
                shapes[second] == call.gives[first]) {
                return std::pair(first, second);
            }
        }
    }
    return std::nullopt;
}

}  // namespace opweld::spec
