// Philox4x32-10, a counter-based random generator: the number at a place depends on key and counter only, so
// it is the same whichever thread computes it. J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel
// random numbers: as easy as 1, 2, 3", SC 2011 (the library is Random123).
#pragma once

#include <array>
#include <cstdint>

namespace opweld::npu::kernels {

// A program's generator state, as torch_npu passes it.
struct RandomState {
    int64_t seed;
    int64_t offset;
};

using Philox4 = std::array<uint32_t, 4>;

// The four numbers of one counter value and key.
constexpr Philox4 philox4x32_10(Philox4 counter, std::array<uint32_t, 2> key) noexcept {
    constexpr uint64_t kMultiplier0 = 0xD2511F53;
    constexpr uint64_t kMultiplier1 = 0xCD9E8D57;
    constexpr uint32_t kWeyl0 = 0x9E3779B9;
    constexpr uint32_t kWeyl1 = 0xBB67AE85;
    for (int round = 0; round < 10; ++round) {
        const uint64_t product0 = kMultiplier0 * counter[0];
        const uint64_t product1 = kMultiplier1 * counter[2];
        counter = {
            static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(product1),
            static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(product0)};
        key[0] += kWeyl0;
        key[1] += kWeyl1;
    }
    return counter;
}

// The numbers of block `block` of a call: the seed is the key; offset and block are the counter.
constexpr Philox4 random_block(RandomState state, uint64_t block) noexcept {
    const auto seed = static_cast<uint64_t>(state.seed);
    const auto offset = static_cast<uint64_t>(state.offset);
    return philox4x32_10({static_cast<uint32_t>(offset), static_cast<uint32_t>(offset >> 32),
                          static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32)},
                         {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
}

}  // namespace opweld::npu::kernels
