#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <mutex>

#include "npu/ge/prototypes/loading.h"
#include "npu/ge/session/boundary.h"
#include "npu/ge/session/compiled_graph.h"
#include "npu/ge/session/dump.h"
#include "npu/ge/session/ge_api.h"

namespace ge {

namespace graph = opweld::npu::graph;
using graph::bounded;
using graph::GraphError;

class SummaryImpl {
  public:
    std::shared_ptr<graph::CompiledGraph> compiled;
};

namespace {

struct Entry {
    graph::Graph graph;
    graph::Options options;
    std::shared_ptr<graph::CompiledGraph> compiled;
};

struct SessionState {
    std::mutex mutex;
    std::map<std::uint32_t, Entry> graphs;
    std::map<const void*, std::shared_ptr<Allocator>> allocators;  // by stream

    Entry& entry(std::uint32_t id) {
        const auto found = graphs.find(id);
        if (found == graphs.end()) {
            throw GraphError(fmt::format("there is no graph {}", id));
        }
        return found->second;
    }

    std::shared_ptr<graph::CompiledGraph> compiled(std::uint32_t id) {
        const std::scoped_lock lock(mutex);
        Entry& found = entry(id);
        if (!found.compiled) {
            found.compiled = std::make_shared<graph::CompiledGraph>(id, found.graph, found.options);
        }
        return found.compiled;
    }

    std::shared_ptr<Allocator> allocator(const void* stream) {
        const std::scoped_lock lock(mutex);
        const auto found = allocators.find(stream);
        return found == allocators.end() ? nullptr : found->second;
    }
};

// Sessions by their number; a destroyed one is refused, not touched.
class Sessions {
  public:
    std::uint64_t add() {
        const std::scoped_lock lock(mutex_);
        sessions_[++last_] = std::make_shared<SessionState>();
        return last_;
    }
    void remove(std::uint64_t id) {
        const std::scoped_lock lock(mutex_);
        sessions_.erase(id);
    }
    std::shared_ptr<SessionState> get(std::uint64_t id) {
        const std::scoped_lock lock(mutex_);
        const auto found = sessions_.find(id);
        if (found == sessions_.end()) {
            throw GraphError("the session does not exist");
        }
        return found->second;
    }

  private:
    std::mutex mutex_;
    std::map<std::uint64_t, std::shared_ptr<SessionState>> sessions_;
    std::uint64_t last_ = 0;
};

Sessions& sessions() {
    static auto* all = new Sessions;  // never destroyed: programs end sessions while the process ends
    return *all;
}

graph::Options to_options(const Options& options) {
    graph::Options all;
    for (const auto& [key, value] : options) {
        all.emplace(key.GetString(), value.GetString());
    }
    return all;
}

graph::RunTensor to_run_tensor(const Tensor& tensor) {
    graph::RunTensor run;
    run.dtype = {static_cast<std::int32_t>(tensor.GetDataType())};
    for (std::size_t i = 0; i < tensor.GetShapeDimNum(); ++i) {
        run.shape.push_back(tensor.GetShapeDim(i));
    }
    run.data = const_cast<std::uint8_t*>(tensor.GetData());
    run.bytes = tensor.GetSize();
    run.on_host = tensor.GetPlacement() == kPlacementHost;
    return run;
}

std::vector<graph::RunTensor> to_run_tensors(const std::vector<Tensor>& tensors) {
    std::vector<graph::RunTensor> all;
    all.reserve(tensors.size());
    for (const Tensor& tensor : tensors) {
        all.push_back(to_run_tensor(tensor));
    }
    return all;
}

void set_form(Tensor& tensor, const graph::RunTensor& run, Placement placement) {
    TensorDesc description(Shape(run.shape), FORMAT_ND, static_cast<DataType>(run.dtype.number));
    description.SetOriginShape(Shape(run.shape));
    description.SetPlacement(placement);
    tensor.SetTensorDesc(description);
}

// Memory blocks of a run, given back to their allocator unless an output has taken them over.
class Blocks {
  public:
    explicit Blocks(std::shared_ptr<Allocator> allocator) : allocator_(std::move(allocator)) {}
    ~Blocks() {
        for (const auto& [address, block] : blocks_) {
            block->Free();
        }
    }
    Blocks(const Blocks&) = delete;
    Blocks& operator=(const Blocks&) = delete;

