#include "npu/ge/report/graph_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "npu/ge/engine/plan.h"
#include "npu/ge/model/reader.h"
#include "npu/ge/passes/passes.h"
#include "npu/ge/prototypes/loading.h"
#include "npu/ge/report/onnx_text.h"
#include "npu/ge/vendor/foreign_operator.h"
#include "npu/runtime/interface.h"

namespace opweld::npu::graph {
namespace {

using Json = nlohmann::ordered_json;

Json tensor_json(DataType dtype, const std::vector<int64_t>& shape) {
    return {{"dtype", dtype_name(dtype)}, {"shape", shape}};
}

Json nodes_json(const Program& program, const Forms* forms) {
    Json all = Json::array();
    const Graph& graph = program.graph;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node& node = graph.nodes[i];
        Json inputs = Json::array();
        for (const Source& source : node.inputs) {
            inputs.push_back(source.node < 0
                                 ? Json()
                                 : Json{graph.nodes[static_cast<size_t>(source.node)].name, source.output});
        }
        Json outputs = Json::array();
        for (size_t k = 0; k < node.outputs.size(); ++k) {
            const bool inferred = forms != nullptr && k < (*forms)[i].size() && (*forms)[i][k].meta.defined();
            const at::Tensor meta = inferred ? (*forms)[i][k].meta : at::Tensor();
            outputs.push_back(inferred ? tensor_json(dtype_number(meta.scalar_type()), meta.sizes().vec())
                                       : tensor_json(node.outputs[k].dtype, node.outputs[k].shape));
        }
        all.push_back({{"name", node.name},
                       {"type", program.nodes[i].constant.defined() ? "Const" : node.type},
                       {"inputs", inputs},
                       {"outputs", outputs}});
    }
    return all;
}

std::vector<Form> input_forms(const Program& program, const std::map<int64_t, std::vector<int64_t>>& shapes) {
    std::vector<Form> forms;
    for (size_t i = 0; i < program.graph.data.size(); ++i) {
        const Node& node = program.graph.nodes[static_cast<size_t>(program.graph.data[i])];
        const TensorInfo& info = node.outputs.front();
        const auto given = shapes.find(static_cast<int64_t>(i));
        const std::vector<int64_t>& shape = given == shapes.end() ? info.shape : given->second;
        if (std::ranges::any_of(shape, [](int64_t size) { return size < 0; })) {
            throw GraphError(fmt::format(
                "input {} ('{}') has the open shape {}; say which sizes to show, with --shape {}=…", i,
                node.name, shape_text(info.shape), i));
        }
        forms.push_back({meta_tensor(dtype_of(info.dtype.number), shape), {}});
    }
    return forms;
}

struct Zeros {
    std::vector<std::unique_ptr<void, decltype(&std::free)>> owned;
    Memory add(size_t bytes) {
        owned.emplace_back(std::calloc(bytes + 1, 1), &std::free);
        return {owned.back().get(), bytes};
    }
};

std::vector<double> measure(Plan& plan, const std::vector<Form>& inputs, int runs) {
    Zeros zeros;
    std::vector<Memory> in;
    std::vector<Memory> out;
    for (const Form& form : inputs) {
        in.push_back(zeros.add(form.meta.nbytes()));
    }
    for (const at::Tensor& form : plan.outputs()) {
        out.push_back(zeros.add(form.nbytes()));
    }
    void* arena = zeros.add(plan.memory().bytes).first;
    std::vector<std::vector<double>> times(plan.steps());
    std::chrono::steady_clock::time_point begin;
    plan.observe([&](size_t step, bool begins) {
        const auto now = std::chrono::steady_clock::now();
        if (begins) {
            begin = now;
        } else {
            times[step].push_back(std::chrono::duration<double, std::micro>(now - begin).count());
        }
    });
    for (int i = 0; i < runs; ++i) {
        plan.run(in, out, arena);
    }
    plan.observe({});
    std::vector<double> medians;
    for (auto& all : times) {
        std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
        medians.push_back(all[all.size() / 2]);
    }
    return medians;
}

}  // namespace

std::string graph_report(std::string_view model, const std::map<int64_t, std::vector<int64_t>>& shapes,
                         int runs) {
    auto program = std::make_shared<Program>(bind_program(read_model(model), find_foreign));
    const std::vector<Form> inputs = input_forms(*program, shapes);
    Json report{{"name", program->graph.name}};
    const Forms before = infer(*program, inputs);
    report["before"] = {{"nodes", nodes_json(*program, &before)}, {"onnx", onnx_text(*program, &before)}};
    Json passes = Json::array();
    const PassSwitches switches = PassSwitches::from_environment();
    run_passes(*program, switches, [&](const Pass& pass, size_t changes, const Program& after) {
        passes.push_back({{"name", pass.name},
                          {"purpose", pass.purpose},
                          {"changes", changes},
                          {"nodes", after.graph.nodes.size()}});
    });
    report["passes"] = passes;
    const Forms after = infer(*program, inputs);
    report["after"] = {{"nodes", nodes_json(*program, &after)}, {"onnx", onnx_text(*program, &after)}};
    Plan plan(program, inputs,
              {.reuse_inputs = switches.on("reuse-inputs"),
               .fuse_chains = switches.on("fuse-chains"),
               .fuse_epilogues = switches.on("fuse-epilogues")});
    const std::vector<double> times = runs > 0 ? measure(plan, inputs, runs) : std::vector<double>();
    Json steps = Json::array();
    const auto infos = plan.step_infos();
    for (size_t i = 0; i < infos.size(); ++i) {
        Json step{{"nodes", infos[i].nodes},
                  {"kind", infos[i].kind},
                  {"bytes", infos[i].bytes},
                  {"chunks", infos[i].chunks}};
        step["microseconds"] = times.empty() ? Json() : Json(times[i]);
        steps.push_back(step);
    }
    report["steps"] = steps;
    report["memory"] = {{"bytes", plan.memory().bytes},
                        {"largest_live_set", plan.memory().largest_live_set},
                        {"without_reuse", plan.memory().without_reuse}};
    return report.dump();
}

}  // namespace opweld::npu::graph

extern "C" {

OPWELD_EXPORT char* opweldGraphReport(const void* model, size_t bytes, const char* shapes, int runs);
OPWELD_EXPORT void opweldGraphReportFree(char* report);

// The report of a serialized model as JSON text, to be given to opweldGraphReportFree; null with the reason
// in aclGetRecentErrMsg. `shapes` is a JSON object of sizes by input, {"0": [2, 3]}.
char* opweldGraphReport(const void* model, size_t bytes, const char* shapes, int runs) {
    using namespace opweld::npu;
    try {
        prototypes::load_prototype_libraries();
        std::map<int64_t, std::vector<int64_t>> sizes;
        for (const auto& [input, shape] : nlohmann::json::parse(shapes).items()) {
            sizes[std::stoll(input)] = shape.get<std::vector<int64_t>>();
        }
        const std::string text = graph::graph_report({static_cast<const char*>(model), bytes}, sizes, runs);
        return strdup(text.c_str());
    } catch (const std::exception& error) {
        fail(-1, error.what());
        return nullptr;
    }
}

void opweldGraphReportFree(char* report) { std::free(report); }
}
