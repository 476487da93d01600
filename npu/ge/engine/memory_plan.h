// Places of intermediate results in one block of memory: two may share bytes unless both are alive at some
// step.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace opweld::npu::graph {

// A result that is alive from the step that writes it to the last one that reads it, both inclusive.
struct Lifetime {
    size_t bytes;
    int first;
    int last;
};

struct MemoryPlan {
    std::vector<size_t> offsets;  // multiples of kMemoryAlignment
    size_t bytes = 0;             // of the block
    size_t largest_live_set = 0;  // no plan can need less
    size_t without_reuse = 0;     // the sum of all
};

constexpr size_t kMemoryAlignment = 64;

// Larger results get their place first, each the smallest gap that fits (best fit by offset).
MemoryPlan plan_memory(std::span<const Lifetime> lifetimes);

}  // namespace opweld::npu::graph
