#include "npu/runtime/acl_api.h"
#include "npu/runtime/device.h"
#include "npu/runtime/error.h"
#include "npu/runtime/process.h"

using namespace opweld::npu;

int aclInit(const char* config_path) {
    return entry(
        __func__, [&] { Process::instance().initialise(config_path); },
        config_path == nullptr ? "null" : config_path);
}

int aclFinalize() {
    return entry<InChild::allowed>(__func__, [] { Process::instance().finalise(); });
}

const char* aclGetRecentErrMsg() { return take_message(); }

int aclrtGetLastError(int) { return last_error(true); }

int aclrtPeekAtLastError(int) { return last_error(false); }

int aclrtGetErrorVerbose(int32_t device, ErrorInfoHead* info) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            opweld::npu::device(device);
            // The software NPU has no hardware that breaks.
            *required(info, "errorInfo") = {};
        },
        device);
}
