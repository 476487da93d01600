// What the software NPU asks of the process it runs in, so that kernels get the CPU's time.
#pragma once

namespace opweld::npu {

// torch_npu's thread that releases arguments looks for work every few microseconds, and so takes a fifth of a
// CPU from the kernels. It is made between the first and the second stream of a device, by the thread that
// makes them, and inherits how exact the timers of that thread are: these are exact to a millisecond only
// between the two calls.
void lenient_timers_for_new_threads();
void exact_timers_again();

}  // namespace opweld::npu
