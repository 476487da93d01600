// Explains a host access to device memory: such an access faults, and the handler writes one paragraph to
// standard error before it hands over to the handler that was there before. The process then ends by SIGSEGV.
#pragma once

namespace opweld::npu {

// Installs the handler, once. Called at the first use of a device.
void install_fault_handler();

}  // namespace opweld::npu
