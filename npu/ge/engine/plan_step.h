// What a plan consists of: memory in which results lie, and steps.
#pragma once

#include <memory>
#include <vector>

#include "npu/ge/engine/fused.h"
#include "npu/ge/engine/plan.h"

namespace opweld::npu::graph {

// Where a buffer lies: in an input or output of the graph, in a value known beforehand, in the arena, in
// memory that its step makes anew in each run, or in the cache of a fused step.
enum class Where : uint8_t { input, known, arena, output, fresh, cache };

// A tensor of that form over the storage.
at::Tensor tensor_over(const c10::Storage& storage, const at::Tensor& form);

// Whose address each run sets.
c10::Storage empty_storage(int64_t bytes);

// Memory that one or more tensors of the table lie in.
struct Plan::Buffer {
    Where where = Where::fresh;
    int which = -1;  // of the inputs or outputs
    int64_t bytes = 0;
    int first = -1;  // steps
    int last = -1;
    size_t offset = 0;  // in the arena
    c10::Storage storage;
};

struct Plan::Step {
    enum class Kind : uint8_t { write, compute, fused };
    Kind kind;
    Call call;
    size_t first_place;               // of its outputs in the table
    size_t count;                     // outputs
    std::vector<at::Tensor> forms;    // Meta tensors of the outputs
    std::vector<at::Tensor> outputs;  // write: tensors over the arena or over outputs
    struct Fresh {
        size_t argument;
        size_t index;
        size_t place;
    };
    std::vector<Fresh> fresh;      // arguments that an earlier step made anew in this run
    std::vector<size_t> released;  // places that nobody reads later
    std::unique_ptr<Fused> fused;

    void run(std::vector<at::Tensor>& table);

    // Puts what the kernel gives into the table. Throws GraphError where it is not what shape inference says.
    void keep(Results results, std::vector<at::Tensor>& table);
};

}  // namespace opweld::npu::graph
