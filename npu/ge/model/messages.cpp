#include "npu/ge/model/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <protozero/pbf_message.hpp>

#include "npu/ge/model/reader.h"

namespace opweld::npu::graph {
namespace {

using protozero::data_view;
using protozero::pbf_reader;

constexpr int64_t kMaxDimensions = 64;

// aclDataType numbers by the numbers that the model uses; -1: has no counterpart with kernels.
constexpr std::array<int32_t, 41> kDataTypes = {-1, 0,  1,  2,  4,  6,  7,  3,  9,  8,  10, 12, 11, 13,
                                                -1, -1, 16, 17, -1, -1, -1, -1, -1, -1, -1, -1, -1, 27,
                                                29, 30, -1, -1, 33, 34, 35, 36, 37, 38, 39, 40, 41};

DataType data_type(int64_t number, std::string_view where) {
    if (number < 0 || number >= static_cast<int64_t>(kDataTypes.size())) {
        throw GraphError(fmt::format("{}: dtype {} does not exist; the numbers go up to {}", where, number,
                                     kDataTypes.size() - 1));
    }
    return {kDataTypes[static_cast<size_t>(number)]};
}

// protozero takes the caller's word for a field's wire type; a foreign file may have another one.
void expect(const pbf_reader& reader, protozero::pbf_wire_type type) {
    if (reader.wire_type() != type) {
        throw GraphError(fmt::format("field {} has wire type {}, expected {}", reader.tag(),
                                     static_cast<int>(reader.wire_type()), static_cast<int>(type)));
    }
}

data_view view_of(pbf_reader& reader) {
    expect(reader, protozero::pbf_wire_type::length_delimited);
    return reader.get_view();
}

pbf_reader message_of(pbf_reader& reader) { return pbf_reader(view_of(reader)); }

int64_t integer_of(pbf_reader& reader) {
    expect(reader, protozero::pbf_wire_type::varint);
    return reader.get_int64();
}

int32_t enumerator_of(pbf_reader& reader) {
    expect(reader, protozero::pbf_wire_type::varint);
    return reader.get_enum();
}

bool bool_of(pbf_reader& reader) {
    expect(reader, protozero::pbf_wire_type::varint);
    return reader.get_bool();
}

float float_of(pbf_reader& reader) {
    expect(reader, protozero::pbf_wire_type::fixed32);
    return reader.get_float();
}

std::string text(data_view view) { return {view.data(), view.size()}; }

template <class Range>
auto all(Range&& range) {
    using Value = std::remove_cvref_t<decltype(*range.begin())>;
    std::vector<Value> values;
    for (const auto value : range) {
        values.push_back(value);
    }
    return values;
}

void append(std::vector<int64_t>& values, pbf_reader& reader) {
    if (reader.wire_type() == protozero::pbf_wire_type::length_delimited) {
        const auto more = all(reader.get_packed_int64());
        values.insert(values.end(), more.begin(), more.end());
    } else {
        values.push_back(integer_of(reader));
    }
}

void append(std::vector<float>& values, pbf_reader& reader) {
    if (reader.wire_type() == protozero::pbf_wire_type::length_delimited) {
        const auto more = all(reader.get_packed_float());
        values.insert(values.end(), more.begin(), more.end());
    } else {
        values.push_back(float_of(reader));
    }
}

void append(std::vector<bool>& values, pbf_reader& reader) {
    if (reader.wire_type() == protozero::pbf_wire_type::length_delimited) {
        for (const auto value : reader.get_packed_bool()) {
            values.push_back(value);
        }
    } else {
        values.push_back(bool_of(reader));
    }
}

std::vector<int64_t> read_shape(pbf_reader reader, std::string_view where) {
    std::vector<int64_t> dims;
    while (reader.next()) {
        if (reader.tag() == 1) {
            append(dims, reader);
        } else {
            reader.skip();
        }
    }
    if (dims.size() > kMaxDimensions) {
        throw GraphError(fmt::format("{}: a shape of {} dimensions; at most {} exist", where, dims.size(),
                                     kMaxDimensions));
    }
    for (const int64_t dim : dims) {
        if (dim < kUnknownRank || (dim == kUnknownRank && dims.size() != 1)) {
            throw GraphError(fmt::format("{}: dimension {} in shape {}; sizes are 0 or more, -1 is unknown",
                                         where, dim, shape_text(dims)));
        }
    }
    return dims;
}

bool marks_unfed(pbf_reader entry) {
    bool named = false;
    bool set = false;
    while (entry.next()) {
        if (entry.tag() == 1) {
            named = text(view_of(entry)) == "_is_unfed_optional";
        } else if (entry.tag() == 2) {
            pbf_reader value = message_of(entry);
            while (value.next()) {
                if (value.tag() == 3) {
                    set = integer_of(value) != 0;
                } else {
                    value.skip();
                }
            }
        } else {
            entry.skip();
        }
    }
    return named && set;
}

// What torchair says of an output of a node, "NAME-OPERATOR.OUTPUT.0": the operator of PyTorch whose result
// it is. Empty for tensors between the nodes of one converter.
std::string origin_of(pbf_reader descriptor) {
    std::string stated;
    while (descriptor.next()) {
        if (descriptor.tag() != 5) {
            descriptor.skip();
            continue;
        }
        pbf_reader entry = message_of(descriptor);
        bool named = false;
        while (entry.next()) {
            if (entry.tag() == 1) {
                named = text(view_of(entry)) == "_fx_tensor_name";
            } else if (entry.tag() == 2 && named) {
                pbf_reader value = message_of(entry);
                while (value.next()) {
                    if (value.tag() == 2) {
                        stated = text(view_of(value));
                    } else {
                        value.skip();
                    }
                }
            } else {
                entry.skip();
            }
        }
    }
    const size_t begin = stated.find('-');
    const size_t end = stated.rfind(".OUTPUT");
    return begin == std::string::npos || end == std::string::npos || end < begin
               ? std::string()
               : stated.substr(begin + 1, end - begin - 1);
}

TensorInfo read_descriptor(pbf_reader reader, std::string_view where) {
    TensorInfo info;
    while (reader.next()) {
        switch (reader.tag()) {
            case 1:
                info.name = text(view_of(reader));
                break;
            case 2:
                info.dtype = data_type(enumerator_of(reader), where);
                break;
            case 3:
                info.shape = read_shape(message_of(reader), where);
                break;
            case 4:
                info.layout = text(view_of(reader));
                break;
            case 5:
                info.unfed = marks_unfed(message_of(reader)) || info.unfed;
                break;
            case 14:
                info.device = text(view_of(reader));
                break;
            default:
                reader.skip();
        }
    }
    return info;
}

Constant read_tensor(pbf_reader reader, std::string_view where) {
    Constant constant;
    auto bytes = std::make_shared<std::string>();
    while (reader.next()) {
        switch (reader.tag()) {
            case 1:
                constant.info = read_descriptor(message_of(reader), where);
                break;
            case 2:
                *bytes = text(view_of(reader));
                break;
            default:
                reader.skip();
        }
    }
    constant.bytes = std::move(bytes);
    return constant;
}

enum ListKind : int32_t { kStrings = 1, kIntegers = 2, kFloats = 3, kBools = 4, kDataTypeList = 10 };

Attribute read_list(pbf_reader reader, std::string_view where) {
    std::vector<std::string> strings;
    std::vector<int64_t> integers;
    std::vector<float> floats;
    std::vector<bool> bools;
    std::vector<int64_t> types;
    int32_t kind = 0;
    while (reader.next()) {
        switch (reader.tag()) {
            case 2:
                strings.push_back(text(view_of(reader)));
                break;
            case 3:
                append(integers, reader);
                break;
            case 4:
                append(floats, reader);
                break;
            case 5:
                append(bools, reader);
                break;
            case 12:
                append(types, reader);
                break;
            case 20:
                kind = enumerator_of(reader);
                break;
            case 7:
            case 8:
            case 9:
            case 10:
            case 11:
                throw GraphError(
                    fmt::format("{}: a list of descriptors, tensors, graphs or bytes; such attributes "
                                "are not supported",
                                where));
            default:
                reader.skip();
        }
    }
    if (kind == kStrings || (kind == 0 && !strings.empty())) {
        return strings;
    }
    if (kind == kFloats || (kind == 0 && !floats.empty())) {
        return floats;
    }
    if (kind == kBools || (kind == 0 && !bools.empty())) {
        return bools;
    }
    if (kind == kDataTypeList || (kind == 0 && !types.empty())) {
        std::vector<DataType> numbers;
        numbers.reserve(types.size());
        for (const int64_t type : types) {
            numbers.push_back({static_cast<int32_t>(type)});
        }
        return numbers;
    }
    return integers;
}

template <class T>
std::vector<std::vector<T>> read_nested(pbf_reader reader) {
    std::vector<std::vector<T>> lists;
    while (reader.next()) {
        if (reader.tag() != 1) {
            reader.skip();
            continue;
        }
        pbf_reader inner = message_of(reader);
        auto& list = lists.emplace_back();
        while (inner.next()) {
            if (inner.tag() == 1) {
                append(list, inner);
            } else {
                inner.skip();
            }
        }
    }
    return lists;
}

Attribute read_attribute(pbf_reader reader, std::string_view where) {
    Attribute value;
    while (reader.next()) {
        switch (reader.tag()) {
            case 1:
                value = read_list(message_of(reader), where);
                break;
            case 2:
            case 7:
            case 17:
                value = text(view_of(reader));
                break;
            case 3:
                value = integer_of(reader);
                break;
            case 4:
                value = float_of(reader);
                break;
            case 5:
                value = bool_of(reader);
                break;
            case 12:
                value = read_tensor(message_of(reader), where);
                break;
            case 14:
                value = read_nested<int64_t>(message_of(reader));
                break;
            case 15:
                value = DataType{static_cast<int32_t>(integer_of(reader))};
                break;
            case 16:
                value = read_nested<float>(message_of(reader));
                break;
            case 10:
            case 11:
            case 13:
                throw GraphError(
                    fmt::format("{}: a function, descriptor or graph as value; such attributes are not "
                                "supported",
                                where));
            default:
                reader.skip();
        }
    }
    return value;
}

void read_entry(pbf_reader reader, Attributes& attributes, std::string_view where) {
    std::string key;
    data_view value{"", 0};
    while (reader.next()) {
        switch (reader.tag()) {
            case 1:
                key = text(view_of(reader));
                break;
            case 2:
                value = view_of(reader);
                break;
            default:
                reader.skip();
        }
    }
    attributes.insert_or_assign(
        key, read_attribute(pbf_reader(value), fmt::format("{}, attribute '{}'", where, key)));
}

// The name stands in front of what it names in every message that is well formed, but need not.
std::string name_of(pbf_reader reader) {
    std::string name;
    while (reader.next()) {
        if (reader.tag() == 1) {
            name = text(view_of(reader));
        } else {
            reader.skip();
        }
    }
    return name;
}

RawNode read_node(pbf_reader reader, size_t index) {
    RawNode raw;
    const std::string name = name_of(reader);
    const std::string where = name.empty() ? fmt::format("node {}", index) : fmt::format("node '{}'", name);
    while (reader.next()) {
        switch (reader.tag()) {
            case 1:
                raw.node.name = text(view_of(reader));
                break;
            case 2:
                raw.node.type = text(view_of(reader));
                break;
            case 5:
                raw.inputs.push_back(text(view_of(reader)));
                break;
            case 10:
                read_entry(message_of(reader), raw.node.attributes, where);
                break;
            case 33:
                raw.node.input_infos.push_back(read_descriptor(message_of(reader), where));
                break;
            case 34: {
                const pbf_reader descriptor = message_of(reader);
                raw.node.outputs.push_back(read_descriptor(descriptor, where));
                if (std::string origin = origin_of(descriptor); !origin.empty()) {
                    raw.node.attributes.insert_or_assign(kOrigin, std::move(origin));
                }
                break;
            }
            case 35:
                throw GraphError(
                    fmt::format("{}: it has a graph inside; control flow in graphs is not supported", where));
            default:
                reader.skip();
        }
    }
    return raw;
}

RawGraph read_graph(pbf_reader reader) {
    RawGraph graph;
    while (reader.next()) {
        switch (reader.tag()) {
            case 1:
                graph.name = text(view_of(reader));
                break;
            case 6:
                graph.nodes.push_back(read_node(message_of(reader), graph.nodes.size()));
                break;
            case 11:
                read_entry(message_of(reader), graph.attributes, "graph");
                break;
            default:
                reader.skip();
        }
    }
    return graph;
}

}  // namespace

std::vector<RawGraph> read_graphs(std::string_view bytes) {
    pbf_reader reader(bytes.data(), bytes.size());
    try {
        std::vector<RawGraph> graphs;
        while (reader.next()) {
            if (reader.tag() == 7) {
                graphs.push_back(read_graph(message_of(reader)));
            } else {
                reader.skip();
            }
        }
        return graphs;
    } catch (const protozero::exception& error) {
        throw GraphError(fmt::format(
            "the model is no valid protobuf message: {}, within the part that ends at byte {} of {}",
            error.what(), bytes.size() - reader.length(), bytes.size()));
    } catch (const std::length_error& error) {
        throw GraphError(fmt::format("the model cannot be read: {}", error.what()));
    }
}

}  // namespace opweld::npu::graph
