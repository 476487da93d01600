// Small graphs for tests.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <string>
#include <utility>
#include <vector>

#include "npu/ge/engine/plan.h"

namespace opweld::npu::graph {

class GraphBuilder {
  public:
    Source data(std::vector<int64_t> shape, int32_t dtype = 0) {
        Node node{
            .name = "data" + std::to_string(graph_.data.size()),
            .type = "Data",
            .inputs = {},
            .input_infos = {},
            .outputs =
                {{.name = "y", .dtype = {dtype}, .shape = std::move(shape), .layout = "ND", .device = "NPU"}},
            .after = {},
            .attributes = {{"index", static_cast<int64_t>(graph_.data.size())}}};
        graph_.data.push_back(static_cast<int>(graph_.nodes.size()));
        return add(std::move(node));
    }

    Source constant(const at::Tensor& value) {
        Constant held;
        held.info.dtype = dtype_number(value.scalar_type());
        held.info.shape = value.sizes().vec();
        const at::Tensor dense = value.contiguous();
        held.bytes =
            std::make_shared<std::string>(static_cast<const char*>(dense.const_data_ptr()), dense.nbytes());
        Node node{.name = "const" + std::to_string(graph_.nodes.size()),
                  .type = "Const",
                  .inputs = {},
                  .input_infos = {},
                  .outputs = {held.info},
                  .after = {},
                  .attributes = {{"value", held}}};
        return add(std::move(node));
    }

    // A node with inputs by name.
    Source node(const std::string& type, const std::vector<std::pair<std::string, Source>>& inputs,
                Attributes attributes = {}, std::vector<std::string> outputs = {"y"}) {
        Node made{.name = type + std::to_string(graph_.nodes.size()),
                  .type = type,
                  .inputs = {},
                  .input_infos = {},
                  .outputs = {},
                  .after = {},
                  .attributes = std::move(attributes)};
        for (const auto& [name, source] : inputs) {
            made.inputs.push_back(source);
            made.input_infos.push_back({.name = name,
                                        .dtype = {},
                                        .shape = {},
                                        .layout = "",
                                        .device = "",
                                        .unfed = source.node < 0});
        }
        for (auto& name : outputs) {
            made.outputs.push_back({.name = name, .dtype = {}, .shape = {}, .layout = "", .device = ""});
        }
        return add(std::move(made));
    }

    Program finish(const std::vector<Source>& outputs) {
        Node net{.name = "NetOutput",
                 .type = "NetOutput",
                 .inputs = outputs,
                 .input_infos = {},
                 .outputs = {},
                 .after = {},
                 .attributes = {}};
        net.input_infos.resize(outputs.size());
        graph_.net_output = static_cast<int>(graph_.nodes.size());
        graph_.nodes.push_back(std::move(net));
        graph_.name = "test";
        return bind_program(std::move(graph_));
    }

  private:
    Source add(Node node) {
        graph_.nodes.push_back(std::move(node));
        return {.node = static_cast<int>(graph_.nodes.size()) - 1, .output = 0};
    }
    Graph graph_;
};

inline size_t count_type(const Program& program, std::string_view type) {
    size_t count = 0;
    for (size_t i = 0; i < program.nodes.size(); ++i) {
        count += program.nodes[i].op != nullptr && program.graph.nodes[i].type == type ? 1 : 0;
    }
    return count;
}

// The outputs of a plan for these inputs.
inline std::vector<at::Tensor> run_plan(Plan& plan, const std::vector<at::Tensor>& inputs) {
    std::vector<Memory> in;
    std::vector<Memory> out;
    std::vector<at::Tensor> outputs;
    for (const at::Tensor& input : inputs) {
        in.push_back({input.mutable_data_ptr(), input.nbytes()});
    }
    for (const at::Tensor& form : plan.outputs()) {
        outputs.push_back(at::empty(form.sizes(), form.scalar_type()));
        out.push_back({outputs.back().mutable_data_ptr(), outputs.back().nbytes()});
    }
    const at::Tensor arena = at::empty({static_cast<int64_t>(plan.memory().bytes) + 1}, at::kByte);
    plan.run(in, out, arena.mutable_data_ptr());
    return outputs;
}

inline std::vector<Form> forms_of(const std::vector<at::Tensor>& inputs) {
    std::vector<Form> forms;
    for (const at::Tensor& input : inputs) {
        forms.push_back({meta_tensor(input.scalar_type(), input.sizes()), {}});
    }
    return forms;
}

}  // namespace opweld::npu::graph
