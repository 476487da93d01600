// A run of a plan as a task of a stream.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "npu/ge/engine/plan.h"
#include "npu/runtime/operators.h"

namespace opweld::npu::graph {

class RunTask : public Task, public OperatorTask {
  public:
    RunTask(const std::string& graph, std::shared_ptr<Plan> plan, std::vector<Memory> inputs,
            std::vector<Memory> outputs, void* arena)
        : name_("graph " + graph),
          plan_(std::move(plan)),
          inputs_(std::move(inputs)),
          outputs_(std::move(outputs)),
          arena_(arena) {}

    // Copies an input, whose memory is the caller's again before the task runs.
    void keep(size_t input) {
        Memory& memory = inputs_[input];
        const auto* first = static_cast<const std::byte*>(memory.first);
        memory.first = kept_.emplace_back(first, first + memory.bytes).data();
    }

    void run() override { plan_->run(inputs_, outputs_, arena_); }
    std::string_view name() const noexcept override { return name_; }
    OperatorChain operators() const noexcept override { return operators_; }
    std::vector<Detail> details() const override { return {}; }

  private:
    std::string name_;
    std::shared_ptr<Plan> plan_;
    std::vector<Memory> inputs_;
    std::vector<std::vector<std::byte>> kept_;
    std::vector<Memory> outputs_;
    void* arena_;
    OperatorChain operators_ = running_operators();
};

}  // namespace opweld::npu::graph
