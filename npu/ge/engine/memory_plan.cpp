#include "npu/ge/engine/memory_plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace opweld::npu::graph {
namespace {

size_t aligned(size_t bytes) { return (bytes + kMemoryAlignment - 1) / kMemoryAlignment * kMemoryAlignment; }

size_t largest_live_set(std::span<const Lifetime> lifetimes) {
    std::map<int, int64_t> changes;
    for (const Lifetime& life : lifetimes) {
        changes[life.first] += static_cast<int64_t>(aligned(life.bytes));
        changes[life.last + 1] -= static_cast<int64_t>(aligned(life.bytes));
    }
    int64_t now = 0;
    int64_t largest = 0;
    for (const auto& [step, change] : changes) {
        now += change;
        largest = std::max(largest, now);
    }
    return static_cast<size_t>(largest);
}

struct Placed {
    size_t begin;
    size_t end;
};

// The start of the smallest gap of at least `bytes` between the blocks, else the end of the last one.
size_t best_gap(std::vector<Placed>& blocks, size_t bytes) {
    std::ranges::sort(blocks, {}, &Placed::begin);
    size_t best = std::numeric_limits<size_t>::max();
    size_t best_size = std::numeric_limits<size_t>::max();
    size_t end = 0;
    for (const Placed& block : blocks) {
        if (block.begin > end && block.begin - end >= bytes && block.begin - end < best_size) {
            best = end;
            best_size = block.begin - end;
        }
        end = std::max(end, block.end);
    }
    return best == std::numeric_limits<size_t>::max() ? end : best;
}

}  // namespace

MemoryPlan plan_memory(std::span<const Lifetime> lifetimes) {
    MemoryPlan plan;
    plan.offsets.resize(lifetimes.size());
    std::vector<size_t> order(lifetimes.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater<>{}, [&](size_t i) { return lifetimes[i].bytes; });
    std::vector<size_t> done;
    for (const size_t i : order) {
        const Lifetime& life = lifetimes[i];
        std::vector<Placed> blocks;
        for (const size_t j : done) {
            if (lifetimes[j].first <= life.last && life.first <= lifetimes[j].last) {
                blocks.push_back({plan.offsets[j], plan.offsets[j] + aligned(lifetimes[j].bytes)});
            }
        }
        plan.offsets[i] = best_gap(blocks, aligned(life.bytes));
        plan.bytes = std::max(plan.bytes, plan.offsets[i] + aligned(life.bytes));
        plan.without_reuse += aligned(life.bytes);
        done.push_back(i);
    }
    plan.largest_live_set = largest_live_set(lifetimes);
    return plan;
}

}  // namespace opweld::npu::graph