    void* allocate(std::size_t bytes) {
        if (!allocator_) {
            throw GraphError("no allocator is registered for the stream");
        }
        MemBlock* block = allocator_->Malloc(bytes);
        if (block == nullptr) {
            throw GraphError(fmt::format("out of memory: the stream's allocator has no {} bytes", bytes));
        }
        blocks_.emplace(block->GetAddr(), block);
        return block->GetAddr();
    }

    MemBlock* take(void* address) {
        const auto found = blocks_.find(address);
        MemBlock* block = found->second;
        blocks_.erase(found);
        return block;
    }

  private:
    std::shared_ptr<Allocator> allocator_;
    std::multimap<void*, MemBlock*> blocks_;
};

void run_on_stream(SessionState& session, std::uint32_t id, void* stream, const std::vector<Tensor>& inputs,
                   std::vector<Tensor>& outputs) {
    const auto compiled = session.compiled(id);
    Blocks blocks(session.allocator(stream));
    std::vector<graph::RunTensor> results = to_run_tensors(outputs);
    std::vector<bool> own(results.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        own[i] = results[i].data == nullptr;
        results[i].on_host = false;
    }
    const auto allocate = [&](std::size_t bytes) { return blocks.allocate(bytes); };
    compiled->run(stream, false, to_run_tensors(inputs), results, allocate, allocate);
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (own[i]) {
            MemBlock* block = blocks.take(results[i].data);
            set_form(outputs[i], results[i], kPlacementDevice);
            outputs[i].SetData(static_cast<std::uint8_t*>(results[i].data), results[i].bytes,
                               [block](std::uint8_t*) { block->Free(); });
        }
    }
}

void run_on_host(SessionState& session, std::uint32_t id, const std::vector<Tensor>& inputs,
                 std::vector<Tensor>& outputs) {
    const auto compiled = session.compiled(id);
    std::vector<graph::RunTensor> given = to_run_tensors(inputs);
    for (graph::RunTensor& input : given) {
        input.on_host = true;
    }
    std::vector<graph::RunTensor> results(compiled->output_dtypes().size());
    for (graph::RunTensor& result : results) {
        result.on_host = true;
    }
    const auto allocate = [](std::size_t bytes) { return std::malloc(bytes == 0 ? 1 : bytes); };
    std::unique_ptr<void, decltype(&std::free)> arena(nullptr, &std::free);
    compiled->run(nullptr, true, std::move(given), results, allocate, [&](std::size_t bytes) {
        arena.reset(std::malloc(bytes));
        return arena.get();
    });
    outputs.clear();
    for (const graph::RunTensor& result : results) {
        Tensor& output = outputs.emplace_back();
        set_form(output, result, kPlacementHost);
        output.SetData(static_cast<std::uint8_t*>(result.data), result.bytes,
                       [](std::uint8_t* data) { std::free(data); });
    }
}

}  // namespace

bool CompiledGraphSummary::IsStatic() const { return impl_->compiled->is_static(); }

// Constants stay with the engine.
Status CompiledGraphSummary::GetConstMemorySize(std::size_t& bytes) const {
    bytes = 0;
    return graph::kSuccess;
}

Status CompiledGraphSummary::GetFeatureMemorySize(std::size_t& bytes) const {
    bytes = impl_->compiled->feature_memory();
    return graph::kSuccess;
}

Status CompiledGraphSummary::GetFixedFeatureMemorySize(std::size_t& bytes) const {
    bytes = 0;
    return graph::kSuccess;
}

Status CompiledGraphSummary::GetFeatureMemoryBaseRefreshable(bool& refreshable) const {
    refreshable = true;
    return graph::kSuccess;
}

Status CompiledGraphSummary::GetOutputShapes(std::vector<Shape>& shapes) const {
    return bounded("ge::CompiledGraphSummary::GetOutputShapes", [&] {
        shapes.clear();
        for (const auto& shape : impl_->compiled->output_shapes()) {
            shapes.emplace_back(shape);
        }
    });
}

Status CompiledGraphSummary::GetOutputDtypes(std::vector<DataType>& dtypes) const {
    return bounded("ge::CompiledGraphSummary::GetOutputDtypes", [&] {
        dtypes.clear();
        for (const graph::DataType dtype : impl_->compiled->output_dtypes()) {
            dtypes.push_back(static_cast<DataType>(dtype.number));
        }
    });
}

