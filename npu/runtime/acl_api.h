// The functions of the ACL interface that libascendcl.so implements: names, argument orders and numbers are
// facts of the interface. All return an ACL code unless they say otherwise; the sentence to a failure is in
// aclGetRecentErrMsg. All may be called from any thread; none ends the process or lets an exception out.
//
// Handles (streams, events, contexts, physical memory) are void*; a null stream is the default stream of the
// calling thread's context.
#pragma once

#include <cstddef>
#include <cstdint>

#include "npu/runtime/interface.h"

#define OPWELD_ACL extern "C" OPWELD_EXPORT

namespace opweld::npu {

// Where memory is; part of the structures below.
struct MemLocation {
    uint32_t id;
    int32_t type;  // 0 host, 1 device, 2 unregistered
};

struct PointerAttributes {
    MemLocation location;
    uint32_t page_size;
    uint32_t reserved[4];
};

struct PhysicalMemProperties {
    int32_t handle_type;
    int32_t allocation_type;
    int32_t mem_attr;
    MemLocation location;
    uint64_t reserved;
};
static_assert(sizeof(PhysicalMemProperties) == 32);

struct BatchAttributes {
    MemLocation destination;
    MemLocation source;
    uint8_t reserved[16];
};
static_assert(sizeof(BatchAttributes) == 32);

// What aclmdlRIAddCondTask takes, by value.
struct ConditionalTaskParameters {
    void* handle;
    int32_t kind;
    uint32_t count;
    void** graphs;
};
static_assert(sizeof(ConditionalTaskParameters) == 24);

// The value of a stream's attribute: the member depends on the attribute.
union StreamAttributeValue {
    uint64_t failure_mode;
    uint32_t overflow_check;
    uint32_t custom_tag;
    uint32_t cache_op_info;
    uint32_t reserved[4];
};
static_assert(sizeof(StreamAttributeValue) == 16);

struct UtilizationInfo {
    int32_t cube;
    int32_t vector;
    int32_t ai_cpu;
    int32_t memory;
    void* extension;
};
static_assert(sizeof(UtilizationInfo) == 24);

struct PackageVersion {
    char version[128];
    char major[64];
    char minor[64];
    char release[64];
    char patch[64];
    char reserved[128];
};
static_assert(sizeof(PackageVersion) == 512);

struct DeviceUuid {
    char bytes[16];
};

// The head of aclrtErrorInfo; its detail, a union, follows.
struct ErrorInfoHead {
    uint8_t try_repair;
    uint8_t has_detail;
    uint8_t reserved[2];
    int32_t type;
    size_t detail_count;
};
static_assert(sizeof(ErrorInfoHead) == 16);

using CallbackFunction = void (*)(void*);

}  // namespace opweld::npu

// acl_process.cpp
OPWELD_ACL int aclInit(const char* config_path);
OPWELD_ACL int aclFinalize();
OPWELD_ACL const char* aclGetRecentErrMsg();
OPWELD_ACL int aclrtGetLastError(int level);
OPWELD_ACL int aclrtPeekAtLastError(int level);
OPWELD_ACL int aclrtGetErrorVerbose(int32_t device, opweld::npu::ErrorInfoHead* info);

// acl_log.cpp
OPWELD_ACL void aclAppLog(int level, const char* function, const char* file, uint32_t line,
                          const char* format, ...) __attribute__((format(printf, 5, 6)));

// acl_system.cpp
OPWELD_ACL const char* aclrtGetSocName();
OPWELD_ACL int aclrtGetVersion(int32_t* major, int32_t* minor, int32_t* patch);
OPWELD_ACL int aclsysGetCANNVersion(int package, opweld::npu::PackageVersion* version);
OPWELD_ACL int aclsysGetVersionStr(char* package, char* version);
OPWELD_ACL int aclrtGetRunMode(int* mode);
OPWELD_ACL int aclrtSetSysParamOpt(int option, int64_t value);
OPWELD_ACL int aclrtGetSysParamOpt(int option, int64_t* value);
OPWELD_ACL int aclrtCtxSetSysParamOpt(int option, int64_t value);
OPWELD_ACL int aclrtCtxGetSysParamOpt(int option, int64_t* value);
OPWELD_ACL int aclrtSetDeviceSatMode(int mode);
OPWELD_ACL int aclrtGetDeviceSatMode(int* mode);
OPWELD_ACL int aclrtSetOpExecuteTimeOut(uint32_t seconds);
OPWELD_ACL int aclrtSetOpWaitTimeout(uint32_t seconds);

