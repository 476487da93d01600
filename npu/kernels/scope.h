// The one guard under which kernels run, whoever calls them and on whichever thread.
#pragma once

#include <c10/core/impl/LocalDispatchKeySet.h>

#include "npu/runtime/interface.h"

namespace opweld::npu::kernels {

// While it lives, ATen's functions on this thread reach the CPU kernels directly: autograd, autocast,
// functorch, tracing and Python modes are off, whatever the calling program has switched on.
class OPWELD_EXPORT KernelScope {
  public:
    KernelScope();

  private:
    c10::impl::ForceDispatchKeyGuard guard_;
};

}  // namespace opweld::npu::kernels
