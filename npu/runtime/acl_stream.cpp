#include "npu/runtime/acl_api.h"
#include "npu/runtime/capture.h"
#include "npu/runtime/context.h"
#include "npu/runtime/device.h"
#include "npu/runtime/error.h"
#include "npu/runtime/stream.h"

using namespace opweld::npu;

namespace {

constexpr int32_t kNoLimit = -1;
constexpr int kStatusComplete = 0;
constexpr int kStatusNotReady = 1;
constexpr uint32_t kLowestPriority = 7;

void create(void** stream, uint32_t priority, uint32_t flag) {
    required(stream, "stream");
    if (priority > kLowestPriority) {
        raise(kRtParamInvalid, "a priority of {} is not possible: from 0 (highest) to {} is", priority,
              kLowestPriority);
    }
    void* context = current_context();
    *stream = device(contexts().get(context)->device()).create_stream(context, priority, flag);
}

void destroy(void* stream, bool force) {
    required(stream, "stream", kRtParamInvalid);
    const int owner = streams().get(stream)->device();
    if (!forked_child()) {
        device(owner).destroy_stream(stream, force);
    }
}

void synchronise(void* stream, int32_t timeout) {
    if (timeout < kNoLimit) {
        raise(kRtParamInvalid, "a timeout of {} ms is not possible: -1 (no limit) or more is expected",
              timeout);
    }
    const auto pin = stream_of(stream);
    if (forked_child()) {
        if (!pin->idle()) {
            refuse_in_child();
        }
        return;
    }
    refuse_wait_for(*pin, "synchronised");
    pin->synchronise(timeout);
}

void set_failure_mode(Stream& stream, uint64_t mode) {
    if (mode != kContinueOnFailure && mode != kStopOnFailure) {
        raise(kInvalidParam, "{} is no failure mode: 0 (continue) and 1 (stop) are", mode);
    }
    stream.set_failure_mode(mode);
}

enum Attribute : int { kAttributeFailureMode = 1, kAttributeCacheOpInfo = 4 };

[[noreturn]] void refuse_attribute(int attribute) {
    raise(kRtFeatureNotSupported,
          "attribute {} of a stream is not available on the software NPU: 1 (failure mode) and 4 (cache of "
          "operator information) are",
          attribute);
}

}  // namespace

int aclrtCreateStream(void** stream) {
    return entry(__func__, [&] { create(stream, 0, 0); });
}

int aclrtCreateStreamWithConfig(void** stream, uint32_t priority, uint32_t flag) {
    return entry(__func__, [&] { create(stream, priority, flag); }, priority, flag);
}

int aclrtDestroyStream(void* stream) {
    return entry<InChild::allowed>(__func__, [&] { destroy(stream, false); }, fmt::ptr(stream));
}

int aclrtDestroyStreamForce(void* stream) {
    return entry<InChild::allowed>(__func__, [&] { destroy(stream, true); }, fmt::ptr(stream));
}

int aclrtSynchronizeStream(void* stream) {
    return entry<InChild::allowed>(__func__, [&] { synchronise(stream, kNoLimit); }, fmt::ptr(stream));
}

int aclrtSynchronizeStreamWithTimeout(void* stream, int32_t timeout) {
    return entry<InChild::allowed>(
        __func__, [&] { synchronise(stream, timeout); }, fmt::ptr(stream), timeout);
}

int aclrtStreamQuery(void* stream, int* status) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            required(status, "status");
            const auto pin = stream_of(stream);
            refuse_wait_for(*pin, "asked whether it is idle");
            *status = pin->idle() ? kStatusComplete : kStatusNotReady;
        },
        fmt::ptr(stream));
}

int aclrtStreamAbort(void* stream) {
    return entry(
        __func__, [&] { streams().get(required(stream, "stream", kRtParamInvalid))->abort(kRtStreamAbort); },
        fmt::ptr(stream));
}

int aclrtStreamGetId(void* stream, int32_t* id) {
    return entry<InChild::allowed>(
        __func__, [&] { *required(id, "streamId") = stream_of(stream)->id(); }, fmt::ptr(stream));
}

int aclrtStreamGetPriority(void* stream, uint32_t* priority) {
    return entry<InChild::allowed>(
        __func__, [&] { *required(priority, "priority") = stream_of(stream)->priority(); }, fmt::ptr(stream));
}

int aclrtStreamGetFlags(void* stream, uint32_t* flags) {
    return entry<InChild::allowed>(
        __func__, [&] { *required(flags, "flags") = stream_of(stream)->flags(); }, fmt::ptr(stream));
}

int aclrtSetStreamFailureMode(void* stream, uint64_t mode) {
    return entry(
        __func__, [&] { set_failure_mode(*streams().get(required(stream, "stream", kInvalidParam)), mode); },
        fmt::ptr(stream), mode);
}

int aclrtSetStreamAttribute(void* stream, int attribute, StreamAttributeValue* value) {
    return entry(
        __func__,
        [&] {
            required(value, "value");
            const auto pin = stream_of(stream);
            switch (attribute) {
                case kAttributeFailureMode:
                    set_failure_mode(*pin, value->failure_mode);
                    return;
                case kAttributeCacheOpInfo:
                    if (value->cache_op_info > 1) {
                        raise(kRtParamInvalid, "{} is no switch: 0 (off) and 1 (on) are",
                              value->cache_op_info);
                    }
                    pin->set_cache_op_info(value->cache_op_info == 1);
                    return;
                default:
                    refuse_attribute(attribute);
            }
        },
        fmt::ptr(stream), attribute);
}

int aclrtGetStreamAttribute(void* stream, int attribute, StreamAttributeValue* value) {
    return entry(
        __func__,
        [&] {
            required(value, "value");
            const auto pin = stream_of(stream);
            switch (attribute) {
                case kAttributeFailureMode:
                    value->failure_mode = pin->failure_mode();
                    return;
                case kAttributeCacheOpInfo:
                    // As documented, on counts while the stream is captured only.
                    value->cache_op_info = pin->cache_op_info() && capture_of(*pin) != nullptr ? 1 : 0;
                    return;
                default:
                    refuse_attribute(attribute);
            }
        },
        fmt::ptr(stream), attribute);
}

int aclrtStreamWaitEvent(void* stream, void* event) {
    return entry(
        __func__, [&] { wait_for_event(*stream_of(stream), event); }, fmt::ptr(stream), fmt::ptr(event));
}
