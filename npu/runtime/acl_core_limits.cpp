#include "npu/runtime/acl_api.h"
#include "npu/runtime/config.h"
#include "npu/runtime/context.h"
#include "npu/runtime/core_limits.h"
#include "npu/runtime/device.h"
#include "npu/runtime/error.h"
#include "npu/runtime/stream.h"

using namespace opweld::npu;

namespace {

// The stream whose limits count for the calling thread; null: those of its device.
thread_local void* used_stream = nullptr;  // NOLINT: what a thread chose is the thread's

uint32_t cores(CoreKind kind) {
    return kind == CoreKind::cube ? config().soc->ai_cores : config().soc->vector_cores;
}

CoreKind kind_of(int type) {
    if (type != static_cast<int>(CoreKind::cube) && type != static_cast<int>(CoreKind::vector)) {
        raise(kRtParamInvalid, "{} is no kind of core: 0 (cube) and 1 (vector) are", type);
    }
    return static_cast<CoreKind>(type);
}

void set_limit(CoreLimits& limits, int type, uint32_t count) {
    const CoreKind kind = kind_of(type);
    if (count == 0 || count > cores(kind)) {
        raise(kRtParamInvalid, "a limit of {} {} cores is not possible: from 1 to {} is", count,
              kind == CoreKind::cube ? "cube" : "vector", cores(kind));
    }
    limits.set(kind, count);
}

uint32_t limit_of(const Device& device, CoreKind kind) {
    const uint32_t asked = device.core_limits().get(kind);
    return asked == 0 ? cores(kind) : asked;
}

uint32_t limit_of(const Stream& stream, CoreKind kind) {
    const uint32_t asked = stream.core_limits().get(kind);
    return asked == 0 ? limit_of(device(stream.device()), kind) : asked;
}

}  // namespace

int aclrtSetDeviceResLimit(int32_t device, int type, uint32_t value) {
    return entry(
        __func__, [&] { set_limit(opweld::npu::device(device).core_limits(), type, value); }, device, type,
        value);
}

int aclrtGetDeviceResLimit(int32_t device, int type, uint32_t* value) {
    return entry<InChild::allowed>(
        __func__, [&] { *required(value, "value") = limit_of(opweld::npu::device(device), kind_of(type)); },
        device, type);
}

int aclrtResetDeviceResLimit(int32_t device) {
    return entry(__func__, [&] { opweld::npu::device(device).core_limits().reset(); }, device);
}

int aclrtSetStreamResLimit(void* stream, int type, uint32_t value) {
    return entry(
        __func__, [&] { set_limit(stream_of(stream)->core_limits(), type, value); }, fmt::ptr(stream), type,
        value);
}

int aclrtGetStreamResLimit(void* stream, int type, uint32_t* value) {
    return entry<InChild::allowed>(
        __func__, [&] { *required(value, "value") = limit_of(*stream_of(stream), kind_of(type)); },
        fmt::ptr(stream), type);
}

int aclrtResetStreamResLimit(void* stream) {
    return entry(__func__, [&] { stream_of(stream)->core_limits().reset(); }, fmt::ptr(stream));
}

int aclrtUseStreamResInCurrentThread(void* stream) {
    return entry(
        __func__,
        [&] {
            streams().get(required(stream, "stream"));
            used_stream = stream;
        },
        fmt::ptr(stream));
}

int aclrtUnuseStreamResInCurrentThread(void* stream) {
    return entry(
        __func__,
        [&] {
            if (used_stream == required(stream, "stream")) {
                used_stream = nullptr;
            }
        },
        fmt::ptr(stream));
}

int aclrtGetResInCurrentThread(int type, uint32_t* value) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            const CoreKind kind = kind_of(type);
            *required(value, "value") = used_stream == nullptr
                                            ? limit_of(opweld::npu::device(current_device()), kind)
                                            : limit_of(*streams().get(used_stream), kind);
        },
        type);
}
