#include "npu/ge/engine/generator_states.h"

#include <algorithm>
#include <array>

namespace opweld::npu::graph {
namespace {

bool reads_state(const Operator& op, size_t input) {
    constexpr std::array<std::string_view, 5> kNames{"counter", "key", "offset", "seed", "seed1"};
    return (op.random || op.type == "NpuFusionAttentionGradV3") &&
           std::ranges::find(kNames, op.inputs[input].name) != kNames.end();
}

}  // namespace

std::vector<bool> generator_states(const Program& program) {
    const auto& nodes = program.graph.nodes;
    enum class Use : uint8_t { none, state, other };
    std::vector<Use> uses(nodes.size(), Use::none);
    for (size_t i = nodes.size(); i-- > 0;) {
        const BoundNode& bound = program.nodes[i];
        const auto note = [&](const Source& source, bool state) {
            if (source.node >= 0) {
                Use& use = uses[static_cast<size_t>(source.node)];
                use = state && use != Use::other ? Use::state : Use::other;
            }
        };
        if (bound.op == nullptr) {
            for (const Source& source : nodes[i].inputs) {
                note(source, false);
            }
            continue;
        }
        for (size_t input = 0; input < bound.inputs.size(); ++input) {
            for (const Source& source : bound.inputs[input]) {
                note(source, uses[i] == Use::state || reads_state(*bound.op, input));
            }
        }
    }
    std::vector<bool> states;
    for (const int data : program.graph.data) {
        states.push_back(uses[static_cast<size_t>(data)] == Use::state);
    }
    return states;
}

}  // namespace opweld::npu::graph
