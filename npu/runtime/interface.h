// What libascendcl.so offers to the other libraries of the software NPU (C++, same compiler; not for users).
//
// Everything here is safe to call from any thread. No function ends the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#define OPWELD_EXPORT __attribute__((visibility("default")))

namespace opweld::npu {

// An error with the ACL code that the C boundary returns and the sentence that aclGetRecentErrMsg shows.
class OPWELD_EXPORT AclException : public std::runtime_error {
  public:
    AclException(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
    int code() const noexcept { return code_; }

  private:
    int code_;
};

// Work for a stream. run() is called once for each time the task is executed (a captured task many times), on
// whichever thread executes the stream. An exception becomes the stream's asynchronous error.
class OPWELD_EXPORT Task {
  public:
    virtual ~Task() = default;
    virtual void run() = 0;
    virtual std::string_view name() const noexcept = 0;  // for messages and traces: "aclnnAdd"
    // The device whose memory it works on, -1 for any: enqueue refuses a stream of another one.
    virtual int device() const noexcept { return -1; }
};

// Appends a task to a stream (a null stream is the current device's default stream) or, while the stream is
// being captured, to the capture. Returns an ACL code; 0 is success.
OPWELD_EXPORT int enqueue(void* stream, std::unique_ptr<Task> task) noexcept;

// The address at which host code may touch `bytes` bytes of device memory at `device`. Throws AclException
// (with the allocation's story) unless the whole range lies in one live allocation. A null pointer with 0
// bytes is allowed.
OPWELD_EXPORT void* host_address(const void* device, size_t bytes);

// The same without any check but the range of the device's reservation: one comparison and one addition.
// Returns null for an address that is no device memory.
OPWELD_EXPORT void* host_address_unchecked(const void* device) noexcept;

// Sets the calling thread's message for aclGetRecentErrMsg and returns `code`.
OPWELD_EXPORT int fail(int code, std::string_view message) noexcept;

// 0, or the code to return where this process may not use the NPU: it is a forked child that inherited a
// device in use (the calling thread's message then says so, naming `function`). First phases ask it, since a
// task queue of the caller may never get to the second one. One atomic load.
OPWELD_EXPORT int check_process(std::string_view function) noexcept;

// Memory that kernels free stays with the process instead of going back to the system, which would clear each
// page again at the next use: a large result took longer to get than to compute. Leaves all as it is where
// the environment (MALLOC_*_, GLIBC_TUNABLES) decides.
OPWELD_EXPORT void keep_freed_memory() noexcept;

// The device whose memory `address` is; -1 for what is no device memory.
OPWELD_EXPORT int device_of(const void* address) noexcept;

// The SoC the process pretends to be ("Ascend910B1"), from OPWELD_SOC.
OPWELD_EXPORT const char* soc_name() noexcept;

}  // namespace opweld::npu
