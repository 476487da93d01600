#include "npu/ge/passes/dtypes.h"
#include "npu/ge/passes/passes.h"
#include "npu/ge/passes/rewiring.h"

namespace opweld::npu::graph {
namespace {

// Whether each value of `from` is one of `to`.
bool holds_all(at::ScalarType from, at::ScalarType to) {
    if (from == to) {
        return true;
    }
    const bool half = from == at::kHalf || from == at::kBFloat16;
    return (half && (to == at::kFloat || to == at::kDouble)) || (from == at::kFloat && to == at::kDouble);
}

}  // namespace

size_t merge_casts(Program& program) {
    size_t changes = 0;
    for (size_t i = 0; i < program.nodes.size(); ++i) {
        BoundNode& node = program.nodes[i];
        if (node.op == nullptr || program.graph.nodes[i].type != "Cast") {
            continue;
        }
        const Source self{.node = static_cast<int>(i), .output = 0};
        const auto target = cast_target(node);
        const Source inner = only(node, 0);
        const auto middle = known_dtype(program, inner);
        if (target && middle == target) {
            changes += redirect(program, self, inner) > 0 ? 1 : 0;
            continue;
        }
        const auto inner_node = static_cast<size_t>(inner.node);
        if (program.graph.nodes[inner_node].type != "Cast" || program.nodes[inner_node].op == nullptr ||
            !middle) {
            continue;
        }
        const Source origin = only(program.nodes[inner_node], 0);
        const auto first = known_dtype(program, origin);
        if (!first || !holds_all(*first, *middle)) {
            continue;
        }
        if (first == target) {
            changes += redirect(program, self, origin) > 0 ? 1 : 0;
        } else {
            program.graph.nodes[i].inputs.front() = origin;
            node.inputs.front().front() = origin;
            ++changes;
        }
    }
    return changes;
}

}  // namespace opweld::npu::graph
