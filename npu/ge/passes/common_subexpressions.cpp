#include <cstring>
#include <map>

#include "npu/ge/passes/passes.h"
#include "npu/ge/passes/rewiring.h"

namespace opweld::npu::graph {
namespace {

bool same(const Constant& a, const Constant& b) {
    return a.info.dtype == b.info.dtype && a.info.shape == b.info.shape && *a.bytes == *b.bytes;
}

bool same(const Attribute& a, const Attribute& b) {
    return a.index() == b.index() && std::visit(
                                         [&](const auto& value) {
                                             using T = std::remove_cvref_t<decltype(value)>;
                                             if constexpr (std::is_same_v<T, Constant>) {
                                                 return same(value, std::get<T>(b));
                                             } else {
                                                 return value == std::get<T>(b);
                                             }
                                         },
                                         a);
}

bool same(const at::Tensor& a, const at::Tensor& b) {
    return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() &&
           (a.nbytes() == 0 || std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0);
}

bool same(const BoundNode& a, const BoundNode& b) {
    if (a.constant.defined() || b.constant.defined()) {
        return a.constant.defined() && b.constant.defined() && same(a.constant, b.constant);
    }
    if (a.op != b.op || a.inputs != b.inputs) {
        return false;
    }
    for (size_t i = 0; i < a.attributes.size(); ++i) {
        if (!same(a.attributes[i], b.attributes[i])) {
            return false;
        }
    }
    return true;
}

}  // namespace

size_t merge_common_subexpressions(Program& program) {
    const std::vector<bool> touched = touched_by_writes(program);
    std::multimap<std::string, size_t, std::less<>> seen;  // by type
    std::vector<bool> gone(program.nodes.size(), false);
    size_t merged = 0;
    for (size_t i = 0; i < program.nodes.size(); ++i) {
        const BoundNode& bound = program.nodes[i];
        const Node& node = program.graph.nodes[i];
        if ((bound.op == nullptr && !bound.constant.defined()) || touched[i] ||
            (bound.op != nullptr && bound.op->random) || !node.after.empty()) {
            continue;
        }
        const std::string kind = bound.constant.defined() ? "Const" : node.type;
        const auto [begin, end] = seen.equal_range(kind);
        bool found = false;
        for (auto other = begin; other != end && !found; ++other) {
            const Node& first = program.graph.nodes[other->second];
            if (first.outputs.size() != node.outputs.size() || !same(program.nodes[other->second], bound)) {
                continue;
            }
            for (size_t k = 0; k < node.outputs.size(); ++k) {
                redirect(program, {.node = static_cast<int>(i), .output = static_cast<int>(k)},
                         {.node = static_cast<int>(other->second), .output = static_cast<int>(k)});
            }
            gone[i] = found = true;
            ++merged;
        }
        if (!found) {
            seen.emplace(kind, i);
        }
    }
    for (Node& node : program.graph.nodes) {
        for (const int before : node.after) {
            gone[static_cast<size_t>(before)] = false;  // somebody waits for it
        }
    }
    erase_nodes(program, gone);
    return merged;
}

}  // namespace opweld::npu::graph
