#include "npu/kernels/kernel.h"

#include <algorithm>

namespace opweld::npu::kernels {

const Kernel* find(std::string_view name) noexcept {
    const auto kernels = all();
    const auto found =
        std::lower_bound(kernels.begin(), kernels.end(), name,
                         [](const Kernel* kernel, std::string_view n) { return kernel->name < n; });
    return found != kernels.end() && (*found)->name == name ? *found : nullptr;
}

}  // namespace opweld::npu::kernels
