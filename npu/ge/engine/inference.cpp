#include "npu/ge/engine/inference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "npu/ge/engine/guarded.h"
#include "npu/ge/model/reader.h"
#include "npu/kernels/scope.h"

namespace opweld::npu::graph {
namespace {

// Values up to this many elements are computed while shapes are inferred: shapes and numbers, no data.
constexpr int64_t kSmall = 1024;

bool values_known(const Call& call) {
    return std::ranges::all_of(call.arguments(), [](const Argument& argument) {
        return std::ranges::all_of(argument.values, [](const at::Tensor& value) { return value.defined(); });
    });
}

// These take tensors of one dtype: operators of graphs promote nothing, other than eager mode.
constexpr std::array<std::string_view, 5> kOneDtype{"FloorDiv", "FloorMod", "Maximum", "Minimum", "RealDiv"};

void check_dtypes(const Call& call) {
    const auto& arguments = call.arguments();
    if (std::ranges::find(kOneDtype, call.node().type) == kOneDtype.end() || arguments.size() != 2) {
        return;
    }
    const at::ScalarType first = arguments[0].tensors.front().scalar_type();
    const at::ScalarType second = arguments[1].tensors.front().scalar_type();
    if (first != second) {
        call.refuse(
            fmt::format("op dtype is not same: {} is {}, {} is {}; the converter must cast one of them",
                        call.op().inputs[0].name, dtype_name(dtype_number(first)), call.op().inputs[1].name,
                        dtype_name(dtype_number(second))));
    }
}

void check_results(const Call& call, const Results& results) {
    if (results.size() < call.node().outputs.size()) {
        call.refuse(fmt::format("it has {} outputs in the graph; the operator gives {}",
                                call.node().outputs.size(), results.size()));
    }
}

Results values_of(Call& call) {
    std::vector<std::vector<at::Tensor>> kept;
    for (Argument& argument : call.arguments()) {
        kept.push_back(std::exchange(argument.tensors, argument.values));
    }
    call.set_inferring(false);
    Results results = call.op().compute(call);
    for (size_t i = 0; i < kept.size(); ++i) {
        call.arguments()[i].tensors = std::move(kept[i]);
    }
    return results;
}

bool gives_view(std::string_view type) {
    static constexpr std::array<std::string_view, 10> kViews{
        "Identity", "Reshape",   "Unsqueeze", "ExpandDims", "Squeeze",
        "Flatten",  "FlattenV2", "Transpose", "Bitcast",    "StridedSliceV2"};
    return std::ranges::find(kViews, type) != kViews.end();
}

// Nodes whose results others write into: they are made anew in each run, even if their values are known.
std::vector<bool> written_nodes(const Program& program) {
    const auto& nodes = program.graph.nodes;
    std::vector<bool> written(nodes.size(), false);
    for (size_t i = 0; i < nodes.size(); ++i) {
        if (program.nodes[i].op == nullptr || !program.nodes[i].op->mutates) {
            continue;
        }
        for (const Source& input : nodes[i].inputs) {
            for (int node = input.node;
                 node >= 0 && program.nodes[static_cast<size_t>(node)].op != nullptr;) {
                written[static_cast<size_t>(node)] = true;
                const Node& producer = nodes[static_cast<size_t>(node)];
                node = gives_view(producer.type) ? producer.inputs.front().node : -1;
            }
        }
    }
    return written;
}

std::vector<Form> infer_node(const Program& program, int index, const Forms& forms, bool written) {
    Call call = make_call(program, index, forms);
    const Operator& op = call.op();
    std::vector<Form> outputs;
    guarded(call, [&] {
        check_dtypes(call);
        call.set_inferring(true);
        const Results metas = op.infer != nullptr ? op.infer(call) : op.compute(call);
        check_results(call, metas);
        const bool small = std::ranges::all_of(
            metas, [](const at::Tensor& meta) { return !meta.defined() || meta.numel() <= kSmall; });
        Results values;
        if (!op.mutates && !op.random && !written && small && values_known(call)) {
            values = values_of(call);
        }
        for (size_t i = 0; i < metas.size(); ++i) {
            if (i < values.size() && values[i].defined()) {
                outputs.push_back(known(values[i]));
            } else if (metas[i].defined() && !metas[i].is_meta()) {
                outputs.push_back(known(metas[i]));  // computed without reading a tensor's data
            } else {
                outputs.push_back({.meta = metas[i], .value = {}});
            }
        }
    });
    return outputs;
}

std::string origin_of(const Node& node) {
    const auto* origin = attribute<std::string>(node.attributes, kOrigin);
    return origin == nullptr ? std::string() : *origin;
}

// Which operators of PyTorch a node and its inputs stand for, as far as the model says so.
std::string origins(const Program& program, int index) {
    const Node& node = program.graph.nodes[static_cast<size_t>(index)];
    std::vector<std::string> inputs;
    for (const Source& input : node.inputs) {
        if (input.node >= 0) {
            std::string origin = origin_of(program.graph.nodes[static_cast<size_t>(input.node)]);
            if (!origin.empty() && std::ranges::find(inputs, origin) == inputs.end()) {
                inputs.push_back(std::move(origin));
            }
        }
    }
    const std::string own = origin_of(node);
    if (own.empty() && inputs.empty()) {
        return "";
    }
    return fmt::format(" ({}{}{})", own,
                       inputs.empty() ? ""
                       : own.empty()  ? "results of "
                                      : " of results of ",
                       fmt::join(inputs, ", "));
}

std::vector<Form> infer_with_origins(const Program& program, int index, const Forms& forms, bool written) {
    try {
        return infer_node(program, index, forms, written);
    } catch (const ValueUnknown&) {
        throw;
    } catch (const GraphError& error) {
        throw GraphError(error.what() + origins(program, index));
    }
}

}  // namespace

Form known(const at::Tensor& value) { return {meta_tensor(value.scalar_type(), value.sizes()), value}; }

Call make_call(const Program& program, int node, const Forms& forms) {
    const BoundNode& bound = program.nodes[static_cast<size_t>(node)];
    std::vector<Argument> arguments;
    for (const auto& sources : bound.inputs) {
        Argument& argument = arguments.emplace_back();
        for (const Source& source : sources) {
            const Form& form = forms[static_cast<size_t>(source.node)][static_cast<size_t>(source.output)];
            argument.tensors.push_back(form.meta);
            argument.values.push_back(form.value);
            argument.sources.push_back(source);
        }
    }
    return {*bound.op, program.graph.nodes[static_cast<size_t>(node)], std::move(arguments),
            bound.attributes};
}

Forms infer(const Program& program, std::span<const Form> inputs) {
    const kernels::KernelScope scope;
    const Graph& graph = program.graph;
    Forms forms(graph.nodes.size());
    const std::vector<bool> written = written_nodes(program);
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node& node = graph.nodes[i];
        if (is_data(node)) {
            const auto place = static_cast<size_t>(*attribute<int64_t>(node.attributes, "index"));
            if (place >= inputs.size()) {
                throw GraphError(
                    fmt::format("the graph has {} inputs, but got {}", graph.data.size(), inputs.size()));
            }
            forms[i].push_back(inputs[place]);
        } else if (program.nodes[i].constant.defined()) {
            forms[i].push_back(known(program.nodes[i].constant));
        } else if (program.nodes[i].op != nullptr) {
            forms[i] = infer_with_origins(program, static_cast<int>(i), forms, written[i]);
        }
    }
    return forms;
}

}  // namespace opweld::npu::graph
