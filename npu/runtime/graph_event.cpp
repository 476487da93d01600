// Records of events and waits for them on streams that may be captured.
#include "npu/runtime/capture.h"
#include "npu/runtime/error.h"
#include "npu/runtime/stream.h"

namespace opweld::npu {
namespace {

// What a graph does with an event of the outside, each time it runs.
class ExternalEventTask final : public Task {
  public:
    enum class Action : uint8_t { record, wait, reset };
    ExternalEventTask(void* event, Action action) : event_(event), action_(action) {}

    void run() override {
        switch (action_) {
            case Action::record:
                events().get(event_)->record()->complete();
                return;
            case Action::wait:
                if (const auto mark = mark_to_wait_for(event_)) {
                    Stream::wait_in_task(mark);
                }
                return;
            case Action::reset:
                events().get(event_)->reset();
                return;
        }
    }
    std::string_view name() const noexcept override {
        switch (action_) {
            case Action::record:
                return "aclrtRecordEvent";
            case Action::wait:
                return "aclrtStreamWaitEvent";
            case Action::reset:
                return "aclrtResetEvent";
        }
        return "event";
    }

  private:
    void* event_;
    Action action_;
};

bool is_external(void* event) { return events().live(event) && events().get(event)->external(); }

}  // namespace

void record_event(Stream& stream, void* event) {
    const auto pin = events().get(event);
    const auto recorder = stream.recorder();
    if (recorder == nullptr) {
        stream.record(pin->record());
    } else if (pin->external()) {
        recorder->task(stream, std::make_unique<ExternalEventTask>(event, ExternalEventTask::Action::record));
    } else {
        pin->record(recorder->record(stream));
    }
}

void wait_for_event(Stream& stream, void* event) {
    const auto mark = mark_to_wait_for(event);
    const auto recorder = stream.recorder();
    if (recorder != nullptr) {
        if (is_external(event)) {
            recorder->task(stream,
                           std::make_unique<ExternalEventTask>(event, ExternalEventTask::Action::wait));
        } else {
            recorder->wait(stream, mark);
        }
    } else if (mark != nullptr && mark->recorded_point() != nullptr) {
        const auto& point = *mark->recorded_point();
        point.capture->join(stream, point);
    } else {
        stream.wait(mark);
    }
}

void reset_event(Stream& stream, void* event) {
    const auto pin = events().get(event);
    if (pin->reusable()) {
        raise(kRtFeatureNotSupported, "an event of aclrtCreateEventExWithFlag is not reset: record it again");
    }
    const auto recorder = stream.recorder();
    if (recorder != nullptr && pin->external()) {
        recorder->task(stream, std::make_unique<ExternalEventTask>(event, ExternalEventTask::Action::reset));
        return;
    }
    // What was put on streams before keeps hold of the record that it waits for.
    pin->reset();
}

}  // namespace opweld::npu
