#include "npu/runtime/acl_api.h"
#include "npu/runtime/context.h"
#include "npu/runtime/device.h"
#include "npu/runtime/error.h"

using namespace opweld::npu;

int aclrtCreateContext(void** context, int32_t device) {
    return entry(
        __func__,
        [&] {
            required(context, "context");
            opweld::npu::device(device).use();
            *context = contexts().add(std::make_unique<Context>(device, false));
            set_current_context(*context);
        },
        device);
}

int aclrtDestroyContext(void* context) {
    return entry(
        __func__,
        [&] {
            int device = 0;
            void* stream = nullptr;
            {
                const auto pin = contexts().get(context);
                if (pin->primary()) {
                    raise(kRtParamInvalid, "this is the primary context of device {}: use aclrtResetDevice",
                          pin->device());
                }
                device = pin->device();
                stream = pin->take_default_stream();
            }
            if (stream != nullptr) {
                opweld::npu::device(device).destroy_stream(stream, false);
            }
            contexts().remove(context);
            opweld::npu::device(device).release(false);
        },
        fmt::ptr(context));
}

int aclrtSetCurrentContext(void* context) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            contexts().get(context);
            set_current_context(context);
        },
        fmt::ptr(context));
}

int aclrtGetCurrentContext(void** context) {
    return entry<InChild::allowed>(__func__, [&] { *required(context, "context") = current_context(); });
}

int aclrtCtxGetCurrentDefaultStream(void** stream) {
    return entry(__func__, [&] {
        void* context = current_context();
        *required(stream, "stream") = contexts().get(context)->default_stream(context);
    });
}
