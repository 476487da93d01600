// A program made ready to run for inputs of one form: steps in order, with all tensors over memory whose
// place is decided, so that a run only sets addresses and calls kernels.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "npu/ge/engine/inference.h"
#include "npu/ge/engine/memory_plan.h"

namespace opweld::npu::graph {

struct PlanOptions {
    bool reuse_inputs = true;  // element-wise results may take the place of an input that nobody reads later
    bool fuse_chains = true;   // element-wise operators run together, chunk by chunk
    bool fuse_epilogues = true;  // with the matrix product before them
};

// Memory that host code may touch.
struct Memory {
    void* first = nullptr;
    size_t bytes = 0;
};

class Plan {
  public:
    // Throws GraphError, and ValueUnknown where a shape depends on what the graph computes.
    Plan(std::shared_ptr<const Program> program, std::vector<Form> inputs, const PlanOptions& options = {});
    ~Plan();
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;

    // The graph's outputs, as Meta tensors.
    std::span<const at::Tensor> outputs() const noexcept { return output_metas_; }
    // What run() needs beside inputs and outputs.
    const MemoryPlan& memory() const noexcept { return memory_; }
    size_t steps() const noexcept;
    // Steps that are several operators at once.
    size_t fused_steps() const noexcept;

    // What a step is, for reports.
    struct StepInfo {
        std::vector<std::string> nodes;  // the one whose results it gives last
        std::string kind;                // "kernel", "kernel with own memory", "fused"
        size_t bytes;                    // of its results
        size_t chunks;                   // of a fused step
    };
    std::vector<StepInfo> step_infos() const;

    // Called around each step, for measurements: with its number and whether it begins.
    using Observer = std::function<void(size_t step, bool begins)>;
    void observe(Observer observer) { observer_ = std::move(observer); }

    // Runs the graph. The memories are those of the forms' contiguous tensors; `arena` has memory().bytes.
    // One run at a time. Throws what the kernels throw, with the node's name.
    void run(std::span<const Memory> inputs, std::span<const Memory> outputs, void* arena);

  private:
    struct Step;
    struct Buffer;
    class Builder;

    std::shared_ptr<const Program> program_;
    std::vector<at::Tensor> table_;  // by place of node and output
    std::vector<Buffer> buffers_;
    std::vector<std::unique_ptr<Step>> steps_;
    struct Output {
        size_t place;   // in table_
        bool in_place;  // the step writes into the output's memory itself
        int buffer;
    };
    std::vector<Output> outputs_;
    std::vector<at::Tensor> output_metas_;
    MemoryPlan memory_;
    void* arena_ = nullptr;
    std::mutex mutex_;
    Observer observer_;
};

}  // namespace opweld::npu::graph
