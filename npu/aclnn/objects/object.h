// What the opaque objects of the aclnn interface have in common: a count of who uses them. A create function
// gives the caller one reference, the destroy function takes it back, and an executor holds its own: so a
// program may destroy an argument as soon as the first phase has returned, as a captured graph needs.
#pragma once

#include <atomic>
#include <cstdint>

#include "npu/runtime/interface.h"

namespace opweld::npu::aclnn {

// Thread-safe count; the object deletes itself with the last reference.
class OPWELD_EXPORT Object {
  public:
    Object() = default;
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;
    virtual ~Object() = default;

    void retain() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
    void release() const noexcept {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            delete this;
        }
    }

  private:
    mutable std::atomic<uint32_t> references_{1};
};

}  // namespace opweld::npu::aclnn
