#include "npu/ge/session/compiled_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "npu/ge/engine/generator_states.h"
#include "npu/ge/engine/interpreter.h"
#include "npu/ge/passes/passes.h"
#include "npu/ge/session/dump.h"
#include "npu/ge/session/run_task.h"
#include "npu/ge/vendor/foreign_operator.h"
#include "npu/kernels/tensor.h"
#include "npu/runtime/interface.h"
#include "npu/runtime/own_thread.h"

extern "C" int aclrtSynchronizeStream(void* stream);
extern "C" const char* aclGetRecentErrMsg();

namespace opweld::npu::graph {
namespace {

constexpr size_t kPlans = 16;             // of one graph; the least used goes
constexpr size_t kLargestHostValue = 64;  // elements of an integer input on the host that may decide a shape

bool decides_shapes(const RunTensor& tensor) {
    if (!tensor.on_host || tensor.data == nullptr || tensor.bytes == 0) {
        return false;
    }
    const at::ScalarType dtype = dtype_of(tensor.dtype.number);
    return at::isIntegralType(dtype, false) && tensor.bytes / c10::elementSize(dtype) <= kLargestHostValue;
}

at::Tensor over(const RunTensor& tensor) {
    std::vector<int64_t> strides(tensor.shape.size());
    int64_t step = 1;
    for (size_t i = tensor.shape.size(); i-- > 0;) {
        strides[i] = step;
        step *= std::max<int64_t>(tensor.shape[i], 1);
    }
    return kernels::borrow(tensor.data, dtype_of(tensor.dtype.number), tensor.shape, strides);
}

std::string key_of(const std::vector<RunTensor>& inputs, const std::vector<bool>& states) {
    std::string key;
    for (size_t i = 0; i < inputs.size(); ++i) {
        const RunTensor& input = inputs[i];
        key += fmt::format("{}{};", input.dtype.number, shape_text(input.shape));
        if (!states[i] && decides_shapes(input)) {
            key.append(static_cast<const char*>(input.data), input.bytes);
        }
    }
    return key;
}

// Whether a tensor has the shape that the graph declares; torchair gives a number the shape [1].
bool fits(const RunTensor& tensor, const TensorInfo& info) {
    return tensor.shape == info.shape || (info.shape.empty() && tensor.shape == std::vector<int64_t>{1});
}

bool known_shape(const TensorInfo& info) {
    return std::ranges::all_of(info.shape, [](int64_t size) { return size >= 0; });
}

size_t bytes_of(const RunTensor& tensor) {
    size_t bytes = element_size(tensor.dtype);
    for (const int64_t size : tensor.shape) {
        bytes *= static_cast<size_t>(size);
    }
    return bytes;
}

// Addresses at which kernels reach the tensors.
std::vector<Memory> reachable(std::span<const RunTensor> tensors) {
    std::vector<Memory> all;
    for (const RunTensor& tensor : tensors) {
        const size_t bytes = bytes_of(tensor);
        all.push_back({tensor.on_host || bytes == 0 ? tensor.data : host_address(tensor.data, bytes), bytes});
    }
    return all;
}

// Whoever made the model counts on the dtype and the known sizes that it states for an output, and may have
// made room for no more.
void check_promise(const Graph& graph, size_t index, const RunTensor& output) {
    const Node& net = graph.nodes[static_cast<size_t>(graph.net_output)];
    const TensorInfo& promised = net.input_infos[index];
    const std::vector<int64_t>& sizes = promised.shape;
    if (sizes.empty() && promised.dtype.number == 0 && !output.shape.empty()) {
        return;  // a scalar of float32 is what a description says that nobody has filled in
    }
    bool fits = sizes.empty() || sizes.size() == output.shape.size();
    for (size_t i = 0; fits && i < sizes.size(); ++i) {
        fits = sizes[i] < 0 || sizes[i] == output.shape[i];
    }
    if (fits && (element_size(promised.dtype) == 0 || promised.dtype == output.dtype)) {
        return;
    }
    const Node& source = graph.nodes[static_cast<size_t>(net.inputs[index].node)];
    throw GraphError(
        fmt::format("Check output size failed: output {}, which node '{}' of type {} computes, is {}{}, but "
                    "Meta promises {}{}",
                    index, source.name, source.type, dtype_name(output.dtype), shape_text(output.shape),
                    dtype_name(promised.dtype), shape_text(sizes)));
}

// The sentence, and what the runtime says of its latest failure on this thread.
std::string with_reason(const char* sentence) {
    const char* reason = aclGetRecentErrMsg();
    return reason == nullptr ? sentence : fmt::format("{}: {}", sentence, reason);
}

}  // namespace

CompiledGraph::CompiledGraph(uint32_t id, Graph graph, Options options)
    : options_(std::move(options)), id_(id) {
    const auto switches = PassSwitches::from_environment();
    plan_options_ = {.reuse_inputs = switches.on("reuse-inputs"),
                     .fuse_chains = switches.on("fuse-chains"),
                     .fuse_epilogues = switches.on("fuse-epilogues")};
    auto program = std::make_shared<Program>(bind_program(std::move(graph), find_foreign));
    const bool dumped = dumping();
    if (dumped) {
        dump_program(id, "PreRunBegin", *program);
    }
    run_passes(*program, switches);
    if (dumped) {
        dump_program(id, "PreRunAfterBuild", *program);
    }
    program_ = std::move(program);
    states_ = generator_states(*program_);
    for (const int data : program_->graph.data) {
        const Node& node = program_->graph.nodes[static_cast<size_t>(data)];
        if (!known_shape(node.outputs.front())) {
            dump_inputs_ = dumped;
            return;
        }
    }
    try {
        static_plan_ = std::make_shared<Plan>(program_, static_forms(), plan_options_);
    } catch (const ValueUnknown& reason) {
        why_dynamic_ = reason.what();
        dump_inputs_ = dumped;
    }
}

std::vector<Form> CompiledGraph::static_forms() const {
    std::vector<Form> forms;
    for (const int data : program_->graph.data) {
        const TensorInfo& info = program_->graph.nodes[static_cast<size_t>(data)].outputs.front();
        try {
            forms.push_back({meta_tensor(dtype_of(info.dtype.number), info.shape), {}});
        } catch (const std::exception& error) {
            throw GraphError(fmt::format("input '{}' of the graph: unsupported type: {}",
                                         program_->graph.nodes[static_cast<size_t>(data)].name,
                                         error.what()));
        }
    }
    return forms;
}

std::vector<DataType> CompiledGraph::output_dtypes() const {
    std::vector<DataType> dtypes;
    const Node& net = program_->graph.nodes[static_cast<size_t>(program_->graph.net_output)];
    for (size_t i = 0; i < net.inputs.size(); ++i) {
        dtypes.push_back(static_plan_ ? dtype_number(static_plan_->outputs()[i].scalar_type())
                                      : net.input_infos[i].dtype);
    }
    return dtypes;
}

std::vector<std::vector<int64_t>> CompiledGraph::output_shapes() const {
    std::vector<std::vector<int64_t>> shapes;
    const Node& net = program_->graph.nodes[static_cast<size_t>(program_->graph.net_output)];
    for (size_t i = 0; i < net.inputs.size(); ++i) {
        shapes.push_back(static_plan_ ? static_plan_->outputs()[i].sizes().vec() : net.input_infos[i].shape);
    }
    return shapes;
}

size_t CompiledGraph::feature_memory() const noexcept {
    return static_plan_ ? static_plan_->memory().bytes : 0;
}

void CompiledGraph::set_feature_memory(const void* memory, size_t bytes) {
    if (bytes < feature_memory()) {
        throw GraphError(
            fmt::format("{} bytes of feature memory; the graph needs {}", bytes, feature_memory()));
    }
    const std::scoped_lock lock(mutex_);
    feature_memory_ = memory;
    feature_bytes_ = bytes;
}

std::shared_ptr<Plan> CompiledGraph::plan_for(std::vector<RunTensor>& inputs) {
    if (inputs.size() != program_->graph.data.size()) {
        throw GraphError(
            fmt::format("the graph has {} inputs, but got {}", program_->graph.data.size(), inputs.size()));
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
        const auto data = static_cast<size_t>(program_->graph.data[i]);
        const TensorInfo& info = program_->graph.nodes[data].outputs.front();
        if (fits(inputs[i], info)) {
            inputs[i].shape = info.shape;
        }
    }
    if (static_plan_) {
        for (size_t i = 0; i < inputs.size(); ++i) {
            const auto data = static_cast<size_t>(program_->graph.data[i]);
            const TensorInfo& info = program_->graph.nodes[data].outputs.front();
            if (inputs[i].shape != info.shape || inputs[i].dtype != info.dtype) {
                throw GraphError(fmt::format("input {} is {} {}; the graph was compiled for {} {}", i,
                                             dtype_name(inputs[i].dtype), shape_text(inputs[i].shape),
                                             dtype_name(info.dtype), shape_text(info.shape)));
            }
        }
        return static_plan_;
    }
    const std::string key = key_of(inputs, states_);
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find(plans_, key, &decltype(plans_)::value_type::first);
    if (found != plans_.end()) {
        plans_.splice(plans_.begin(), plans_, found);
        return found->second;
    }
    std::vector<Form> forms;
    forms.reserve(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
        const RunTensor& input = inputs[i];
        forms.push_back(!states_[i] && decides_shapes(input)
                            ? known(over(input).clone())
                            : Form{meta_tensor(dtype_of(input.dtype.number), input.shape), {}});
    }
    if (std::exchange(dump_inputs_, false)) {
        dump_inputs(id_, program_->graph.name, forms);
    }
    std::shared_ptr<Plan> plan;
    try {
        plan = std::make_shared<Plan>(program_, std::move(forms), plan_options_);
    } catch (const ValueUnknown&) {
        plan = nullptr;  // is run node by node
    }
    plans_.emplace_front(key, plan);
    if (plans_.size() > kPlans) {
        plans_.pop_back();
    }
    return plan;
}

void CompiledGraph::run(void* stream, bool now, std::vector<RunTensor> inputs, std::span<RunTensor> outputs,
                        const Allocate& allocate, const Allocate& allocate_arena) {
    const std::shared_ptr<Plan> plan = plan_for(inputs);
    std::vector<at::Tensor> computed;
    if (!plan) {
        if (!now) {
            if (const int code = aclrtSynchronizeStream(stream); code != 0) {
                throw GraphError(with_reason("work before the graph on its stream has failed"));
            }
        }
        std::vector<at::Tensor> tensors;
        const std::vector<Memory> memories = reachable(inputs);
        for (size_t i = 0; i < inputs.size(); ++i) {
            inputs[i].data = memories[i].first;
            tensors.push_back(over(inputs[i]));
        }
        computed = interpret(*program_, tensors);
    }
    const size_t count = plan ? plan->outputs().size() : computed.size();
    if (outputs.size() != count) {
        throw GraphError(fmt::format("the graph has {} outputs, but got room for {}", count, outputs.size()));
    }
    for (size_t i = 0; i < count; ++i) {
        const at::Tensor& form = plan ? plan->outputs()[i] : computed[i];
        RunTensor& output = outputs[i];
        output.dtype = dtype_number(form.scalar_type());
        output.shape = form.sizes().vec();
        if (plan == nullptr || plan != static_plan_) {
            check_promise(program_->graph, i, output);
        }
        const size_t bytes = bytes_of(output);
        if (output.data == nullptr) {
            output.data = allocate(bytes);
        } else if (output.bytes < bytes) {
            throw GraphError(fmt::format("output {} has {} bytes, but {} {} needs {}", i, output.bytes,
                                         dtype_name(output.dtype), shape_text(output.shape), bytes));
        }
        output.bytes = bytes;
    }
    const std::vector<Memory> targets = reachable(outputs);
    if (!plan) {
        for (size_t i = 0; i < count; ++i) {
            RunTensor target = outputs[i];
            target.data = targets[i].first;
            at::Tensor out = over(target);
            if (out.numel() > 0) {
                kernels::assign(out, computed[i]);
            }
        }
        return;
    }
    void* arena = nullptr;
    if (const size_t bytes = plan->memory().bytes; bytes > 0) {
        arena = plan == static_plan_ && feature_memory_ != nullptr ? const_cast<void*>(feature_memory_)
                                                                   : allocate_arena(bytes);
        if (void* reached = host_address_unchecked(arena)) {
            arena = reached;
        }
    }
    auto task = std::make_unique<RunTask>(program_->graph.name, plan, reachable(inputs), targets, arena);
    if (now) {
        task->run();
        return;
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].on_host) {
            task->keep(i);
        }
    }
    if (enqueue_on_own_thread(stream, std::move(task)) != 0) {
        throw GraphError(with_reason("the graph cannot be put on the stream"));
    }
}

}  // namespace opweld::npu::graph
