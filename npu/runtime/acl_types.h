// Names and numbers of the ACL interface as far as the runtime implements it. They are facts of the
// interface; layouts are checked by static_assert where a caller's memory is written.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opweld::npu {

// Return codes (aclError).
enum AclCode : int {
    kSuccess = 0,
    kInvalidParam = 100000,
    kUninitialised = 100001,
    kRepeatInitialise = 100002,
    kInvalidFile = 100003,
    kParseFile = 100006,
    kRepeatFinalise = 100037,
    kRtParamInvalid = 107000,
    kRtInvalidDevice = 107001,
    kRtContextNull = 107002,
    kRtStreamContext = 107003,
    kRtEventTimestampInvalid = 107006,
    kRtAddressUnaligned = 107008,
    kRtStreamSubscribe = 107011,
    kRtThreadSubscribe = 107012,
    kRtStreamNoCallback = 107015,
    kRtInvalidMemoryType = 107016,
    kRtInvalidHandle = 107017,
    kRtWaitTimeout = 107019,
    kRtOptionNotSet = 107021,
    kRtDeviceTaskAbort = 107022,
    kRtStreamAbort = 107023,
    kRtCaptureDependency = 107024,
    kRtStreamUnjoined = 107025,
    kRtModelCaptured = 107026,
    kRtStreamCaptured = 107027,
    kRtEventCaptured = 107028,
    kRtStreamNotCaptured = 107029,
    kRtCaptureModeNotSupported = 107030,
    kRtStreamCaptureImplicit = 107031,
    kStreamCaptureConflict = 107032,
    kStreamTaskGroupStatus = 107033,
    kStreamTaskGroupInterrupted = 107034,
    kRtStreamCaptureUnmatched = 107036,
    kRtStreamCaptureWrongThread = 107038,
    kRtCaptureModeBlockAsync = 107041,
    kBadAlloc = 200000,
    kApiNotSupported = 200001,
    kRtFeatureNotSupported = 207000,
    kRtMemoryAllocation = 207001,
    kRtMemoryFree = 207002,
    kRtNoDevice = 207004,
    kRtResourceAllocation = 207005,
    kRtNoPermission = 207006,
    kRtNoEventResource = 207007,
    kRtNoStreamResource = 207008,
    kInternalError = 500000,
    kRtInternalError = 507000,
    kRtStreamNotComplete = 507004,
    kRtEventNotComplete = 507006,
    kRtReportTimeout = 507012,
    kRtAiCoreException = 507015,
    kRtStreamSyncTimeout = 507046,
    kRtEventSyncTimeout = 507047,
    kRtDeviceMemoryError = 507053,
    kRtMultiBitEccError = 507054,
    kRtLinkError = 507056,
    kRtStreamCaptureInvalidated = 507903,
};

// "207001 (ACL_ERROR_RT_MEMORY_ALLOCATION)": for messages.
const char* code_name(int code) noexcept;

enum class MemcpyKind : int {
    host_to_host = 0,
    host_to_device = 1,
    device_to_host = 2,
    device_to_device = 3,
    by_address = 4,
    host_buffer_to_device = 5,
    inner_device = 6,
    inter_device = 7,
};
const char* kind_name(MemcpyKind kind) noexcept;

// Flags of an event.
inline constexpr uint32_t kEventSync = 0x1;
inline constexpr uint32_t kEventStreamProgress = 0x2;
inline constexpr uint32_t kEventTimeline = 0x8;
inline constexpr uint32_t kEventDeviceOnly = 0x10;
inline constexpr uint32_t kEventExternal = 0x20;
inline constexpr uint32_t kEventIpc = 0x40;

// Failure modes of a stream.
inline constexpr uint64_t kContinueOnFailure = 0;
inline constexpr uint64_t kStopOnFailure = 1;

}  // namespace opweld::npu
