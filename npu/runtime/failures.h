// The latest failures of this process, for who explains them afterwards: tasks that failed on a stream, calls
// that returned an error, operators that an exception ended. Read by opweldFailures(). Safe from any thread.
#pragma once

#include <mutex>
#include <string_view>

#include "npu/runtime/operators.h"

namespace opweld::npu {

void note_failed_task(const Task& task, int code, std::string_view message, int device, int stream) noexcept;
void note_failed_call(int code, std::string_view message) noexcept;
void note_raising_operators(const OperatorChain& operators) noexcept;

std::mutex& failures_mutex() noexcept;

}  // namespace opweld::npu

// What was noted, as JSON:
//   {"tasks": [{"task", "code", "error", "message", "device", "stream", "operators", "arguments"}...],
//    "calls": [{"code", "error", "message", "operators"}...],
//    "raised": {"operators", "since"} or null, "entered": [names]}
// The latest is last. `since` is how many operators the calling thread has entered after it; -1: another
// thread's. Null where there is no memory. The text is valid until the calling thread asks again.
extern "C" OPWELD_EXPORT const char* opweldFailures();
