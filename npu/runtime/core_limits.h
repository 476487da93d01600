// How many of a device's cores programs may use: what was asked for, for a device and for single streams.
//
// The numbers are kept for whoever asks for them, as torch_npu's captures and communication do. Kernels use
// the CPU's threads whatever they say: there are no cores here that could be left to others.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace opweld::npu {

enum class CoreKind : int { cube = 0, vector = 1 };

class CoreLimits {
  public:
    // 0 where nothing was asked for.
    uint32_t get(CoreKind kind) const noexcept { return slot(kind).load(std::memory_order_relaxed); }
    void set(CoreKind kind, uint32_t count) noexcept { slot(kind).store(count, std::memory_order_relaxed); }
    void reset() noexcept {
        set(CoreKind::cube, 0);
        set(CoreKind::vector, 0);
    }

  private:
    std::atomic<uint32_t>& slot(CoreKind kind) noexcept { return counts_[static_cast<std::size_t>(kind)]; }
    const std::atomic<uint32_t>& slot(CoreKind kind) const noexcept {
        return counts_[static_cast<std::size_t>(kind)];
    }

    std::array<std::atomic<uint32_t>, 2> counts_{};
};

}  // namespace opweld::npu
