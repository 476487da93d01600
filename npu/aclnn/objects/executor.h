// aclOpExecutor: what the first phase of an aclnn function hands to the second one.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "npu/aclnn/objects/object.h"

// Owns all that its operator needs (references of objects, copies of values). The second phase hands the
// executor itself to the stream, which deletes it when it has run, unless it was made repeatable: then each
// launch holds a reference.
struct OPWELD_EXPORT aclOpExecutor : opweld::npu::aclnn::Object, opweld::npu::Task {
    aclOpExecutor() noexcept : Object(opweld::npu::aclnn::ObjectType::executor) {}

    bool repeatable() const noexcept { return repeatable_; }
    void make_repeatable() noexcept { repeatable_ = true; }

  private:
    bool repeatable_ = false;
};

namespace opweld::npu::aclnn {

// The last failure of a first phase, until one succeeds. The second phase reports it once more when it is
// called without an executor, which may happen on another thread, where the text of the first one is not to
// be seen.
class OPWELD_EXPORT LastFailure {
  public:
    constexpr LastFailure() = default;
    void remember(int code, std::string_view text) noexcept;
    // After a first phase of `function` that succeeded; keeps the failure of another one.
    void forget(std::string_view function) noexcept {
        if (code_.load(std::memory_order_relaxed) != 0) {
            clear(function);
        }
    }
    // Sets this thread's error text and returns the code.
    int report_again(std::string_view function) const noexcept;

  private:
    void clear(std::string_view function) noexcept;

    mutable std::mutex mutex_;
    std::atomic<int> code_{0};  // written under the mutex
    std::string text_;
};

// Puts the executor on the stream. Returns an ACL code; `function` stands before its text.
OPWELD_EXPORT int enqueue_executor(std::string_view function, aclOpExecutor* executor, void* stream) noexcept;

}  // namespace opweld::npu::aclnn
