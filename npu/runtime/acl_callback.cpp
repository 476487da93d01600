#include "npu/runtime/acl_api.h"
#include "npu/runtime/context.h"
#include "npu/runtime/error.h"
#include "npu/runtime/report.h"
#include "npu/runtime/stream.h"

using namespace opweld::npu;

namespace {

constexpr int kBlock = 1;

// A function of the program as a task of the stream's own thread.
class HostFunction final : public Task {
  public:
    HostFunction(CallbackFunction function, void* data) : function_(function), data_(data) {}
    void run() override { function_(data_); }
    std::string_view name() const noexcept override { return "aclrtLaunchHostFunc"; }

  private:
    CallbackFunction function_;
    void* data_;
};

// Hands a function of the program over to the thread that serves the stream.
class Report final : public Task {
  public:
    Report(std::shared_ptr<ReportQueue> queue, CallbackFunction function, void* data,
           std::shared_ptr<Mark> done)
        : queue_(std::move(queue)), function_(function), data_(data), done_(std::move(done)) {}
    // Whoever waits for the callback must not wait for one that was dropped.
    ~Report() override {
        if (!handed_over_) {
            done_->complete();
        }
    }
    void run() override {
        hand_over(*queue_, function_, data_, done_);
        handed_over_ = true;
    }
    std::string_view name() const noexcept override { return "aclrtLaunchCallback"; }

  private:
    std::shared_ptr<ReportQueue> queue_;
    CallbackFunction function_;
    void* data_;
    std::shared_ptr<Mark> done_;
    bool handed_over_ = false;
};

// The same inside a graph, which waits for the callback in its place.
class CapturedReport final : public Task {
  public:
    CapturedReport(std::shared_ptr<ReportQueue> queue, CallbackFunction function, void* data, bool blocks)
        : queue_(std::move(queue)), function_(function), data_(data), blocks_(blocks) {}
    void run() override {
        auto done = std::make_shared<Mark>();
        hand_over(*queue_, function_, data_, done);
        if (blocks_) {
            Stream::wait_in_task(done);
        }
    }
    std::string_view name() const noexcept override { return "aclrtLaunchCallback"; }

  private:
    std::shared_ptr<ReportQueue> queue_;
    CallbackFunction function_;
    void* data_;
    bool blocks_;
};

// The handle under which a stream is subscribed.
void* handle_of(void* stream) {
    if (stream != nullptr) {
        streams().get(stream);
        return stream;
    }
    void* context = current_context();
    return contexts().get(context)->default_stream(context);
}

}  // namespace

int aclrtSubscribeReport(uint64_t thread, void* stream) {
    return entry(__func__, [&] { subscribe(thread, handle_of(stream)); }, thread, fmt::ptr(stream));
}

int aclrtUnSubscribeReport(uint64_t thread, void* stream) {
    return entry(__func__, [&] { unsubscribe(thread, handle_of(stream)); }, thread, fmt::ptr(stream));
}

int aclrtProcessReport(int32_t timeout) {
    return entry(__func__, [&] { process_report(timeout); }, timeout);
}

int aclrtLaunchCallback(CallbackFunction function, void* data, int block, void* stream) {
    return entry(
        __func__,
        [&] {
            required(function, "fn");
            auto queue = subscriber_of(handle_of(stream));
            auto done = std::make_shared<Mark>();
            const auto pin = stream_of(stream);
            if (pin->recorder() != nullptr) {
                pin->run(std::make_unique<CapturedReport>(std::move(queue), function, data, block == kBlock),
                         false);
                return;
            }
            pin->run(std::make_unique<Report>(std::move(queue), function, data, done));
            if (block == kBlock) {
                pin->wait(std::move(done));
            }
        },
        block, fmt::ptr(stream));
}

int aclrtLaunchHostFunc(void* stream, CallbackFunction function, void* data) {
    return entry(
        __func__,
        [&] {
            stream_of(stream)->run(std::make_unique<HostFunction>(required(function, "func"), data), false);
        },
        fmt::ptr(stream));
}
