#include "npu/runtime/acl_api.h"
#include "npu/runtime/address_space.h"
#include "npu/runtime/context.h"
#include "npu/runtime/device.h"
#include "npu/runtime/error.h"
#include "npu/runtime/virtual_memory.h"

using namespace opweld::npu;

namespace {

constexpr int kLocationDevice = 1;

void require_zero(uint64_t flags, const char* argument) {
    if (flags != 0) {
        raise(kRtParamInvalid, "`{}` is {}; 0 is the only value", argument, flags);
    }
}

}  // namespace

int aclrtReserveMemAddress(void** address, size_t size, size_t alignment, void* wanted, uint64_t) {
    return entry(
        __func__,
        [&] {
            required(address, "virPtr");
            if (alignment != 0 && AddressSpace::kHugePage % alignment != 0) {
                raise(kRtParamInvalid,
                      "an alignment of {} is not possible: 0 or a divisor of 2 MiB is expected", alignment);
            }
            *address = VirtualMemory::instance().reserve(current_device(), size, wanted);
        },
        size, alignment, fmt::ptr(wanted));
}

int aclrtReleaseMemAddress(void* address) {
    return entry(
        __func__, [&] { VirtualMemory::instance().release(required(address, "virPtr")); }, fmt::ptr(address));
}

int aclrtMallocPhysical(void** handle, size_t size, const PhysicalMemProperties* properties, uint64_t flags) {
    return entry(
        __func__,
        [&] {
            required(handle, "handle");
            required(properties, "prop");
            require_zero(flags, "flags");
            if (properties->location.type != kLocationDevice) {
                raise(
                    kRtFeatureNotSupported,
                    "physical memory at location type {} is not available on the software NPU: 1 (device) is",
                    properties->location.type);
            }
            const int owner = device(static_cast<int>(properties->location.id)).id();
            *handle = physical_handles().add(std::make_unique<PhysicalHandle>(
                PhysicalHandle{PhysicalMemory::create(owner, size, "aclrtMallocPhysical")}));
        },
        size, flags);
}

int aclrtFreePhysical(void* handle) {
    return entry(__func__, [&] { physical_handles().remove(handle); }, fmt::ptr(handle));
}

int aclrtMapMem(void* address, size_t size, size_t offset, void* handle, uint64_t flags) {
    const void* caller = __builtin_return_address(0);
    return entry(
        __func__,
        [&] {
            required(address, "virPtr");
            require_zero(flags, "flags");
            VirtualMemory::instance().map(address, size, offset, physical_handles().get(handle)->memory,
                                          {"aclrtMapMem", caller});
        },
        fmt::ptr(address), size, offset, fmt::ptr(handle), flags);
}

int aclrtUnmapMem(void* address) {
    const void* caller = __builtin_return_address(0);
    return entry(
        __func__,
        [&] { VirtualMemory::instance().unmap(required(address, "virPtr"), {"aclrtUnmapMem", caller}); },
        fmt::ptr(address));
}

int aclrtMemGetAllocationGranularity(PhysicalMemProperties* properties, int, size_t* granularity) {
    return entry<InChild::allowed>(__func__, [&] {
        required(properties, "prop");
        *required(granularity, "granularity") = AddressSpace::kHugePage;
    });
}

int aclrtMemExportToShareableHandle(void* handle, int, uint64_t, uint64_t* shareable) {
    return entry(
        __func__,
        [&] {
            *required(shareable, "shareableHandle") = physical_handles().get(handle)->memory->shareable();
        },
        fmt::ptr(handle));
}

int aclrtMemSetPidToShareableHandle(uint64_t shareable, int32_t* pids, size_t count) {
    return entry(
        __func__,
        [&] {
            required(pids, "pid");
            PhysicalMemory::import(0, shareable, "aclrtMemSetPidToShareableHandle");
        },
        shareable, count);
}

int aclrtMemImportFromShareableHandle(uint64_t shareable, int32_t device, void** handle) {
    return entry(
        __func__,
        [&] {
            required(handle, "handle");
            const int owner = opweld::npu::device(device).id();
            *handle = physical_handles().add(std::make_unique<PhysicalHandle>(PhysicalHandle{
                PhysicalMemory::import(owner, shareable, "aclrtMemImportFromShareableHandle")}));
        },
        shareable, device);
}
