#include "npu/runtime/acl_api.h"
#include "npu/runtime/capture.h"
#include "npu/runtime/context.h"
#include "npu/runtime/device.h"
#include "npu/runtime/error.h"

using namespace opweld::npu;

namespace {

constexpr int32_t kNoLimit = -1;

// -1 is "wait as long as it takes", other negative numbers are mistakes.
int32_t checked_timeout(int32_t timeout) {
    if (timeout < kNoLimit) {
        raise(kRtParamInvalid, "a timeout of {} ms is not possible: -1 (no limit) or more is expected",
              timeout);
    }
    return timeout;
}

void synchronise(int32_t timeout) {
    if (forked_child()) {
        if (device(current_device()).busy()) {
            refuse_in_child();
        }
        return;
    }
    refuse_in_capture("aclrtSynchronizeDevice");
    device(current_device()).synchronise(timeout);
}

void leave_device(int32_t id, bool force) {
    Device& left = device(id);
    if (!forked_child()) {
        left.release(force);
    }
}

}  // namespace

int aclrtGetDeviceCount(uint32_t* count) {
    return entry<InChild::allowed>(
        __func__, [&] { *required(count, "count") = static_cast<uint32_t>(device_count()); });
}

int aclrtSetDevice(int32_t device) {
    return entry(__func__, [&] { set_current_context(opweld::npu::device(device).use()); }, device);
}

int aclrtResetDevice(int32_t device) {
    return entry<InChild::allowed>(__func__, [&] { leave_device(device, false); }, device);
}

int aclrtResetDeviceForce(int32_t device) {
    return entry<InChild::allowed>(__func__, [&] { leave_device(device, true); }, device);
}

int aclrtGetDevice(int32_t* device) {
    return entry<InChild::allowed>(__func__, [&] { *required(device, "deviceId") = current_device(); });
}

int aclrtSynchronizeDevice() {
    return entry<InChild::allowed>(__func__, [] { synchronise(kNoLimit); });
}

int aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
    return entry<InChild::allowed>(__func__, [&] { synchronise(checked_timeout(timeout)); }, timeout);
}

int aclrtDeviceTaskAbort(int32_t device, uint32_t timeout) {
    return entry(
        __func__,
        [&] { opweld::npu::device(device).abort(timeout == 0 ? kNoLimit : static_cast<int32_t>(timeout)); },
        device, timeout);
}

int aclrtGetPrimaryCtxState(int32_t device, uint32_t* flags, int32_t* active) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            const bool in_use = opweld::npu::device(device).in_use();
            if (flags != nullptr) {
                *flags = 0;
            }
            *required(active, "active") = in_use ? 1 : 0;
        },
        device);
}

int aclrtGetLogicDevIdByUserDevId(int32_t user, int32_t* logic) {
    return entry<InChild::allowed>(
        __func__, [&] { *required(logic, "logicDevId") = opweld::npu::device(user).physical(); }, user);
}

int aclrtDeviceCanAccessPeer(int32_t* can_access, int32_t device, int32_t peer) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            opweld::npu::device(device);
            opweld::npu::device(peer);
            if (device == peer) {
                raise(kRtParamInvalid, "device {} is asked for access to itself", device);
            }
            *required(can_access, "canAccessPeer") = 1;
        },
        device, peer);
}

int aclrtDeviceEnablePeerAccess(int32_t peer, uint32_t flags) {
    return entry(
        __func__,
        [&] {
            opweld::npu::device(peer);
            if (flags != 0) {
                raise(kRtFeatureNotSupported, "flags {} are given; 0 is the only value", flags);
            }
        },
        peer, flags);
}

int aclrtDeviceDisablePeerAccess(int32_t peer) {
    return entry(__func__, [&] { opweld::npu::device(peer); }, peer);
}

int aclrtDevicePeerAccessStatus(int32_t device, int32_t peer, int32_t* status) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            opweld::npu::device(device);
            opweld::npu::device(peer);
            *required(status, "status") = 1;
        },
        device, peer);
}
