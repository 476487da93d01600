#include "npu/ge/operators/kernel.h"

#include <fmt/format.h>

#include "npu/ge/model/graph.h"
#include "npu/kernels/kernel.h"

namespace opweld::npu::graph {

void run_kernel(std::string_view name, std::span<kernels::Value> arguments) {
    const kernels::Kernel* kernel = kernels::find(name);
    if (kernel == nullptr) {
        throw GraphError(fmt::format("there is no kernel {}", name));
    }
    kernel->run(arguments);
}

}  // namespace opweld::npu::graph
