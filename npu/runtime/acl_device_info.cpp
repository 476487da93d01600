#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "npu/runtime/acl_api.h"
#include "npu/runtime/config.h"
#include "npu/runtime/device.h"
#include "npu/runtime/error.h"
#include "npu/runtime/memory.h"
#include "npu/runtime/virtual_memory.h"

using namespace opweld::npu;

namespace {

enum Capability : int { kAiCores = 0, kVectorCores = 1, kL2Size = 2 };

enum Attribute : int {
    kAttrAiCpus = 1,
    kAttrAiCores = 101,
    kAttrCubeCores = 102,
    kAttrVectorCores = 201,
    kAttrUbPerVectorCore = 204,
    kAttrTotalMemory = 301,
    kAttrL2Size = 302,
    kAttrPhysicalChip = 402,
    kAttrIsVirtual = 501,
    kAttrArchitecture = 601,
};

int64_t attribute_of(const Device& device, int attribute) {
    const Soc& soc = *config().soc;
    switch (attribute) {
        case kAttrAiCpus:
            return soc.ai_cpus;
        case kAttrAiCores:
        case kAttrCubeCores:
            return soc.ai_cores;
        case kAttrVectorCores:
            return soc.vector_cores;
        case kAttrUbPerVectorCore:
            return static_cast<int64_t>(soc.ub_bytes);
        case kAttrTotalMemory:
            return static_cast<int64_t>(config().hbm_bytes);
        case kAttrL2Size:
            return static_cast<int64_t>(soc.l2_bytes);
        case kAttrPhysicalChip:
            return device.physical();
        case kAttrIsVirtual:
            return 0;
        case kAttrArchitecture:
            return soc.npu_arch;
        default:
            raise(kRtFeatureNotSupported,
                  "the software NPU does not know device attribute {} (aclrtGetDeviceInfo)", attribute);
    }
}

}  // namespace

int aclGetDeviceCapability(uint32_t device, int info, int64_t* value) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            opweld::npu::device(static_cast<int>(device));
            required(value, "value");
            const Soc& soc = *config().soc;
            switch (info) {
                case kAiCores:
                    *value = soc.ai_cores;
                    return;
                case kVectorCores:
                    *value = soc.vector_cores;
                    return;
                case kL2Size:
                    *value = static_cast<int64_t>(soc.l2_bytes);
                    return;
                default:
                    raise(kInvalidParam, "{} is no device capability: 0 to 2 are", info);
            }
        },
        device, info);
}

int aclrtGetDeviceInfo(uint32_t device, int attribute, int64_t* value) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            *required(value, "value") =
                attribute_of(opweld::npu::device(static_cast<int>(device)), attribute);
        },
        device, attribute);
}

int aclrtGetDeviceUtilizationRate(int32_t device, UtilizationInfo* info) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            required(info, "utilizationInfo");
            const Device& asked = opweld::npu::device(device);
            const Memory* memory = Memory::if_used();
            // A sample, not an average: is a stream at work at this moment?
            const int32_t rate = asked.busy() ? 100 : 0;
            const uint64_t used = memory == nullptr ? 0 : memory->used(device);
            *info = {.cube = rate,
                     .vector = rate,
                     .ai_cpu = 0,
                     .memory = static_cast<int32_t>(used * 100 / config().hbm_bytes),
                     .extension = nullptr};
        },
        device);
}

int aclrtDeviceGetUuid(int32_t device, DeviceUuid* uuid) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            const std::string text = fmt::format("opweld-npu-{:05}", opweld::npu::device(device).physical());
            required(uuid, "uuid");
            std::memcpy(uuid->bytes, text.data(), std::min(text.size(), sizeof(uuid->bytes)));
        },
        device);
}

int aclrtDeviceGetBareTgid(int32_t* pid) {
    return entry<InChild::allowed>(__func__, [&] { *required(pid, "pid") = getpid(); });
}

int aclrtGetMemUceInfo(int32_t device, void*, size_t, size_t* found) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            opweld::npu::device(device);
            // Memory of the host does not report uncorrectable errors to its programs.
            *required(found, "retSize") = 0;
        },
        device);
}

int aclrtDeviceGetStreamPriorityRange(int32_t* least, int32_t* greatest) {
    return entry<InChild::allowed>(__func__, [&] {
        *required(least, "leastPriority") = 7;
        *required(greatest, "greatestPriority") = 0;
    });
}
