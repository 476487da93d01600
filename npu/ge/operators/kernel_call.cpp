#include "npu/ge/operators/kernel_call.h"

#include <fmt/format.h>

#include "npu/ge/model/graph.h"

namespace opweld::npu::graph {

const kernels::Kernel& kernel_named(std::string_view name) {
    const kernels::Kernel* kernel = kernels::find(name);
    if (kernel == nullptr) {
        throw GraphError(fmt::format("there is no kernel named {}", name));
    }
    return *kernel;
}

}  // namespace opweld::npu::graph
