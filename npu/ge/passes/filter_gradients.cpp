#include <algorithm>
#include <vector>

#include "npu/ge/passes/dtypes.h"
#include "npu/ge/passes/passes.h"
#include "npu/ge/passes/rewiring.h"

namespace opweld::npu::graph {
namespace {

bool casts_to_bfloat16(const Program& program, size_t node) {
    return program.nodes[node].op != nullptr && program.graph.nodes[node].type == "Cast" &&
           cast_target(program.nodes[node]) == at::kBFloat16;
}

// The nodes that read a result of each node.
std::vector<std::vector<size_t>> readers(const Program& program) {
    std::vector<std::vector<size_t>> all(program.nodes.size());
    for (size_t i = 0; i < program.nodes.size(); ++i) {
        for (const Source& source : program.graph.nodes[i].inputs) {
            if (source.node >= 0) {
                all[static_cast<size_t>(source.node)].push_back(i);
            }
        }
    }
    return all;
}

bool is_filter_gradient(const Program& program, size_t node) {
    const std::string& type = program.graph.nodes[node].type;
    return program.nodes[node].op != nullptr &&
           (type == "Conv2DBackpropFilter" || type == "Conv3DBackpropFilter");
}

}  // namespace

size_t round_filter_gradients(Program& program) {
    const auto reading = readers(program);
    size_t changes = 0;
    for (size_t i = 0; i < program.nodes.size(); ++i) {
        if (!is_filter_gradient(program, i) || reading[i].empty() ||
            known_dtype(program, only(program.nodes[i], 0)) != at::kBFloat16 ||
            !std::ranges::all_of(reading[i],
                                 [&](size_t reader) { return casts_to_bfloat16(program, reader); })) {
            continue;
        }
        program.graph.nodes[i].type += "Rounded";
        program.nodes[i].op = find_operator(program.graph.nodes[i].type);
        for (const size_t cast : reading[i]) {
            redirect(program, {.node = static_cast<int>(cast), .output = 0},
                     {.node = static_cast<int>(i), .output = 0});
        }
        ++changes;
    }
    return changes;
}

}  // namespace opweld::npu::graph
