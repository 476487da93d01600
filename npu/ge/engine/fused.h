// Element-wise operators that run together, chunk by chunk: what goes from one to the next stays in the cache
// and needs no place in memory. The first one may be a matrix product, whose rows come chunk by chunk, too.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "npu/ge/operators/operator.h"

namespace opweld::npu::graph {

// One of the operators.
struct FusedMember {
    Call call;          // its arguments are tensors that outlive runs; those of `from` are replaced
    at::Tensor form;    // Meta tensor of its output
    at::Tensor output;  // of the last member: where the results go
    // For each input of the prototype and each tensor of it: the member that gives it, or -1.
    std::vector<std::vector<int>> from;
};

// Whether an operator other than an element-wise one may be the first member.
bool gives_rows(const Call& call);

class Fused {
  public:
    // The members in order; each but the last is read by later members only. All outputs have the shape of
    // the last one.
    explicit Fused(std::vector<FusedMember> members);
    ~Fused();

    void run() const;
    size_t chunks() const noexcept;
    // Bytes of the results that stay in the cache.
    size_t cached_bytes() const noexcept { return cached_bytes_; }
    // The members' names.
    const std::vector<std::string>& nodes() const noexcept { return nodes_; }

  private:
    struct Lane;
    std::vector<std::string> nodes_;
    size_t cached_bytes_ = 0;
    std::vector<std::unique_ptr<Lane>> lanes_;  // run beside each other
};

// Shorter results are not worth it.
constexpr int64_t kFusedElements = 32768;

}  // namespace opweld::npu::graph
