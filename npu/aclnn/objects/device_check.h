// All tensors of one call must be on one device: another one's memory is out of a kernel's reach.
#pragma once

#include <string_view>

#include "npu/aclnn/objects/objects.h"

namespace opweld::npu::aclnn {

// Fed with the tensors of a call one by one. Cheap where all is well: one comparison a tensor.
class OPWELD_EXPORT DeviceCheck {
  public:
    // Throws AclException(161002) for a tensor on another device than those before it. Tensors without memory
    // are on any.
    void add(const aclTensor& tensor, std::string_view argument) {
        if (tensor.extent() == 0) {
            return;
        }
        const int device = device_of(tensor.first());
        if (device_ < 0) {
            device_ = device;
            first_ = argument;
        } else if (device >= 0 && device != device_) [[unlikely]] {
            refuse(device, argument);
        }
    }

    // -1 where no tensor has memory.
    int device() const noexcept { return device_; }

  private:
    [[noreturn]] void refuse(int device, std::string_view argument) const;

    int device_ = -1;
    std::string_view first_;
};

}  // namespace opweld::npu::aclnn
