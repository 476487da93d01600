// Random numbers that depend on seed and offset only: Philox 4x32 with ten rounds, the counter-based
// generator of Salmon, Moraes, Dror and Shaw (2011).
#pragma once

#include <array>
#include <cstdint>

namespace opweld {

// What a Generator argument becomes in a kernel.
struct RandomState {
    uint64_t seed = 0;
    uint64_t offset = 0;
};

// Four 32-bit numbers for one counter value: the same for the same (seed, offset, index), on every thread.
inline std::array<uint32_t, 4> philox(const RandomState& state, uint64_t index) noexcept {
    std::array<uint32_t, 4> counter{static_cast<uint32_t>(state.offset),
                                    static_cast<uint32_t>(state.offset >> 32), static_cast<uint32_t>(index),
                                    static_cast<uint32_t>(index >> 32)};
    std::array<uint32_t, 2> key{static_cast<uint32_t>(state.seed), static_cast<uint32_t>(state.seed >> 32)};
    for (int round = 0; round < 10; ++round) {
        const uint64_t low = 0xD2511F53ULL * counter[0];
        const uint64_t high = 0xCD9E8D57ULL * counter[2];
        counter = {static_cast<uint32_t>(high >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(high),
                   static_cast<uint32_t>(low >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(low)};
        key[0] += 0x9E3779B9U;
        key[1] += 0xBB67AE85U;
    }
    return counter;
}

// A number in [0, 1), with 24 random bits.
inline float uniform(const RandomState& state, uint64_t index) noexcept {
    return static_cast<float>(philox(state, index / 4)[index % 4] >> 8) * 0x1p-24F;
}

}  // namespace opweld
