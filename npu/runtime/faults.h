// Faults on purpose: the n-th allocation or task fails as it would on a broken device, so that programs can
// test what they do then. From OPWELD_FAULTS, or by opweldInjectFaults().
//
// A specification is a list of faults separated by ';', each KIND@N, KIND@N+ or either with :NAME behind it:
//
//   oom@3                the 3rd allocation of device memory finds none left
//   kernel@1:aclnnAdd    the 1st aclnnAdd that runs fails like a kernel with an exception (507015)
//   abort@2+             the 2nd task and all after it are aborted (107022)
//   memory@1             the task hits memory with an uncorrectable error (507053)
//   ecc@1                the same with several wrong bits (507054)
//   link@1               the task loses its peer (507056)
//   hang@5               the 5th task never ends: its stream stands still until it is aborted
//
// N counts from 1, from when the fault was given, and only what NAME (a task's name) allows. Safe from any
// thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "npu/runtime/interface.h"

namespace opweld::npu {

enum class FaultKind : uint8_t { oom, kernel, abort, memory, ecc, link, hang };

struct Fault {
    FaultKind kind;
    uint64_t first = 1;      // which one of those that match
    bool all_after = false;  // and those behind it
    std::string name{};      // of the task; empty: any
    uint64_t seen = 0;
};

// Throws AclException (ACL_ERROR_INVALID_PARAM) that shows the faulty entry and what is expected.
std::vector<Fault> parse_faults(std::string_view specification);

class Faults {
  public:
    static Faults& instance();

    // Replaces all faults; counting starts anew.
    void set(std::vector<Fault> faults);

    // Whether there is any: the one question where there is none.
    static bool armed() noexcept { return armed_.load(std::memory_order_relaxed); }

    // Whether this allocation fails.
    bool allocation_fails();

    enum class Outcome : uint8_t { runs, replaced, hangs };
    // What becomes of a task that is put on a stream: `replaced` puts a failing one in its place.
    Outcome on_task(std::unique_ptr<Task>& task);

    // The same for a task of a captured graph that is about to run: raises, or waits until the stream is
    // aborted.
    void before_captured(const Task& task);

  private:
    Faults() = default;
    std::optional<FaultKind> fault_of(const Task& task);
    bool happens(Fault& fault) noexcept;

    static inline std::atomic<bool> armed_{false};
    std::mutex mutex_;
    std::vector<Fault> faults_;
};

}  // namespace opweld::npu
