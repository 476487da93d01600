#include "npu/runtime/acl_api.h"
#include "npu/runtime/capture.h"
#include "npu/runtime/context.h"
#include "npu/runtime/error.h"
#include "npu/runtime/event.h"

using namespace opweld::npu;

namespace {

constexpr int32_t kNoLimit = -1;
constexpr uint32_t kPlainFlags = kEventSync | kEventStreamProgress | kEventTimeline;

void create(void** event, uint32_t flags, bool reusable) {
    required(event, "event");
    if ((flags & kEventIpc) != 0) {
        raise(kRtFeatureNotSupported,
              "events shared between processes (flag {:#x}) are not available on the software NPU",
              kEventIpc);
    }
    constexpr uint32_t known = kPlainFlags | kEventDeviceOnly | kEventExternal;
    if (flags == 0 || (flags & ~known) != 0) {
        raise(kRtParamInvalid, "{:#x} are no flags of an event: a combination of {:#x} is expected", flags,
              known);
    }
    // A graph waits for an event of the outside until it is recorded, not until its latest record.
    *event = events().add(std::make_unique<Event>(flags, reusable && (flags & kEventExternal) == 0));
}

// The passed mark of an event that counts time.
std::shared_ptr<Mark> timed_mark(void* event, const char* argument) {
    const auto pin = events().get(event);
    if (!pin->timed()) {
        raise(kRtEventTimestampInvalid, "`{}` was created without ACL_EVENT_TIME_LINE: it has no time",
              argument);
    }
    auto mark = pin->mark();
    refuse_captured(mark.get(), "asked for its time");
    if (mark == nullptr || !pin->recorded()) {
        raise(kRtEventTimestampInvalid, "`{}` was not recorded", argument);
    }
    if (!mark->done()) {
        raise(kRtEventNotComplete,
              "`{}` is recorded but its stream has not come to it yet: synchronise first", argument);
    }
    return mark;
}

bool passed(void* event) {
    const auto pin = events().get(event);
    const auto mark = pin->mark();
    refuse_captured(mark.get(), "asked for");
    return mark != nullptr && pin->recorded() && mark->done();
}

void synchronise(void* event, int32_t timeout) {
    if (timeout < kNoLimit) {
        raise(kRtParamInvalid, "a timeout of {} ms is not possible: -1 (no limit) or more is expected",
              timeout);
    }
    const auto mark = events().get(event)->mark();
    if (mark == nullptr) {
        return;
    }
    refuse_captured(mark.get(), "waited for");
    if (!mark->done()) {
        refuse_in_child();
        if (!mark->wait(timeout)) {
            raise(kRtEventSyncTimeout, "the event has not happened after {} ms", timeout);
        }
    }
    if (const auto error = mark->take_error(); error != nullptr) {
        throw AclException(error->code, error->message);
    }
}

}  // namespace

int aclrtCreateEvent(void** event) {
    return entry(__func__, [&] { create(event, kPlainFlags, false); });
}

int aclrtCreateEventWithFlag(void** event, uint32_t flag) {
    return entry(__func__, [&] { create(event, flag, false); }, flag);
}

int aclrtCreateEventExWithFlag(void** event, uint32_t flag) {
    return entry(__func__, [&] { create(event, flag, true); }, flag);
}

int aclrtDestroyEvent(void* event) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            if (!forked_child()) {
                destroy_event(event);
            }
        },
        fmt::ptr(event));
}

int aclrtRecordEvent(void* event, void* stream) {
    return entry(
        __func__, [&] { record_event(*stream_of(stream), event); }, fmt::ptr(event), fmt::ptr(stream));
}

int aclrtResetEvent(void* event, void* stream) {
    return entry(
        __func__, [&] { reset_event(*stream_of(stream), event); }, fmt::ptr(event), fmt::ptr(stream));
}

int aclrtQueryEvent(void* event, int* status) {
    return entry<InChild::allowed>(
        __func__, [&] { *required(status, "status") = passed(event) ? 0 : 1; }, fmt::ptr(event));
}

int aclrtQueryEventStatus(void* event, int* status) {
    return entry<InChild::allowed>(
        __func__, [&] { *required(status, "status") = passed(event) ? 1 : 0; }, fmt::ptr(event));
}

int aclrtQueryEventWaitStatus(void* event, int* status) {
    return entry<InChild::allowed>(
        __func__, [&] { *required(status, "status") = passed(event) ? 0 : 1; }, fmt::ptr(event));
}

int aclrtSynchronizeEvent(void* event) {
    return entry<InChild::allowed>(__func__, [&] { synchronise(event, kNoLimit); }, fmt::ptr(event));
}

int aclrtSynchronizeEventWithTimeout(void* event, int32_t timeout) {
    return entry<InChild::allowed>(__func__, [&] { synchronise(event, timeout); }, fmt::ptr(event), timeout);
}

int aclrtEventElapsedTime(float* milliseconds, void* start, void* end) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            required(milliseconds, "ms");
            const int64_t from = timed_mark(start, "startEvent")->time();
            const int64_t to = timed_mark(end, "endEvent")->time();
            *milliseconds = static_cast<float>(static_cast<double>(to - from) / 1e6);
        },
        fmt::ptr(start), fmt::ptr(end));
}

int aclrtEventGetTimestamp(void* event, uint64_t* microseconds) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            *required(microseconds, "timestamp") =
                static_cast<uint64_t>(timed_mark(event, "event")->time() / 1000);
        },
        fmt::ptr(event));
}
