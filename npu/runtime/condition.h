// Conditional tasks of captured graphs: which part runs is read from device memory when the graph runs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "npu/runtime/captured_graph.h"
#include "npu/runtime/handle_table.h"

namespace opweld::npu {

enum class ConditionKind : int { if_else = 0, while_loop = 1, switch_case = 2 };

// Eight bytes of device memory.
class Condition {
  public:
    Condition(int device, uint32_t graph, uint32_t initial, bool assign_at_launch);
    ~Condition();
    Condition(const Condition&) = delete;
    Condition& operator=(const Condition&) = delete;

    uint64_t* address() const noexcept { return address_; }
    // The id of the graph it was made for.
    uint32_t graph() const noexcept { return graph_; }
    uint64_t value() const;
    // What a launch of the graph begins with.
    void prepare() const;

  private:
    const uint32_t graph_;
    const uint32_t initial_;
    const bool assign_at_launch_;
    uint64_t* address_ = nullptr;
};

HandleTable<std::shared_ptr<Condition>>& conditions();

// if_else runs parts[0] where the value is not 0, else parts[1] if there is one; while_loop runs parts[0]
// until the value is 0; switch_case runs the part of that number, or none.
std::unique_ptr<Task> make_conditional(ConditionKind kind, std::shared_ptr<Condition> condition,
                                       std::vector<std::shared_ptr<CapturedGraph>> parts);

}  // namespace opweld::npu
