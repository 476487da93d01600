// The operators of the framework that a thread is running, so that errors and traces can name them.
//
// Whoever knows of operators (libopapi.so, which hears of them from torch) tells it by enter and leave. A
// task runs later and on another thread: it keeps the chain of when it was made. Safe from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "npu/runtime/interface.h"

namespace opweld::npu {

// Names of operators, outermost first: "ScaleBackward", "aten::mul". Of a deeper chain the innermost ones.
// The names live as long as the process.
class OPWELD_EXPORT OperatorChain {
  public:
    static constexpr size_t kDepth = 8;

    std::span<const char* const> names() const noexcept { return {names_.data(), size_}; }
    void add(const char* name) noexcept {
        if (size_ < kDepth) {
            names_[size_++] = name;
        }
    }

  private:
    std::array<const char*, kDepth> names_{};
    size_t size_ = 0;
};

// What the calling thread runs; empty where nobody tells.
OPWELD_EXPORT OperatorChain running_operators() noexcept;

// Whether enter and leave are to be called: something asks for operators (OPWELD_EXPLAIN=1 or OPWELD_TRACE).
OPWELD_EXPORT bool operators_are_watched() noexcept;

// The calling thread begins and ends an operator. `raises`: an exception ends it.
OPWELD_EXPORT void enter_operator(std::string_view name) noexcept;
OPWELD_EXPORT void leave_operator(bool raises) noexcept;

// One argument of an operator, for people: "self", "float32[2, 3]".
struct Detail {
    std::string name;
    std::string value;
};

// What a task can tell that runs an operator. A task implements it besides Task; the runtime asks for it
// where a task fails or is traced.
class OPWELD_EXPORT OperatorTask {
  public:
    virtual ~OperatorTask() = default;
    // The operators that ran when the task was made.
    virtual OperatorChain operators() const noexcept = 0;
    virtual std::vector<Detail> details() const = 0;
};

// The names of all operators that were entered in this process.
std::vector<std::string> entered_operators();

// How many operators the calling thread has entered so far.
uint64_t operators_of_thread() noexcept;

std::mutex& operator_names_mutex() noexcept;

}  // namespace opweld::npu
