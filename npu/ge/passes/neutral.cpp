#include <ATen/ops/eq.h>

#include "npu/ge/passes/passes.h"
#include "npu/ge/passes/rewiring.h"
#include "npu/kernels/scope.h"

namespace opweld::npu::graph {
namespace {

// A number without dimensions, which decides neither shape nor dtype of a product.
bool is_one(const Program& program, const Source& source) {
    const at::Tensor& constant = program.nodes[static_cast<size_t>(source.node)].constant;
    return constant.defined() && constant.dim() == 0 && constant.eq(1).item<bool>();
}

bool is_integer_one(const Program& program, const Source& source) {
    return at::isIntegralType(program.nodes[static_cast<size_t>(source.node)].constant.scalar_type(), true);
}

bool is_number(const Program& program, const Source& source) {
    const at::Tensor& constant = program.nodes[static_cast<size_t>(source.node)].constant;
    return constant.defined() && constant.dim() == 0;
}

}  // namespace

size_t remove_neutral_operations(Program& program) {
    const kernels::KernelScope scope;
    size_t changes = 0;
    for (size_t i = 0; i < program.nodes.size(); ++i) {
        const std::string& type = program.graph.nodes[i].type;
        const bool product = type == "Mul";
        if (program.nodes[i].op == nullptr || (!product && type != "RealDiv")) {
            continue;
        }
        const Source first = only(program.nodes[i], 0);
        const Source second = only(program.nodes[i], 1);
        const Source self{.node = static_cast<int>(i), .output = 0};
        if (is_one(program, second) && !is_number(program, first) &&
            (product || !is_integer_one(program, second))) {
            changes += redirect(program, self, first) > 0 ? 1 : 0;
        } else if (product && is_one(program, first) && !is_number(program, second)) {
            changes += redirect(program, self, second) > 0 ? 1 : 0;
        }
    }
    return changes;
}

}  // namespace opweld::npu::graph
