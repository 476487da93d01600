// Loops on all threads that ATen uses.
#pragma once

#include <c10/util/FunctionRef.h>

#include <cstdint>

#include "npu/runtime/interface.h"

namespace opweld::npu::kernels {

// Calls `f(first, last)` for parts of [begin, end), each of at least `grain` numbers but the last, at the
// same time on as many threads as at::get_num_threads() says; on the caller's alone inside of another such
// loop. Rethrows the first exception. It is at::parallel_for, which ATen's headers compile to a plain loop in
// sources that are built without OpenMP, as all others here are.
OPWELD_EXPORT void parallel_for(int64_t begin, int64_t end, int64_t grain,
                                c10::function_ref<void(int64_t, int64_t)> f);

}  // namespace opweld::npu::kernels
