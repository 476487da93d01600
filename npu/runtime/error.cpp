#include "npu/runtime/error.h"

#include "npu/runtime/failures.h"
#include "npu/runtime/utf8.h"

namespace opweld::npu {
namespace {

struct ThreadErrors {
    std::string pending;
    std::string taken;
    bool has_pending = false;
    int last = kSuccess;
};

ThreadErrors& thread_errors() noexcept {
    thread_local ThreadErrors errors;
    return errors;
}

}  // namespace

const char* take_message() noexcept {
    ThreadErrors& errors = thread_errors();
    if (!errors.has_pending) {
        return nullptr;
    }
    errors.taken.swap(errors.pending);
    errors.pending.clear();
    errors.has_pending = false;
    return errors.taken.c_str();
}

int last_error(bool clear) noexcept {
    ThreadErrors& errors = thread_errors();
    return clear ? std::exchange(errors.last, static_cast<int>(kSuccess)) : errors.last;
}

int report_failure(std::string_view function, int code, std::string_view message) noexcept {
    try {
        ThreadErrors& errors = thread_errors();
        errors.pending =
            valid_utf8(function.empty() ? std::string(message) : fmt::format("{}: {}", function, message));
        errors.has_pending = true;
        if (code != kRtContextNull) {
            errors.last = code;
        }
        if (code != kRtContextNull) {
            note_failed_call(code, errors.pending);
        }
        // Asking for a device before one is set is the ordinary way to find out, not a fault.
        write_log(code == kRtContextNull ? LogLevel::info : LogLevel::error, "ACL",
                  fmt::format("{} [{}]", errors.pending, code_name(code)));
    } catch (...) {
        thread_errors().has_pending = false;
    }
    return code;
}

int fail(int code, std::string_view message) noexcept { return report_failure("", code, message); }

const char* code_name(int code) noexcept {
    switch (code) {
        case kSuccess:
            return "success";
        case kInvalidParam:
            return "100000 ACL_ERROR_INVALID_PARAM";
        case kUninitialised:
            return "100001 ACL_ERROR_UNINITIALIZE";
        case kRepeatInitialise:
            return "100002 ACL_ERROR_REPEAT_INITIALIZE";
        case kInvalidFile:
            return "100003 ACL_ERROR_INVALID_FILE";
        case kParseFile:
            return "100006 ACL_ERROR_PARSE_FILE";
        case kRepeatFinalise:
            return "100037 ACL_ERROR_REPEAT_FINALIZE";
        case kRtParamInvalid:
            return "107000 ACL_ERROR_RT_PARAM_INVALID";
        case kRtInvalidDevice:
            return "107001 ACL_ERROR_RT_INVALID_DEVICEID";
        case kRtContextNull:
            return "107002 ACL_ERROR_RT_CONTEXT_NULL";
        case kRtStreamContext:
            return "107003 ACL_ERROR_RT_STREAM_CONTEXT";
        case kRtEventTimestampInvalid:
            return "107006 ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID";
        case kRtAddressUnaligned:
            return "107008 ACL_ERROR_RT_ADDR_UNALIGNED";
        case kRtStreamSubscribe:
            return "107011 ACL_ERROR_RT_STREAM_SUBSCRIBE";
        case kRtThreadSubscribe:
            return "107012 ACL_ERROR_RT_THREAD_SUBSCRIBE";
        case kRtStreamNoCallback:
            return "107015 ACL_ERROR_RT_STREAM_NO_CB_REG";
        case kRtInvalidMemoryType:
            return "107016 ACL_ERROR_RT_INVALID_MEMORY_TYPE";
        case kRtInvalidHandle:
            return "107017 ACL_ERROR_RT_INVALID_HANDLE";
        case kRtWaitTimeout:
            return "107019 ACL_ERROR_WAIT_TIMEOUT";
        case kRtOptionNotSet:
            return "107021 ACL_ERROR_RT_SYSPARAMOPT_NOT_SET";
        case kRtDeviceTaskAbort:
            return "107022 ACL_ERROR_RT_DEVICE_TASK_ABORT";
        case kRtStreamAbort:
            return "107023 ACL_ERROR_RT_STREAM_ABORT";
        case kRtCaptureDependency:
            return "107024 ACL_ERROR_RT_CAPTURE_DEPENDENCY";
        case kRtStreamUnjoined:
            return "107025 ACL_ERROR_RT_STREAM_UNJOINED";
        case kRtModelCaptured:
            return "107026 ACL_ERROR_RT_MODEL_CAPTURED";
        case kRtStreamCaptured:
            return "107027 ACL_ERROR_RT_STREAM_CAPTURED";
        case kRtEventCaptured:
            return "107028 ACL_ERROR_RT_EVENT_CAPTURED";
        case kRtStreamNotCaptured:
            return "107029 ACL_ERROR_RT_STREAM_NOT_CAPTURED";
        case kRtCaptureModeNotSupported:
            return "107030 ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT";
        case kRtStreamCaptureImplicit:
            return "107031 ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT";
        case kStreamCaptureConflict:
            return "107032 ACL_ERROR_STREAM_CAPTURE_CONFLICT";
        case kStreamTaskGroupStatus:
            return "107033 ACL_ERROR_STREAM_TASK_GROUP_STATUS";
        case kStreamTaskGroupInterrupted:
            return "107034 ACL_ERROR_STREAM_TASK_GROUP_INTR";
        case kRtStreamCaptureUnmatched:
            return "107036 ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED";
        case kRtStreamCaptureWrongThread:
            return "107038 ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD";
        case kRtCaptureModeBlockAsync:
            return "107041 ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC";
        case kBadAlloc:
            return "200000 ACL_ERROR_BAD_ALLOC";
        case kApiNotSupported:
            return "200001 ACL_ERROR_API_NOT_SUPPORT";
        case kRtFeatureNotSupported:
            return "207000 ACL_ERROR_RT_FEATURE_NOT_SUPPORT";
        case kRtMemoryAllocation:
            return "207001 ACL_ERROR_RT_MEMORY_ALLOCATION";
        case kRtMemoryFree:
            return "207002 ACL_ERROR_RT_MEMORY_FREE";
        case kRtNoDevice:
            return "207004 ACL_ERROR_RT_NO_DEVICE";
        case kRtResourceAllocation:
            return "207005 ACL_ERROR_RT_RESOURCE_ALLOC_FAIL";
        case kRtNoPermission:
            return "207006 ACL_ERROR_RT_NO_PERMISSION";
        case kRtNoEventResource:
            return "207007 ACL_ERROR_RT_NO_EVENT_RESOURCE";
        case kRtNoStreamResource:
            return "207008 ACL_ERROR_RT_NO_STREAM_RESOURCE";
        case kInternalError:
            return "500000 ACL_ERROR_INTERNAL_ERROR";
        case kRtInternalError:
            return "507000 ACL_ERROR_RT_INTERNAL_ERROR";
        case kRtStreamNotComplete:
            return "507004 ACL_ERROR_RT_STREAM_NOT_COMPLETE";
        case kRtEventNotComplete:
            return "507006 ACL_ERROR_RT_EVENT_NOT_COMPLETE";
        case kRtReportTimeout:
            return "507012 ACL_ERROR_RT_REPORT_TIMEOUT";
        case kRtAiCoreException:
            return "507015 ACL_ERROR_RT_AICORE_EXCEPTION";
        case kRtStreamSyncTimeout:
            return "507046 ACL_ERROR_RT_STREAM_SYNC_TIMEOUT";
        case kRtDeviceMemoryError:
            return "507053 ACL_ERROR_RT_DEVICE_MEM_ERROR";
        case kRtMultiBitEccError:
            return "507054 ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR";
        case kRtStreamCaptureInvalidated:
            return "507903 ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED";
        case kRtLinkError:
            return "507056 ACL_ERROR_RT_LINK_ERROR";
        case kRtEventSyncTimeout:
            return "507047 ACL_ERROR_RT_EVENT_SYNC_TIMEOUT";
        default:
            return "an error code of another library";
    }
}

const char* kind_name(MemcpyKind kind) noexcept {
    switch (kind) {
        case MemcpyKind::host_to_host:
            return "host to host";
        case MemcpyKind::host_to_device:
            return "host to device";
        case MemcpyKind::device_to_host:
            return "device to host";
        case MemcpyKind::device_to_device:
            return "device to device";
        case MemcpyKind::by_address:
            return "by address";
        case MemcpyKind::host_buffer_to_device:
            return "host buffer to device";
        case MemcpyKind::inner_device:
            return "within a device";
        case MemcpyKind::inter_device:
            return "between devices";
    }
    return "unknown";
}

}  // namespace opweld::npu
