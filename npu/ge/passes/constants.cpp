#include "npu/ge/engine/guarded.h"
#include "npu/ge/passes/passes.h"
#include "npu/ge/passes/rewiring.h"
#include "npu/kernels/index_range.h"
#include "npu/kernels/scope.h"

namespace opweld::npu::graph {
namespace {

constexpr size_t kLargestConstant = size_t{64} << 20;  // bytes; larger ones are computed in each run

// A large constant that repeats itself stays an expanded one: operators tell from its strides what they need
// not read.
at::Tensor kept(const at::Tensor& result) {
    constexpr int64_t kLarge = 1024;
    return result.numel() < kLarge ? result.contiguous()
                                   : kernels::repeated_part(result).contiguous().expand(result.sizes());
}

bool foldable(const Program& program, size_t node) {
    const BoundNode& bound = program.nodes[node];
    if (bound.op == nullptr || bound.op->mutates || bound.op->random ||
        program.graph.nodes[node].outputs.size() != 1 || program.graph.nodes[node].inputs.empty()) {
        return false;
    }
    for (const Source& source : program.graph.nodes[node].inputs) {
        if (source.node >= 0 && !program.nodes[static_cast<size_t>(source.node)].constant.defined()) {
            return false;
        }
    }
    return true;
}

Call constant_call(const Program& program, size_t node) {
    std::vector<Argument> arguments;
    for (const auto& sources : program.nodes[node].inputs) {
        Argument& argument = arguments.emplace_back();
        for (const Source& source : sources) {
            argument.tensors.push_back(program.nodes[static_cast<size_t>(source.node)].constant);
            argument.sources.push_back(source);
        }
        argument.values = argument.tensors;
    }
    return {*program.nodes[node].op, program.graph.nodes[node], std::move(arguments),
            program.nodes[node].attributes};
}

}  // namespace

size_t fold_constants(Program& program) {
    const kernels::KernelScope scope;
    const std::vector<bool> touched = touched_by_writes(program);
    size_t folded = 0;
    for (size_t i = 0; i < program.nodes.size(); ++i) {
        if (touched[i] || !foldable(program, i)) {
            continue;
        }
        Call call = constant_call(program, i);
        at::Tensor result;
        guarded(call, [&] { result = call.op().compute(call).front(); });
        if (!result.defined() || result.nbytes() > kLargestConstant) {
            continue;
        }
        BoundNode& bound = program.nodes[i];
        bound = {};
        bound.constant = kept(result);
        program.graph.nodes[i].inputs.clear();
        program.graph.nodes[i].input_infos.clear();
        ++folded;
    }
    return folded;
}

}  // namespace opweld::npu::graph