// acl_device.cpp
OPWELD_ACL int aclrtGetDeviceCount(uint32_t* count);
OPWELD_ACL int aclrtSetDevice(int32_t device);
OPWELD_ACL int aclrtResetDevice(int32_t device);
OPWELD_ACL int aclrtResetDeviceForce(int32_t device);
OPWELD_ACL int aclrtGetDevice(int32_t* device);
OPWELD_ACL int aclrtSynchronizeDevice();
OPWELD_ACL int aclrtSynchronizeDeviceWithTimeout(int32_t timeout);
OPWELD_ACL int aclrtDeviceTaskAbort(int32_t device, uint32_t timeout);
OPWELD_ACL int aclrtGetPrimaryCtxState(int32_t device, uint32_t* flags, int32_t* active);
OPWELD_ACL int aclrtGetLogicDevIdByUserDevId(int32_t user, int32_t* logic);
OPWELD_ACL int aclrtDeviceCanAccessPeer(int32_t* can_access, int32_t device, int32_t peer);
OPWELD_ACL int aclrtDeviceEnablePeerAccess(int32_t peer, uint32_t flags);
OPWELD_ACL int aclrtDeviceDisablePeerAccess(int32_t peer);
OPWELD_ACL int aclrtDevicePeerAccessStatus(int32_t device, int32_t peer, int32_t* status);

// acl_device_info.cpp
OPWELD_ACL int aclGetDeviceCapability(uint32_t device, int info, int64_t* value);
OPWELD_ACL int aclrtGetDeviceInfo(uint32_t device, int attribute, int64_t* value);
OPWELD_ACL int aclrtGetDeviceUtilizationRate(int32_t device, opweld::npu::UtilizationInfo* info);
OPWELD_ACL int aclrtDeviceGetUuid(int32_t device, opweld::npu::DeviceUuid* uuid);
OPWELD_ACL int aclrtDeviceGetBareTgid(int32_t* pid);
OPWELD_ACL int aclrtGetMemUceInfo(int32_t device, void* array, size_t size, size_t* found);
OPWELD_ACL int aclrtDeviceGetStreamPriorityRange(int32_t* least, int32_t* greatest);

// acl_context.cpp
OPWELD_ACL int aclrtCreateContext(void** context, int32_t device);
OPWELD_ACL int aclrtDestroyContext(void* context);
OPWELD_ACL int aclrtSetCurrentContext(void* context);
OPWELD_ACL int aclrtGetCurrentContext(void** context);
OPWELD_ACL int aclrtCtxGetCurrentDefaultStream(void** stream);

// acl_stream.cpp
OPWELD_ACL int aclrtCreateStream(void** stream);
OPWELD_ACL int aclrtCreateStreamWithConfig(void** stream, uint32_t priority, uint32_t flag);
OPWELD_ACL int aclrtDestroyStream(void* stream);
OPWELD_ACL int aclrtDestroyStreamForce(void* stream);
OPWELD_ACL int aclrtSynchronizeStream(void* stream);
OPWELD_ACL int aclrtSynchronizeStreamWithTimeout(void* stream, int32_t timeout);
OPWELD_ACL int aclrtStreamQuery(void* stream, int* status);
OPWELD_ACL int aclrtStreamAbort(void* stream);
OPWELD_ACL int aclrtStreamGetId(void* stream, int32_t* id);
OPWELD_ACL int aclrtStreamGetPriority(void* stream, uint32_t* priority);
OPWELD_ACL int aclrtStreamGetFlags(void* stream, uint32_t* flags);
OPWELD_ACL int aclrtSetStreamFailureMode(void* stream, uint64_t mode);
OPWELD_ACL int aclrtSetStreamAttribute(void* stream, int attribute, opweld::npu::StreamAttributeValue* value);
OPWELD_ACL int aclrtGetStreamAttribute(void* stream, int attribute, opweld::npu::StreamAttributeValue* value);
OPWELD_ACL int aclrtStreamWaitEvent(void* stream, void* event);
// Limits of cores: 0 cube, 1 vector.
OPWELD_ACL int aclrtSetDeviceResLimit(int32_t device, int type, uint32_t value);
OPWELD_ACL int aclrtGetDeviceResLimit(int32_t device, int type, uint32_t* value);
OPWELD_ACL int aclrtResetDeviceResLimit(int32_t device);
OPWELD_ACL int aclrtSetStreamResLimit(void* stream, int type, uint32_t value);
OPWELD_ACL int aclrtGetStreamResLimit(void* stream, int type, uint32_t* value);
OPWELD_ACL int aclrtResetStreamResLimit(void* stream);
OPWELD_ACL int aclrtUseStreamResInCurrentThread(void* stream);
OPWELD_ACL int aclrtUnuseStreamResInCurrentThread(void* stream);
OPWELD_ACL int aclrtGetResInCurrentThread(int type, uint32_t* value);

