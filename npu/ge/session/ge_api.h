// The classes with which a program builds, compiles and runs graphs. Their layouts are part of the interface:
// Graph, GNode and CompiledGraphSummary are one shared pointer, Session one number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/ge_error_codes.h"
#include "graph/tensor.h"
#include "npu/ge/abi/allocator.h"
#include "npu/ge/model/graph.h"
#include "npu/runtime/interface.h"

namespace ge {

using Status = std::uint32_t;
using Options = std::map<AscendString, AscendString>;

class GNodeImpl;
class OPWELD_EXPORT GNode {
  public:
    GNode();
    graphStatus GetType(AscendString& type) const;
    graphStatus GetName(AscendString& name) const;

  private:
    friend class Graph;
    std::shared_ptr<GNodeImpl> impl_;
};

class GraphImpl;
class OPWELD_EXPORT Graph {
  public:
    explicit Graph(const char* name);
    graphStatus CopyFrom(const Graph& other);
    graphStatus LoadFromSerializedModelArray(const void* model, std::size_t bytes);
    // Writes the serialized model.
    graphStatus SaveToFile(const char* path) const;
    std::vector<GNode> GetAllNodes() const;
    graphStatus GetName(AscendString& name) const;

    // What was read; null before.
    const opweld::npu::graph::Graph* read() const noexcept;
    // The serialized model that it was read from.
    const std::string& bytes() const noexcept;

  private:
    std::shared_ptr<GraphImpl> impl_;
};

class SummaryImpl;
class OPWELD_EXPORT CompiledGraphSummary {
  public:
    explicit CompiledGraphSummary(std::shared_ptr<SummaryImpl> impl) : impl_(std::move(impl)) {}
    bool IsStatic() const;
    Status GetConstMemorySize(std::size_t& bytes) const;
    Status GetFeatureMemorySize(std::size_t& bytes) const;
    Status GetFixedFeatureMemorySize(std::size_t& bytes) const;
    Status GetFeatureMemoryBaseRefreshable(bool& refreshable) const;
    Status GetOutputShapes(std::vector<Shape>& shapes) const;
    Status GetOutputDtypes(std::vector<DataType>& dtypes) const;

  private:
    std::shared_ptr<SummaryImpl> impl_;
};

class OPWELD_EXPORT Session {
  public:
    explicit Session(const Options& options);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    Status AddGraph(std::uint32_t id, const Graph& model, const Options& options);
    Status CompileGraph(std::uint32_t id);
    std::shared_ptr<CompiledGraphSummary> GetCompiledGraphSummary(std::uint32_t id);
    Status RemoveGraph(std::uint32_t id);
    Status RunGraph(std::uint32_t id, const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs);
    Status RunGraphWithStreamAsync(std::uint32_t id, void* stream, const std::vector<Tensor>& inputs,
                                   std::vector<Tensor>& outputs);
    Status RegisterExternalAllocator(const void* stream, std::shared_ptr<Allocator> allocator) const;
    Status SetGraphConstMemoryBase(std::uint32_t id, const void* memory, std::size_t bytes);
    Status UpdateGraphFeatureMemoryBase(std::uint32_t id, const void* memory, std::size_t bytes);
    Status SetGraphFixedFeatureMemoryBase(std::uint32_t id, const void* memory, std::size_t bytes);
    Status UpdateGraphRefreshableFeatureMemoryBase(std::uint32_t id, const void* memory, std::size_t bytes);

  private:
    std::uint64_t id_;
};

OPWELD_EXPORT Status GEInitialize(const Options& options);
OPWELD_EXPORT Status GEFinalize();
OPWELD_EXPORT AscendString GEGetWarningMsgV2();

}  // namespace ge
