// aclOpExecutor: what the first phase of an aclnn function hands to the second one.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "npu/aclnn/objects/object.h"

// Owns all that its operator needs (references of objects, copies of values). The second phase hands the
// caller's reference to the stream, so the executor frees itself, unless it was made repeatable.
struct OPWELD_EXPORT aclOpExecutor : opweld::npu::aclnn::Object {
    // Executes the operator; once for each time the stream (or a captured graph) reaches it.
    virtual void run() const = 0;
    virtual std::string_view name() const noexcept = 0;

    bool repeatable() const noexcept { return repeatable_; }
    void make_repeatable() noexcept { repeatable_ = true; }

  private:
    bool repeatable_ = false;
};

namespace opweld::npu::aclnn {

// The last failure of a first phase. The second phase reports it once more when it is called without an
// executor, which may happen on another thread, where the text of the first one is not to be seen.
class OPWELD_EXPORT LastFailure {
  public:
    constexpr LastFailure() = default;
    void remember(int code, std::string_view text) noexcept;
    // Sets this thread's error text and returns the code.
    int report_again(std::string_view function) const noexcept;

  private:
    mutable std::mutex mutex_;
    int code_ = 0;
    std::string text_;
};

// Puts the executor on the stream. Returns an ACL code.
OPWELD_EXPORT int enqueue_executor(aclOpExecutor* executor, void* stream) noexcept;

}  // namespace opweld::npu::aclnn
