// Operators that run at once, on the calling thread, on memory that may be the host's: how the graph engine
// calls the aclnn functions of vendor packages.
#pragma once

#include "npu/runtime/interface.h"

namespace opweld::npu {

// While it lives, enqueue() on this thread runs a task before it returns (and returns its error), and
// host_address() takes addresses outside of device memory as they are.
class OPWELD_EXPORT DirectScope {
  public:
    DirectScope() noexcept;
    ~DirectScope();
    DirectScope(const DirectScope&) = delete;
    DirectScope& operator=(const DirectScope&) = delete;

    static bool active() noexcept;
};

}  // namespace opweld::npu
