// Contexts: what a thread works in. Each device has a primary context; programs may create more.
//
// The current context is a property of the thread. Safe from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "npu/runtime/handle_table.h"
#include "npu/runtime/stream.h"

namespace opweld::npu {

// Options of aclrtSetSysParamOpt and aclrtCtxSetSysParamOpt.
inline constexpr size_t kOptionCount = 3;  // deterministic, debug kernels, strong consistency
using OptionValues = std::array<std::optional<int64_t>, kOptionCount>;

class Context {
  public:
    Context(int device, bool primary) : device_(device), primary_(primary) {}

    int device() const noexcept { return device_; }
    bool primary() const noexcept { return primary_; }

    // The context's default stream, created at the first question. `self` is the context's own handle.
    void* default_stream(const void* self);
    // The default stream if there is one, forgotten: for the context's end.
    void* take_default_stream();

    void set_option(size_t option, int64_t value);
    std::optional<int64_t> option(size_t option) const;

  private:
    const int device_;
    const bool primary_;
    mutable std::mutex mutex_;
    void* default_stream_ = nullptr;
    OptionValues options_;
};

HandleTable<Context>& contexts();

// The calling thread's context. Raises 107002 where it has none; a process with a default device has always
// one.
void* current_context();
void set_current_context(void* context) noexcept;

// The device of the calling thread's context.
int current_device();

// A live stream; null stands for the default stream of the calling thread's context.
HandleTable<Stream>::Pin stream_of(void* stream);

}  // namespace opweld::npu
