#include "npu/runtime/acl_api.h"
#include "npu/runtime/error.h"
#include "npu/runtime/host_memory.h"

using namespace opweld::npu;

namespace {

constexpr uint32_t kRegisterMapped = 0x2;
constexpr uint32_t kRegisterPinned = 0x10000000;

}  // namespace

int aclrtMallocHost(void** host, size_t size) {
    return entry(
        __func__,
        [&] { *required(host, "hostPtr") = HostMemory::instance().allocate(size, "aclrtMallocHost"); }, size);
}

int aclrtMallocHostWithCfg(void** host, uint64_t size, void*) {
    return entry(
        __func__,
        [&] {
            required(host, "ptr");
            void* made = HostMemory::instance().allocate(size, "aclrtMallocHostWithCfg");
            // The one attribute a program can ask for is that host and device use the same address, which is
            // so here.
            HostMemory::instance().add(made, size, "aclrtMallocHostWithCfg");
            *host = made;
        },
        size);
}

int aclrtFreeHost(void* host) {
    return entry<InChild::allowed>(
        __func__, [&] { HostMemory::instance().free(required(host, "hostPtr")); }, fmt::ptr(host));
}

int aclrtHostRegister(void* host, uint64_t size, int type, void** device) {
    return entry(
        __func__,
        [&] {
            required(host, "ptr");
            required(device, "devPtr");
            if (type != 0) {
                raise(kRtFeatureNotSupported, "{} is no kind of registration: 0 (mapped) is", type);
            }
            HostMemory::instance().add(host, size, "aclrtHostRegister");
            *device = host;
        },
        fmt::ptr(host), size, type);
}

int aclrtHostRegisterV2(void* host, uint64_t size, uint32_t flag) {
    return entry(
        __func__,
        [&] {
            required(host, "ptr");
            if (flag == 0 || (flag & ~(kRegisterMapped | kRegisterPinned)) != 0) {
                raise(kRtParamInvalid,
                      "{:#x} are no flags of a registration: {:#x} (mapped) and {:#x} (pinned) are", flag,
                      kRegisterMapped, kRegisterPinned);
            }
            HostMemory::instance().add(host, size, "aclrtHostRegisterV2");
        },
        fmt::ptr(host), size, flag);
}

int aclrtHostGetDevicePointer(void* host, void** device, uint32_t) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            required(device, "pDevice");
            if (!HostMemory::instance().device_visible(required(host, "pHost"), 1)) {
                raise(kRtParamInvalid, "{} is not registered: {}", fmt::ptr(host),
                      HostMemory::instance().explain(host));
            }
            *device = host;
        },
        fmt::ptr(host));
}

int aclrtHostUnregister(void* host) {
    return entry(__func__, [&] { HostMemory::instance().remove(required(host, "ptr")); }, fmt::ptr(host));
}
