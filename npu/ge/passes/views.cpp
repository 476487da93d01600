#include <algorithm>
#include <optional>

#include "npu/ge/passes/passes.h"
#include "npu/ge/passes/rewiring.h"

namespace opweld::npu::graph {
namespace {

// The constant that feeds an input, as integers.
std::optional<std::vector<int64_t>> constant_integers(const Program& program, const BoundNode& node,
                                                      size_t input) {
    const at::Tensor& value = program.nodes[static_cast<size_t>(only(node, input).node)].constant;
    if (!value.defined() || !at::isIntegralType(value.scalar_type(), false)) {
        return std::nullopt;
    }
    const at::Tensor wide = value.to(at::kLong).contiguous();
    const auto* first = wide.const_data_ptr<int64_t>();
    return std::vector<int64_t>(first, first + wide.numel());
}

bool is(const Program& program, const Source& source, std::string_view type) {
    const auto node = static_cast<size_t>(source.node);
    return program.nodes[node].op != nullptr && program.graph.nodes[node].type == type;
}

BoundNode& bound(Program& program, const Source& source) {
    return program.nodes[static_cast<size_t>(source.node)];
}

bool is_identity(const std::vector<int64_t>& order) {
    for (size_t i = 0; i < order.size(); ++i) {
        if (order[i] != static_cast<int64_t>(i)) {
            return false;
        }
    }
    return true;
}

}  // namespace

size_t merge_transposes(Program& program) {
    size_t changes = 0;
    for (size_t i = 0; i < program.nodes.size(); ++i) {
        const Source self{.node = static_cast<int>(i), .output = 0};
        if (!is(program, self, "Transpose")) {
            continue;
        }
        const Source inner = only(program.nodes[i], 0);
        const auto outer_order = constant_integers(program, program.nodes[i], 1);
        if (!outer_order) {
            continue;
        }
        if (is_identity(*outer_order)) {
            changes += redirect(program, self, inner) > 0 ? 1 : 0;
            continue;
        }
        if (!is(program, inner, "Transpose")) {
            continue;
        }
        const auto inner_order = constant_integers(program, bound(program, inner), 1);
        if (!inner_order || inner_order->size() != outer_order->size()) {
            continue;
        }
        std::vector<int64_t> both;
        for (const int64_t axis : *outer_order) {
            if (axis < 0 || axis >= static_cast<int64_t>(inner_order->size())) {
                break;
            }
            both.push_back((*inner_order)[static_cast<size_t>(axis)]);
        }
        if (both.size() == outer_order->size() && is_identity(both)) {
            changes += redirect(program, self, only(bound(program, inner), 0)) > 0 ? 1 : 0;
        }
    }
    return changes;
}

size_t remove_copies(Program& program) {
    const std::vector<bool> touched = touched_by_writes(program);
    if (std::ranges::any_of(touched, [](bool t) { return t; })) {
        return 0;  // which copies keep an old value would have to be known
    }
    size_t changes = 0;
    for (size_t i = 0; i < program.nodes.size(); ++i) {
        const Source self{.node = static_cast<int>(i), .output = 0};
        if (is(program, self, "TensorMove") || is(program, self, "Identity")) {
            changes += redirect(program, self, only(program.nodes[i], 0)) > 0 ? 1 : 0;
        }
    }
    return changes;
}

size_t remove_dead_nodes(Program& program) {
    std::vector<bool> dead(program.nodes.size(), true);
    dead[static_cast<size_t>(program.graph.net_output)] = false;
    for (size_t i = program.nodes.size(); i-- > 0;) {
        const BoundNode& node = program.nodes[i];
        dead[i] = dead[i] && !is_data(program.graph.nodes[i]) && (node.op == nullptr || !node.op->mutates);
        if (dead[i]) {
            continue;
        }
        for (const Source& source : program.graph.nodes[i].inputs) {
            if (source.node >= 0) {
                dead[static_cast<size_t>(source.node)] = false;
            }
        }
        for (const int before : program.graph.nodes[i].after) {
            dead[static_cast<size_t>(before)] = false;
        }
    }
    const auto count = static_cast<size_t>(std::ranges::count(dead, true));
    if (count > 0) {
        erase_nodes(program, dead);
    }
    return count;
}

}  // namespace opweld::npu::graph