Session::Session(const Options&) : id_(sessions().add()) {}

Session::~Session() { sessions().remove(id_); }

Status Session::AddGraph(std::uint32_t id, const Graph& model, const Options& options) {
    return bounded("ge::Session::AddGraph", [&] {
        if (model.read() == nullptr) {
            throw GraphError("the graph is empty: no model was loaded");
        }
        const graph::Options given = to_options(options);
        graph::check_options(given);
        if (graph::dumping()) {
            graph::dump_model(id, model.read()->name, model.bytes());
        }
        const auto session = sessions().get(id_);
        const std::scoped_lock lock(session->mutex);
        if (!session->graphs.emplace(id, Entry{*model.read(), given, nullptr}).second) {
            throw GraphError(fmt::format("there is a graph {} already", id));
        }
    });
}

Status Session::CompileGraph(std::uint32_t id) {
    return bounded("ge::Session::CompileGraph", [&] { sessions().get(id_)->compiled(id); });
}

std::shared_ptr<CompiledGraphSummary> Session::GetCompiledGraphSummary(std::uint32_t id) {
    std::shared_ptr<CompiledGraphSummary> summary;
    bounded("ge::Session::GetCompiledGraphSummary", [&] {
        auto impl = std::make_shared<SummaryImpl>();
        impl->compiled = sessions().get(id_)->compiled(id);
        summary = std::make_shared<CompiledGraphSummary>(std::move(impl));
    });
    return summary;
}

Status Session::RemoveGraph(std::uint32_t id) {
    return bounded("ge::Session::RemoveGraph", [&] {
        const auto session = sessions().get(id_);
        const std::scoped_lock lock(session->mutex);
        session->entry(id);
        session->graphs.erase(id);
    });
}

Status Session::RunGraph(std::uint32_t id, const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs) {
    return bounded("ge::Session::RunGraph", [&] { run_on_host(*sessions().get(id_), id, inputs, outputs); });
}

Status Session::RunGraphWithStreamAsync(std::uint32_t id, void* stream, const std::vector<Tensor>& inputs,
                                        std::vector<Tensor>& outputs) {
    return bounded("ge::Session::RunGraphWithStreamAsync",
                   [&] { run_on_stream(*sessions().get(id_), id, stream, inputs, outputs); });
}

Status Session::RegisterExternalAllocator(const void* stream, std::shared_ptr<Allocator> allocator) const {
    return bounded("ge::Session::RegisterExternalAllocator", [&] {
        const auto session = sessions().get(id_);
        const std::scoped_lock lock(session->mutex);
        session->allocators[stream] = std::move(allocator);
    });
}

Status Session::UpdateGraphFeatureMemoryBase(std::uint32_t id, const void* memory, std::size_t bytes) {
    return bounded("ge::Session::UpdateGraphFeatureMemoryBase",
                   [&] { sessions().get(id_)->compiled(id)->set_feature_memory(memory, bytes); });
}

Status Session::UpdateGraphRefreshableFeatureMemoryBase(std::uint32_t id, const void* memory,
                                                        std::size_t bytes) {
    return bounded("ge::Session::UpdateGraphRefreshableFeatureMemoryBase",
                   [&] { sessions().get(id_)->compiled(id)->set_feature_memory(memory, bytes); });
}

// The graph needs 0 bytes of either (see the summary), so there is nothing to keep.
Status Session::SetGraphConstMemoryBase(std::uint32_t id, const void*, std::size_t) {
    return bounded("ge::Session::SetGraphConstMemoryBase", [&] { sessions().get(id_)->compiled(id); });
}

Status Session::SetGraphFixedFeatureMemoryBase(std::uint32_t id, const void*, std::size_t) {
    return bounded("ge::Session::SetGraphFixedFeatureMemoryBase", [&] { sessions().get(id_)->compiled(id); });
}

Status GEInitialize(const Options& options) {
    return bounded("ge::GEInitialize", [&] {
        graph::check_options(to_options(options));
        opweld::npu::prototypes::load_prototype_libraries();
    });
}

Status GEFinalize() { return graph::kSuccess; }

AscendString GEGetWarningMsgV2() { return AscendString(""); }

}  // namespace ge
