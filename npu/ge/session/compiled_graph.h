// A graph that was compiled: its program, and plans for the forms of inputs that it has met.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "npu/ge/engine/plan.h"
#include "npu/ge/session/options.h"

namespace opweld::npu::graph {

// A tensor that comes into a run or goes out of it.
struct RunTensor {
    DataType dtype;
    std::vector<int64_t> shape;
    void* data = nullptr;  // host or device memory; an output without memory gets some
    size_t bytes = 0;
    bool on_host = false;
};

class CompiledGraph {
  public:
    // `id` is for the names of dumped files. Throws GraphError.
    CompiledGraph(uint32_t id, Graph graph, Options options);

    // All shapes are known before the graph runs.
    bool is_static() const noexcept { return static_plan_ != nullptr; }
    // Why not, where the inputs have known shapes.
    const std::string& why_dynamic() const noexcept { return why_dynamic_; }
    std::vector<DataType> output_dtypes() const;
    std::vector<std::vector<int64_t>> output_shapes() const;
    // Bytes of intermediate results; 0 where they depend on inputs.
    size_t feature_memory() const noexcept;
    void set_feature_memory(const void* memory, size_t bytes);

    // Where results of unknown size get their memory.
    using Allocate = std::function<void*(size_t bytes)>;

    // Puts a run on a stream (null with `now`: runs at once). On return the outputs have shape, dtype and
    // memory.
    void run(void* stream, bool now, std::vector<RunTensor> inputs, std::span<RunTensor> outputs,
             const Allocate& allocate, const Allocate& allocate_arena);

    const Program& program() const noexcept { return *program_; }

  private:
    friend class RunTask;
    std::shared_ptr<Plan> plan_for(std::vector<RunTensor>& inputs);
    std::vector<Form> static_forms() const;

    std::shared_ptr<const Program> program_;
    Options options_;
    PlanOptions plan_options_;
    std::shared_ptr<Plan> static_plan_;
    std::string why_dynamic_;
    uint32_t id_;
    bool dump_inputs_ = false;  // of the first run, where the model leaves them open
    std::vector<bool> states_;  // which inputs are states of generators
    const void* feature_memory_ = nullptr;
    size_t feature_bytes_ = 0;

    std::mutex mutex_;
    std::list<std::pair<std::string, std::shared_ptr<Plan>>> plans_;  // the last used first
};

}  // namespace opweld::npu::graph
