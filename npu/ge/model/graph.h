// A graph as the serialized model describes it, checked and in topological order. Plain data without torch.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace opweld::npu::graph {

// What is wrong with a model or a graph: where (node, attribute, byte), and what was expected.
class GraphError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

constexpr int64_t kUnknownDim = -1;
constexpr int64_t kUnknownRank = -2;    // the only entry of a shape without known rank
constexpr int32_t kUndefinedType = -1;  // no dtype was stated

// A dtype as number of aclDataType.
struct DataType {
    int32_t number = kUndefinedType;
    bool operator==(const DataType&) const = default;
};

// The description of one input or output of a node.
struct TensorInfo {
    std::string name;
    DataType dtype;
    std::vector<int64_t> shape;  // empty for a scalar and where nothing is stated
    std::string layout;          // "ND", "NCHW" ...
    std::string device;          // "NPU", "CPU", or empty
    bool unfed = false;          // an optional input that was left out
};

// A tensor with its values, in row-major order.
struct Constant {
    TensorInfo info;
    std::shared_ptr<const std::string> bytes;
};

using Attribute =
    std::variant<std::monostate, int64_t, float, bool, std::string, DataType, std::vector<int64_t>,
                 std::vector<float>, std::vector<bool>, std::vector<std::string>, std::vector<DataType>,
                 std::vector<std::vector<int64_t>>, std::vector<std::vector<float>>, Constant>;
using Attributes = std::map<std::string, Attribute, std::less<>>;

// Output `output` of node `node`; node -1: an input that is not fed.
struct Source {
    int node = -1;
    int output = 0;
    auto operator<=>(const Source&) const = default;
};

struct Node {
    std::string name;
    std::string type;
    std::vector<Source> inputs;
    std::vector<TensorInfo> input_infos;  // one for each input
    std::vector<TensorInfo> outputs;
    std::vector<int> after;  // control edges: nodes that must run before
    Attributes attributes;
};

struct Graph {
    std::string name;
    std::vector<Node> nodes;  // each behind its producers
    std::vector<int> data;    // the nodes of type Data, by their index
    int net_output = -1;      // the node of type NetOutput
    Attributes attributes;
};

// The attribute of that name and type, or null.
template <class T>
const T* attribute(const Attributes& attributes, std::string_view name) {
    const auto found = attributes.find(name);
    return found == attributes.end() ? nullptr : std::get_if<T>(&found->second);
}

// Bytes of an element; 0 for dtypes without a fixed number of whole bytes.
size_t element_size(DataType dtype) noexcept;

// "float16", or "aclDataType 99".
std::string dtype_name(DataType dtype);

// "[2, -1, 3]".
std::string shape_text(const std::vector<int64_t>& shape);

}  // namespace opweld::npu::graph
