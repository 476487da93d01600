// A run of a plan as a task of a stream.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "npu/ge/engine/plan.h"
#include "npu/runtime/interface.h"

namespace opweld::npu::graph {

class RunTask : public Task {
  public:
    RunTask(const std::string& graph, std::shared_ptr<Plan> plan, std::vector<Memory> inputs,
            std::vector<Memory> outputs, void* arena)
        : name_("graph " + graph),
          plan_(std::move(plan)),
          inputs_(std::move(inputs)),
          outputs_(std::move(outputs)),
          arena_(arena) {}

    void run() override { plan_->run(inputs_, outputs_, arena_); }
    std::string_view name() const noexcept override { return name_; }

  private:
    std::string name_;
    std::shared_ptr<Plan> plan_;
    std::vector<Memory> inputs_;
    std::vector<Memory> outputs_;
    void* arena_;
};

}  // namespace opweld::npu::graph
