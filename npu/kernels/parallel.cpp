// Built with OpenMP: see CMakeLists.txt.
#include "npu/kernels/parallel.h"

#include <ATen/Parallel.h>

#if !defined(INTRA_OP_PARALLEL) && !defined(__clang_analyzer__)
#error "without OpenMP at::parallel_for is a loop on one thread"
#endif

namespace opweld::npu::kernels {

void parallel_for(int64_t begin, int64_t end, int64_t grain, c10::function_ref<void(int64_t, int64_t)> f) {
    at::parallel_for(begin, end, grain, f);
}

}  // namespace opweld::npu::kernels
