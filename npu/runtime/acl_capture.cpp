#include "npu/runtime/acl_api.h"
#include "npu/runtime/capture.h"
#include "npu/runtime/condition.h"
#include "npu/runtime/context.h"
#include "npu/runtime/error.h"
#include "npu/runtime/task_update.h"

using namespace opweld::npu;

namespace {

// The capture of a stream. Raises ACL_ERROR_RT_STREAM_NOT_CAPTURED.
std::shared_ptr<Capture> required_capture(const Stream& stream) {
    auto capture = capture_of(stream);
    if (capture == nullptr) {
        raise(kRtStreamNotCaptured, "stream {} is not captured: call aclmdlRICaptureBegin first",
              stream.id());
    }
    return capture;
}

void begin(void* stream, int mode) {
    const auto pin = stream_of(stream);
    void* handle = graphs().add(
        std::make_unique<GraphHandle>(GraphHandle{std::make_shared<CapturedGraph>(pin->device())}));
    try {
        Capture::begin(*pin, handle, checked_mode(mode));
    } catch (...) {
        graphs().remove(handle);
        throw;
    }
}

}  // namespace

int aclmdlRICaptureBegin(void* stream, int mode) {
    return entry(__func__, [&] { begin(stream, mode); }, fmt::ptr(stream), mode);
}

int aclmdlRICaptureToModelRIBegin(void* stream, void* graph, int mode) {
    return entry(
        __func__,
        [&] {
            required(graph, "modelRI");
            if (graph_of(graph)->parent() == 0) {
                raise(kRtParamInvalid,
                      "graph {} is no part of a conditional task: aclmdlRICaptureBegin makes a graph of its "
                      "own",
                      graph_of(graph)->id());
            }
            Capture::begin(*stream_of(stream), graph, checked_mode(mode));
        },
        fmt::ptr(stream), fmt::ptr(graph), mode);
}

int aclmdlRICaptureEnd(void* stream, void** graph) {
    return entry(
        __func__,
        [&] {
            required(graph, "modelRI");
            *graph = nullptr;
            const auto pin = stream_of(stream);
            *graph = required_capture(*pin)->end(*pin);
        },
        fmt::ptr(stream));
}

int aclmdlRICaptureGetInfo(void* stream, int* status, void** graph) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            required(status, "status");
            required(graph, "modelRI");
            const auto capture = capture_of(*stream_of(stream));
            *status = static_cast<int>(capture == nullptr ? CaptureStatus::none : capture->status());
            *graph = capture == nullptr ? nullptr : capture->graph();
        },
        fmt::ptr(stream));
}

int aclmdlRICaptureThreadExchangeMode(int* mode) {
    return entry(__func__, [&] {
        const CaptureMode wanted = checked_mode(*required(mode, "mode"));
        *mode = static_cast<int>(exchange_thread_mode(wanted));
    });
}

int aclmdlRICaptureTaskGrpBegin(void* stream) {
    return entry(
        __func__,
        [&] {
            const auto pin = stream_of(stream);
            required_capture(*pin)->begin_group(*pin);
        },
        fmt::ptr(stream));
}

int aclmdlRICaptureTaskGrpEnd(void* stream, void** group) {
    return entry(
        __func__,
        [&] {
            required(group, "handle");
            const auto pin = stream_of(stream);
            *group = required_capture(*pin)->end_group(*pin);
        },
        fmt::ptr(stream));
}

int aclmdlRICaptureTaskUpdateBegin(void* stream, void* group) {
    return entry(
        __func__, [&] { TaskUpdate::begin(*stream_of(stream), required(group, "handle")); }, fmt::ptr(stream),
        fmt::ptr(group));
}

int aclmdlRICaptureTaskUpdateEnd(void* stream) {
    return entry(
        __func__,
        [&] {
            const auto pin = stream_of(stream);
            const auto update = std::dynamic_pointer_cast<TaskUpdate>(pin->recorder());
            if (update == nullptr) {
                raise(kStreamTaskGroupStatus,
                      "no task group is updated on stream {}: call aclmdlRICaptureTaskUpdateBegin first",
                      pin->id());
            }
            update->end(*pin);
        },
        fmt::ptr(stream));
}

int aclmdlRICondHandleCreate(void* graph, uint32_t initial, int flag, void** handle) {
    return entry(
        __func__,
        [&] {
            constexpr int kAssignDefault = 1;
            required(handle, "handle");
            if (flag != 0 && flag != kAssignDefault) {
                raise(kRtParamInvalid,
                      "{} is no flag of a condition: 0 and 1 (assign the default at each launch) are", flag);
            }
            const auto known = graph_of(required(graph, "modelRI"));
            if (known->is_complete()) {
                raise(kRtModelCaptured, "graph {} was captured already: a condition is made before",
                      known->id());
            }
            *handle = known->add_condition(initial, flag == kAssignDefault);
        },
        fmt::ptr(graph), initial, flag);
}

int aclmdlRICondHandleGetCondPtr(void* handle, uint64_t** address) {
    return entry(
        __func__,
        [&] { *required(address, "ptr") = (*conditions().get(required(handle, "handle")))->address(); },
        fmt::ptr(handle));
}

int aclmdlRIAddCondTask(ConditionalTaskParameters parameters, void* stream, uint32_t flags) {
    return entry(
        __func__,
        [&] {
            required(parameters.handle, "params.handle");
            required(parameters.graphs, "params.modelRIArray");
            if (flags != 0) {
                raise(kRtFeatureNotSupported, "flags {:#x} are given; 0 is the only value", flags);
            }
            const auto pin = stream_of(stream);
            required_capture(*pin)->add_conditional(*pin, parameters.handle, parameters.kind,
                                                    parameters.count, parameters.graphs);
        },
        fmt::ptr(parameters.handle), parameters.kind, parameters.count, fmt::ptr(stream), flags);
}
