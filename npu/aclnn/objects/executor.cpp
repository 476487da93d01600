#include "npu/aclnn/objects/executor.h"

#include <fmt/format.h>

#include "npu/aclnn/objects/boundary.h"
#include "npu/runtime/operators.h"

namespace opweld::npu::aclnn {
namespace {

// One launch of a repeatable executor: holds a reference for as long as the stream or a captured graph may
// run it.
class Launch final : public Task, public OperatorTask {
  public:
    explicit Launch(aclOpExecutor* executor) noexcept
        : executor_(executor), known_(dynamic_cast<const OperatorTask*>(executor)) {
        executor_->retain();
    }
    ~Launch() override { executor_->release(); }
    Launch(const Launch&) = delete;
    Launch& operator=(const Launch&) = delete;

    void run() override { executor_->run(); }
    std::string_view name() const noexcept override { return executor_->name(); }
    OperatorChain operators() const noexcept override {
        return known_ == nullptr ? OperatorChain() : known_->operators();
    }
    std::vector<Detail> details() const override {
        return known_ == nullptr ? std::vector<Detail>() : known_->details();
    }

  private:
    aclOpExecutor* executor_;
    const OperatorTask* known_;
};

}  // namespace

void LastFailure::remember(int code, std::string_view text) noexcept {
    const std::lock_guard lock(mutex_);
    code_ = code;
    try {
        text_ = text;
    } catch (const std::bad_alloc&) {
        text_.clear();
    }
}

void LastFailure::clear(std::string_view function) noexcept {
    const std::lock_guard lock(mutex_);
    if (text_.empty() || (text_.starts_with(function) && text_.substr(function.size(), 1) == ":")) {
        code_ = kOk;
        text_.clear();
    }
}

int LastFailure::report_again(std::string_view function) const noexcept {
    try {
        const std::lock_guard lock(mutex_);
        if (code_ != kOk) {
            return fail(code_,
                        fmt::format("{} (its second phase was called without an executor; this is what "
                                    "the latest first phase that failed said)",
                                    text_));
        }
        return fail(
            kInnerNullPointer,
            fmt::format(
                "{0}: called without an executor; call {0}GetWorkspaceSize first and use its executor "
                "once",
                function));
    } catch (...) {
        return fail(kInnerNullPointer, "an aclnn function was called without an executor");
    }
}

int enqueue_executor(std::string_view function, aclOpExecutor* executor, void* stream) noexcept {
    try {
        check_handle(executor, ObjectType::executor, "executor");
    } catch (...) {
        return fail_with_current(function);
    }
    if (!executor->repeatable()) {
        return enqueue(stream, std::unique_ptr<Task>(executor));
    }
    try {
        return enqueue(stream, std::make_unique<Launch>(executor));
    } catch (const std::bad_alloc&) {
        return fail(kInner, "the host is out of memory");
    }
}

extern "C" {

OPWELD_EXPORT int aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
    return guarded_status("aclSetAclOpExecutorRepeatable", [&] {
        require(executor, "executor");
        check_handle(executor, ObjectType::executor, "executor");
        executor->make_repeatable();
    });
}

OPWELD_EXPORT int aclDestroyAclOpExecutor(aclOpExecutor* executor) {
    return guarded_status("aclDestroyAclOpExecutor", [&] {
        require(executor, "executor");
        check_handle(executor, ObjectType::executor, "executor");
        executor->release();
    });
}

// torch_npu brackets each call with these to reuse host memory for executors. Executors here are small and
// counted, so there is nothing to set up or to give back.
OPWELD_EXPORT int InitHugeMemThreadLocal(void*, bool) { return kOk; }
OPWELD_EXPORT void UnInitHugeMemThreadLocal(void*, bool) {}
OPWELD_EXPORT void ReleaseHugeMem(void*, bool) {}

}  // extern "C"
}  // namespace opweld::npu::aclnn
