// What happens to a used device when the process forks.
//
// The child inherits the memory as it was (a copy), but no stream's thread, and a real NPU belongs to its
// process. So in a child of a process that used a device, calls are refused with a message that names fork;
// only what reads is allowed: copies to the host, queries, synchronising what was idle. A child forked before
// the first use is free.
#pragma once

namespace opweld::npu {

// Called at the first use of a device, once: from now on children are watched, and forks find no lock held.
void watch_forks();

// Whether this process is a child that inherited a used device.
bool forked_child() noexcept;

// Raises ACL_ERROR_RT_INTERNAL_ERROR in such a child.
void refuse_in_child();

}  // namespace opweld::npu
