#include "npu/runtime/host_settings.h"

#include <malloc.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "npu/runtime/interface.h"

namespace opweld::npu {
namespace {

constexpr int kLargestKept = 32 << 20;  // of one allocation; the C library takes no larger threshold
constexpr int kKept = 512 << 20;
constexpr unsigned long kLenient = 1'000'000;  // nanoseconds

// What exact_timers_again() goes back to; 0: nothing to do.
thread_local int exact_slack = 0;

bool environment_decides() noexcept {
    constexpr std::array kNames = {"MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_TOP_PAD_",
                                   "GLIBC_TUNABLES"};
    return std::ranges::any_of(kNames, [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace

void keep_freed_memory() noexcept {
    if (!environment_decides()) {
        mallopt(M_MMAP_THRESHOLD, kLargestKept);
        mallopt(M_TRIM_THRESHOLD, kKept);
    }
}

void lenient_timers_for_new_threads() {
    if (exact_slack == 0) {
        exact_slack = std::max(prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL), 0);
        prctl(PR_SET_TIMERSLACK, std::max(kLenient, static_cast<unsigned long>(exact_slack)), 0UL, 0UL, 0UL);
    }
}

void exact_timers_again() {
    if (exact_slack != 0) {
        prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(exact_slack), 0UL, 0UL, 0UL);
        exact_slack = 0;
    }
}

}  // namespace opweld::npu
