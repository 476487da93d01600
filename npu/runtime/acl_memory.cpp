#include "npu/runtime/acl_api.h"
#include "npu/runtime/address_space.h"
#include "npu/runtime/config.h"
#include "npu/runtime/context.h"
#include "npu/runtime/error.h"
#include "npu/runtime/host_memory.h"
#include "npu/runtime/memory.h"

using namespace opweld::npu;

namespace {

enum Location : int { kLocationHost = 0, kLocationDevice = 1, kLocationUnregistered = 2 };

// The kinds of memory that aclrtGetMemInfo tells apart are one on the software NPU, but for DDR, which it has
// none of.
enum MemAttribute : int {
    kDdr = 0,
    kDdrHuge = 2,
    kDdrNormal = 3,
    kDdrP2pHuge = 6,
    kDdrP2pNormal = 7,
    kMemAttributes = 18
};

int allocate(const char* function, void** device, size_t size, int policy, const void* caller) {
    return entry(
        function,
        [&] {
            required(device, "devPtr");
            *device = Memory::instance().allocate(current_device(), size, {function, caller});
        },
        size, policy);
}

}  // namespace

int aclrtMalloc(void** device, size_t size, int policy) {
    return allocate(__func__, device, size, policy, __builtin_return_address(0));
}

int aclrtMallocAlign32(void** device, size_t size, int policy) {
    return allocate(__func__, device, size, policy, __builtin_return_address(0));
}

int aclrtMallocCached(void** device, size_t size, int policy) {
    return allocate(__func__, device, size, policy, __builtin_return_address(0));
}

int aclrtFree(void* device) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            required(device, "devPtr");
            Memory::instance().free(device, {"aclrtFree", __builtin_return_address(0)});
        },
        fmt::ptr(device));
}

int aclrtGetMemInfo(int attribute, size_t* free, size_t* total) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            required(free, "free");
            required(total, "total");
            if (attribute < 0 || attribute >= kMemAttributes) {
                raise(kInvalidParam, "{} is no memory attribute: 0 to {} are", attribute, kMemAttributes - 1);
            }
            const int device = current_device();
            const bool ddr = attribute == kDdr || attribute == kDdrHuge || attribute == kDdrNormal ||
                             attribute == kDdrP2pHuge || attribute == kDdrP2pNormal;
            const Memory& memory = Memory::instance();
            *total = ddr ? 0 : memory.total(device);
            *free = ddr ? 0 : memory.total(device) - memory.used(device);
        },
        attribute);
}

int aclrtPointerGetAttributes(const void* pointer, PointerAttributes* attributes) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            required(pointer, "ptr");
            *required(attributes, "attributes") = {};
            if (AddressSpace::contains(pointer)) {
                Memory::instance().checked(pointer, 0);
                attributes->location = {static_cast<uint32_t>(AddressSpace::device_of(pointer)),
                                        kLocationDevice};
                attributes->page_size = AddressSpace::kHugePage;
                return;
            }
            const bool known = HostMemory::instance().known(pointer);
            attributes->location = {0, known ? kLocationHost : kLocationUnregistered};
            attributes->page_size = 4096;
        },
        fmt::ptr(pointer));
}
