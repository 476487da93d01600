// Serialized models for tests: protobuf messages, field by field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opweld::npu::graph::test {

inline std::string varint(uint64_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7) {
        bytes += static_cast<char>((value & 0x7f) | 0x80);
    }
    return bytes + static_cast<char>(value);
}

inline std::string field(uint32_t number, std::string_view bytes) {
    return varint(number << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}

inline std::string field(uint32_t number, int64_t value) {
    return varint(number << 3) + varint(static_cast<uint64_t>(value));
}

// The numbers by which the model names dtypes.
enum ModelType : int64_t { kModelFloat = 1, kModelInt64 = 8 };

inline std::string shape(const std::vector<int64_t>& sizes) {
    std::string packed;
    for (const int64_t size : sizes) {
        packed += varint(static_cast<uint64_t>(size));
    }
    return field(1, packed);
}

inline std::string descriptor(std::string_view name, int64_t type, const std::vector<int64_t>& sizes) {
    return field(1, name) + field(2, type) + field(3, shape(sizes));
}

inline std::string entry(std::string_view key, const std::string& value) {
    return field(1, key) + field(2, value);
}

struct NodeBytes {
    std::string name;
    std::string type;
    std::vector<std::string> inputs;  // "producer:output"
    std::vector<std::string> outputs;
    std::string attributes;  // fields 10

    std::string bytes() const {
        std::string all = field(1, name) + field(2, type);
        for (const std::string& input : inputs) {
            all += field(5, input);
        }
        all += attributes;
        for (size_t i = 0; i < inputs.size(); ++i) {
            all += field(33, descriptor("x" + std::to_string(i), kModelFloat, {}));
        }
        for (const std::string& output : outputs) {
            all += field(34, output);
        }
        return all;
    }
};

inline NodeBytes data_node(std::string name, int64_t index, const std::vector<int64_t>& sizes) {
    return {.name = std::move(name),
            .type = "Data",
            .inputs = {},
            .outputs = {descriptor("y", kModelFloat, sizes)},
            .attributes = field(10, entry("index", field(3, index)))};
}

inline NodeBytes plain_node(std::string name, std::string type, std::vector<std::string> inputs) {
    return {.name = std::move(name),
            .type = std::move(type),
            .inputs = std::move(inputs),
            .outputs = {descriptor("y", kModelFloat, {})},
            .attributes = {}};
}

inline NodeBytes constant_node(std::string name, const std::vector<int64_t>& sizes, std::string_view bytes) {
    const std::string tensor =
        field(1, std::string_view(descriptor("", kModelInt64, sizes))) + field(2, bytes);
    return {.name = std::move(name),
            .type = "Const",
            .inputs = {},
            .outputs = {descriptor("y", kModelInt64, sizes)},
            .attributes = field(10, entry("value", field(12, std::string_view(tensor))))};
}

inline NodeBytes end_node(std::vector<std::string> inputs) {
    return {.name = "end", .type = "NetOutput", .inputs = std::move(inputs), .outputs = {}, .attributes = {}};
}

inline std::string model(const std::vector<NodeBytes>& nodes) {
    std::string graph = field(1, "graph");
    for (const NodeBytes& node : nodes) {
        graph += field(6, std::string_view(node.bytes()));
    }
    return field(7, std::string_view(graph));
}

}  // namespace opweld::npu::graph::test
