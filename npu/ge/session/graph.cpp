#include <fstream>
#include <string>

#include "npu/ge/model/reader.h"
#include "npu/ge/session/boundary.h"
#include "npu/ge/session/ge_api.h"

namespace ge {

namespace graph = opweld::npu::graph;

class GNodeImpl {
  public:
    std::string type;
    std::string name;
};

class GraphImpl {
  public:
    std::string name;
    std::string bytes;
    graph::Graph graph;
    bool loaded = false;
};

GNode::GNode() = default;

graphStatus GNode::GetType(AscendString& type) const {
    return graph::bounded("ge::GNode::GetType", [&] {
        if (!impl_) {
            throw graph::GraphError("the node is empty");
        }
        type = AscendString(impl_->type.c_str());
    });
}

graphStatus GNode::GetName(AscendString& name) const {
    return graph::bounded("ge::GNode::GetName", [&] {
        if (!impl_) {
            throw graph::GraphError("the node is empty");
        }
        name = AscendString(impl_->name.c_str());
    });
}

Graph::Graph(const char* name) : impl_(std::make_shared<GraphImpl>()) {
    impl_->name = name == nullptr ? "" : name;
}

graphStatus Graph::CopyFrom(const Graph& other) {
    return graph::bounded("ge::Graph::CopyFrom", [&] {
        if (!other.impl_) {
            throw graph::GraphError("the other graph is empty");
        }
        std::string name = impl_ ? impl_->name : other.impl_->name;
        impl_ = std::make_shared<GraphImpl>(*other.impl_);
        impl_->name = std::move(name);
    });
}

graphStatus Graph::LoadFromSerializedModelArray(const void* model, std::size_t bytes) {
    return graph::bounded("ge::Graph::LoadFromSerializedModelArray", [&] {
        if (model == nullptr && bytes > 0) {
            throw graph::GraphError("the model is a null pointer");
        }
        auto read = std::make_shared<GraphImpl>();
        read->bytes.assign(static_cast<const char*>(model), bytes);
        read->graph = graph::read_model(read->bytes);
        read->name = read->graph.name;
        read->loaded = true;
        impl_ = std::move(read);
    });
}

graphStatus Graph::SaveToFile(const char* path) const {
    return graph::bounded("ge::Graph::SaveToFile", [&] {
        if (path == nullptr || !impl_ || !impl_->loaded) {
            throw graph::GraphError(path == nullptr ? "the path is a null pointer" : "no model was loaded");
        }
        std::ofstream file(path, std::ios::binary | std::ios::trunc);
        file.write(impl_->bytes.data(), static_cast<std::streamsize>(impl_->bytes.size()));
        file.close();
        if (!file) {
            throw graph::GraphError("'" + std::string(path) + "' cannot be written");
        }
    });
}

std::vector<GNode> Graph::GetAllNodes() const {
    std::vector<GNode> nodes;
    if (impl_) {
        for (const graph::Node& node : impl_->graph.nodes) {
            GNode& one = nodes.emplace_back();
            one.impl_ = std::make_shared<GNodeImpl>();
            one.impl_->type = node.type;
            one.impl_->name = node.name;
        }
    }
    return nodes;
}

graphStatus Graph::GetName(AscendString& name) const {
    return graph::bounded("ge::Graph::GetName",
                          [&] { name = AscendString(impl_ ? impl_->name.c_str() : ""); });
}

const graph::Graph* Graph::read() const noexcept { return impl_ && impl_->loaded ? &impl_->graph : nullptr; }

const std::string& Graph::bytes() const noexcept {
    static const std::string none;
    return impl_ ? impl_->bytes : none;
}

}  // namespace ge
