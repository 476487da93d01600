#include "npu/ge/report/graph_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "npu/ge/engine/plan.h"
#include "npu/ge/model/reader.h"
#include "npu/ge/operators/call.h"
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

// What the model says of a result before its sizes are known; null is what it leaves open: a scalar of
// float32 is what a description says that nobody has filled in.
Json declared_json(const Node& node, size_t output) {
    const TensorInfo& info = node.outputs[output];
    if (is_data(node) || !info.shape.empty()) {
        return tensor_json(info.dtype, info.shape);
    }
    return {{"dtype", info.dtype.number == 0 ? Json() : Json(dtype_name(info.dtype))}, {"shape", Json()}};
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
                                       : declared_json(node, k));
        }
        all.push_back({{"name", node.name},
                       {"type", program.nodes[i].constant.defined() ? "Const" : node.type},
                       {"inputs", inputs},
                       {"outputs", outputs}});
    }
    return all;
}

// Pages of its own for each tensor: untouched memory of calloc is one page for all, which is always in the
// cache.
struct Zeros {
    std::vector<std::unique_ptr<void, decltype(&std::free)>> owned;
    Memory add(size_t bytes) {
        owned.emplace_back(std::malloc(bytes + 1), &std::free);
        if (owned.back() == nullptr) {
            throw GraphError(fmt::format("no memory for {} bytes of zeros to measure on", bytes));
        }
        std::memset(owned.back().get(), 0, bytes + 1);
        return {owned.back().get(), bytes};
    }
};

std::vector<double> measure(Plan& plan, const std::vector<Form>& inputs, int runs) {
    Zeros zeros;
    std::vector<Memory> in;
    std::vector<Memory> out;
    in.reserve(inputs.size());
    out.reserve(plan.outputs().size());
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

Json inputs_json(const Program& program, const InputForms& inputs) {
    Json all = Json::array();
    for (size_t i = 0; i < program.graph.data.size(); ++i) {
        const Node& node = program.graph.nodes[static_cast<size_t>(program.graph.data[i])];
        const TensorInfo& info = node.outputs.front();
        all.push_back({{"name", node.name},
                       {"declared", tensor_json(info.dtype, info.shape)},
                       {"shape", inputs.open.empty() ? Json(inputs.forms[i].meta.sizes().vec()) : Json()}});
    }
    return all;
}

// Forms of all nodes; none, and `unknown` says why, where shapes depend on what nobody knows before a run.
std::optional<Forms> infer_where_known(const Program& program, const InputForms& inputs,
                                       std::string& unknown) {
    if (!inputs.open.empty()) {
        unknown = inputs.open;
        return std::nullopt;
    }
    try {
        return infer(program, inputs.forms);
    } catch (const ValueUnknown& reason) {
        unknown = reason.what();
        return std::nullopt;
    }
}

Json state_json(const Program& program, const Forms* forms) {
    return {{"nodes", nodes_json(program, forms)}, {"onnx", onnx_text(program, forms)}};
}

void add_steps(Json& report, Plan& plan, const std::vector<Form>& inputs, int runs) {
    const std::vector<double> times = runs > 0 ? measure(plan, inputs, runs) : std::vector<double>();
    const auto infos = plan.step_infos();
    for (size_t i = 0; i < infos.size(); ++i) {
        Json step{{"nodes", infos[i].nodes},
                  {"kind", infos[i].kind},
                  {"bytes", infos[i].bytes},
                  {"chunks", infos[i].chunks}};
        step["microseconds"] = times.empty() ? Json() : Json(times[i]);
        report["steps"].push_back(step);
    }
    report["memory"] = {{"bytes", plan.memory().bytes},
                        {"largest_live_set", plan.memory().largest_live_set},
                        {"without_reuse", plan.memory().without_reuse}};
}

}  // namespace

std::string graph_report(std::string_view model, const GivenInputs& given, int runs) {
    auto program = std::make_shared<Program>(bind_program(read_model(model), find_foreign));
    const InputForms inputs = input_forms(*program, given);
    Json report{{"name", program->graph.name}, {"inputs", inputs_json(*program, inputs)}};
    std::string unknown;
    const std::optional<Forms> before = infer_where_known(*program, inputs, unknown);
    report["before"] = state_json(*program, before ? &*before : nullptr);
    Json passes = Json::array();
    const PassSwitches switches = PassSwitches::from_environment();
    run_passes(*program, switches, [&](const Pass& pass, size_t changes, const Program& after) {
        passes.push_back({{"name", pass.name},
                          {"purpose", pass.purpose},
                          {"changes", changes},
                          {"nodes", after.graph.nodes.size()}});
    });
    report["passes"] = passes;
    const std::optional<Forms> after = infer_where_known(*program, inputs, unknown);
    report["after"] = state_json(*program, after ? &*after : nullptr);
    report["steps"] = Json::array();
    report["memory"] = Json();
    if (after) {
        Plan plan(program, inputs.forms,
                  {.reuse_inputs = switches.on("reuse-inputs"),
                   .fuse_chains = switches.on("fuse-chains"),
                   .fuse_epilogues = switches.on("fuse-epilogues")});
        add_steps(report, plan, inputs.forms, runs);
        unknown.clear();
    }
    report["no_steps"] = unknown.empty() ? Json() : Json(unknown);
    return report.dump();
}

}  // namespace opweld::npu::graph

extern "C" {

OPWELD_EXPORT char* opweldGraphReport(const void* model, size_t bytes, const char* inputs, int runs);
OPWELD_EXPORT void opweldGraphReportFree(char* report);

// The report of a serialized model as JSON text, to be given to opweldGraphReportFree; null with the reason
// in aclGetRecentErrMsg. `inputs` is a JSON object by an input's number
// or name, {"0": {"shape": [2, 3]}}; with a "value" (a list of integers) where it decides shapes.
char* opweldGraphReport(const void* model, size_t bytes, const char* inputs, int runs) {
    using namespace opweld::npu;
    try {
        prototypes::load_prototype_libraries();
        const std::string text = graph::graph_report({static_cast<const char*>(model), bytes},
                                                     graph::parse_given_inputs(inputs), runs);
        return strdup(text.c_str());
    } catch (const std::exception& error) {
        fail(-1, error.what());
        return nullptr;
    }
}

void opweldGraphReportFree(char* report) { std::free(report); }
}
