// How a plan is made: live nodes become steps, chains of them are fused, results get their places, and
// tensors are laid over these.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "npu/ge/engine/plan_step.h"

namespace opweld::npu::graph {

// Makes a plan; see the members of Plan for what comes out.
class Plan::Builder {
  public:
    Builder(Plan& plan, std::vector<Form> inputs, const PlanOptions& options)
        : plan_(plan),
          graph_(plan.program_->graph),
          options_(options),
          forms_(infer(*plan.program_, inputs)) {}

    void build();

  private:
    struct Pending {
        std::unique_ptr<Step> step;
        bool views;  // its results are views of memory that outlives runs
        int with;    // the step as part of which it runs: itself, or a later one
    };

    size_t place(const Source& source) const;
    const Form& form(const Source& source) const;

    void number_places();

    bool all_known(size_t node) const;

    void find_live();

    int new_buffer(Where where, const at::Tensor& meta, int which = -1);

    void make_buffers_of_inputs();

    int buffer_with(const at::Tensor& meta) const;

    void add_node(int node);

    // Where the only result of a node is its only tensor as it is: the place of that tensor.
    std::optional<size_t> gives_its_input(size_t node) const;

    // Outputs that a step can write where the caller wants them.
    void choose_outputs();

    // Where each place is read: steps, and the number of all steps for the graph's outputs.
    std::unordered_map<size_t, std::vector<int>> readers() const;

    bool lasting(const Argument& argument) const;

    bool fusible(const Pending& pending) const;

    // Lets steps whose results only one later step needs run as part of that step.
    void fuse();

    // Adds one step to the group of step `last` if there is one that fits.
    bool join_one(int last, const std::unordered_map<size_t, std::vector<int>>& readers,
                  const std::unordered_map<size_t, int>& maker);

    size_t group_size(int last) const;

    void find_lifetimes();

    void place_memory();

    // The buffer of an argument that ends where the buffer begins, and that an element-wise step may
    // overwrite.
    int reusable_input(size_t index) const;

    void make_tensors();

    void make_step(size_t index);

    at::Tensor make_output(Step& step);

    void make_fused(size_t last);

    // Results that are made anew in each run end with their last reader.
    void release_fresh();

    Plan& plan_;
    const Graph& graph_;
    PlanOptions options_;
    Forms forms_;
    std::vector<size_t> first_place_;
    std::vector<int> buffer_of_;                  // by place
    std::unordered_map<size_t, size_t> same_as_;  // places of results that are an input as it is
    std::vector<bool> live_;
    std::unordered_map<const c10::StorageImpl*, int> storages_;
    std::vector<Pending> pending_;
};

}  // namespace opweld::npu::graph