// acl_event.cpp
OPWELD_ACL int aclrtCreateEvent(void** event);
OPWELD_ACL int aclrtCreateEventWithFlag(void** event, uint32_t flag);
OPWELD_ACL int aclrtCreateEventExWithFlag(void** event, uint32_t flag);
OPWELD_ACL int aclrtDestroyEvent(void* event);
OPWELD_ACL int aclrtRecordEvent(void* event, void* stream);
OPWELD_ACL int aclrtResetEvent(void* event, void* stream);
OPWELD_ACL int aclrtQueryEvent(void* event, int* status);
OPWELD_ACL int aclrtQueryEventStatus(void* event, int* status);
OPWELD_ACL int aclrtQueryEventWaitStatus(void* event, int* status);
OPWELD_ACL int aclrtSynchronizeEvent(void* event);
OPWELD_ACL int aclrtSynchronizeEventWithTimeout(void* event, int32_t timeout);
OPWELD_ACL int aclrtEventElapsedTime(float* milliseconds, void* start, void* end);
OPWELD_ACL int aclrtEventGetTimestamp(void* event, uint64_t* microseconds);

// acl_memory.cpp
OPWELD_ACL int aclrtMalloc(void** device, size_t size, int policy);
OPWELD_ACL int aclrtMallocAlign32(void** device, size_t size, int policy);
OPWELD_ACL int aclrtMallocCached(void** device, size_t size, int policy);
OPWELD_ACL int aclrtFree(void* device);
OPWELD_ACL int aclrtGetMemInfo(int attribute, size_t* free, size_t* total);
OPWELD_ACL int aclrtPointerGetAttributes(const void* pointer, opweld::npu::PointerAttributes* attributes);

// acl_host_memory.cpp
OPWELD_ACL int aclrtMallocHost(void** host, size_t size);
OPWELD_ACL int aclrtMallocHostWithCfg(void** host, uint64_t size, void* config);
OPWELD_ACL int aclrtFreeHost(void* host);
OPWELD_ACL int aclrtHostRegister(void* host, uint64_t size, int type, void** device);
OPWELD_ACL int aclrtHostRegisterV2(void* host, uint64_t size, uint32_t flag);
OPWELD_ACL int aclrtHostGetDevicePointer(void* host, void** device, uint32_t flag);
OPWELD_ACL int aclrtHostUnregister(void* host);

// acl_copy.cpp
OPWELD_ACL int aclrtMemcpy(void* dst, size_t dst_max, const void* src, size_t count, int kind);
OPWELD_ACL int aclrtMemcpyAsync(void* dst, size_t dst_max, const void* src, size_t count, int kind,
                                void* stream);
OPWELD_ACL int aclrtMemcpy2d(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width,
                             size_t height, int kind);
OPWELD_ACL int aclrtMemcpy2dAsync(void* dst, size_t dst_pitch, const void* src, size_t src_pitch,
                                  size_t width, size_t height, int kind, void* stream);
OPWELD_ACL int aclrtMemcpyBatch(void** dsts, size_t* dst_max, void** srcs, size_t* sizes, size_t count,
                                opweld::npu::BatchAttributes* attributes, size_t* indexes,
                                size_t attribute_count, size_t* failed);
