#include "npu/aclnn/objects/device_check.h"

#include "npu/aclnn/objects/boundary.h"

namespace opweld::npu::aclnn {

void DeviceCheck::refuse(int device, std::string_view argument) const {
    throw AclException(kInvalid,
                       fmt::format("argument '{}' is on device {}, argument '{}' on device {}: expected "
                                   "all tensors on one device; move one of them with .to()",
                                   argument, device, first_, device_));
}

}  // namespace opweld::npu::aclnn
