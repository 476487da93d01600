// For libraries that bring tasks of milliseconds: compiled graphs.
#pragma once

#include <memory>

#include "npu/runtime/interface.h"

namespace opweld::npu {

// As enqueue(), but the task runs on the stream's own thread even where the stream is idle, and the caller
// goes on at once. All graphs then share one team of threads for their loops, whichever threads bring them,
// and Python prepares the next while one runs. Costs a wake-up, which is too much for single operators. Waits
// while hundreds of tasks are on the stream that have not run yet.
OPWELD_EXPORT int enqueue_on_own_thread(void* stream, std::unique_ptr<Task> task) noexcept;

}  // namespace opweld::npu