OPWELD_ACL int aclrtMemcpyBatchAsync(void** dsts, size_t* dst_max, void** srcs, size_t* sizes, size_t count,
                                     opweld::npu::BatchAttributes* attributes, size_t* indexes,
                                     size_t attribute_count, size_t* failed, void* stream);
OPWELD_ACL int aclrtMemset(void* device, size_t max_count, int32_t value, size_t count);
OPWELD_ACL int aclrtMemsetAsync(void* device, size_t max_count, int32_t value, size_t count, void* stream);

// acl_virtual_memory.cpp
OPWELD_ACL int aclrtReserveMemAddress(void** address, size_t size, size_t alignment, void* wanted,
                                      uint64_t flags);
OPWELD_ACL int aclrtReleaseMemAddress(void* address);
OPWELD_ACL int aclrtMallocPhysical(void** handle, size_t size,
                                   const opweld::npu::PhysicalMemProperties* properties, uint64_t flags);
OPWELD_ACL int aclrtFreePhysical(void* handle);
OPWELD_ACL int aclrtMapMem(void* address, size_t size, size_t offset, void* handle, uint64_t flags);
OPWELD_ACL int aclrtUnmapMem(void* address);
OPWELD_ACL int aclrtMemGetAllocationGranularity(opweld::npu::PhysicalMemProperties* properties, int option,
                                                size_t* granularity);
OPWELD_ACL int aclrtMemExportToShareableHandle(void* handle, int type, uint64_t flags, uint64_t* shareable);
OPWELD_ACL int aclrtMemSetPidToShareableHandle(uint64_t shareable, int32_t* pids, size_t count);
OPWELD_ACL int aclrtMemImportFromShareableHandle(uint64_t shareable, int32_t device, void** handle);

// acl_callback.cpp
OPWELD_ACL int aclrtSubscribeReport(uint64_t thread, void* stream);
OPWELD_ACL int aclrtUnSubscribeReport(uint64_t thread, void* stream);
OPWELD_ACL int aclrtProcessReport(int32_t timeout);
OPWELD_ACL int aclrtLaunchCallback(opweld::npu::CallbackFunction function, void* data, int block,
                                   void* stream);
OPWELD_ACL int aclrtLaunchHostFunc(void* stream, opweld::npu::CallbackFunction function, void* data);

// acl_capture.cpp
OPWELD_ACL int aclmdlRICaptureBegin(void* stream, int mode);
OPWELD_ACL int aclmdlRICaptureToModelRIBegin(void* stream, void* graph, int mode);
OPWELD_ACL int aclmdlRICaptureEnd(void* stream, void** graph);
OPWELD_ACL int aclmdlRICaptureGetInfo(void* stream, int* status, void** graph);
OPWELD_ACL int aclmdlRICaptureThreadExchangeMode(int* mode);
OPWELD_ACL int aclmdlRICaptureTaskGrpBegin(void* stream);
OPWELD_ACL int aclmdlRICaptureTaskGrpEnd(void* stream, void** group);
OPWELD_ACL int aclmdlRICaptureTaskUpdateBegin(void* stream, void* group);
OPWELD_ACL int aclmdlRICaptureTaskUpdateEnd(void* stream);
OPWELD_ACL int aclmdlRICondHandleCreate(void* graph, uint32_t initial, int flag, void** handle);
OPWELD_ACL int aclmdlRICondHandleGetCondPtr(void* handle, uint64_t** address);
OPWELD_ACL int aclmdlRIAddCondTask(opweld::npu::ConditionalTaskParameters parameters, void* stream,
                                   uint32_t flags);

// acl_graph.cpp
OPWELD_ACL int aclmdlRIExecuteAsync(void* graph, void* stream);
OPWELD_ACL int aclmdlRIExecute(void* graph, int32_t timeout);
OPWELD_ACL int aclmdlRIDestroy(void* graph);
OPWELD_ACL int aclmdlRIGetId(void* graph, uint32_t* id);
OPWELD_ACL int aclmdlRIDebugPrint(void* graph);
OPWELD_ACL int aclmdlRIDebugJsonPrint(void* graph, const char* path, uint32_t flags);
