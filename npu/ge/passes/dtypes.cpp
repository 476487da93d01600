#include "npu/ge/passes/dtypes.h"

namespace opweld::npu::graph {

std::optional<at::ScalarType> cast_target(const BoundNode& node) {
    const auto* number = std::get_if<int64_t>(&node.attributes.front());
    return number == nullptr ? std::nullopt : std::optional(dtype_of(*number));
}

std::optional<at::ScalarType> known_dtype(const Program& program, const Source& source) {
    const auto node = static_cast<size_t>(source.node);
    if (program.nodes[node].constant.defined()) {
        return program.nodes[node].constant.scalar_type();
    }
    if (program.graph.nodes[node].type == "Cast" && program.nodes[node].op != nullptr) {
        return cast_target(program.nodes[node]);
    }
    if (is_data(program.graph.nodes[node])) {
        return dtype_of(program.graph.nodes[node].outputs.front().dtype.number);
    }
    return std::nullopt;
}

}  // namespace opweld::npu::graph
