#include "npu/ge/report/onnx_text.h"

#include <fmt/format.h>

#include <iterator>

namespace opweld::npu::graph {
namespace {

// Numbers of ONNX's TensorProto.DataType by aclDataType.
int onnx_dtype(DataType dtype) {
    switch (dtype.number) {
        case 0:
            return 1;  // float
        case 1:
            return 10;  // float16
        case 2:
            return 3;  // int8
        case 3:
            return 6;  // int32
        case 4:
            return 2;  // uint8
        case 6:
            return 5;  // int16
        case 7:
            return 4;  // uint16
        case 8:
            return 12;  // uint32
        case 9:
            return 7;  // int64
        case 10:
            return 13;  // uint64
        case 11:
            return 11;  // double
        case 12:
            return 9;  // bool
        case 16:
            return 14;  // complex64
        case 17:
            return 15;  // complex128
        case 27:
            return 16;  // bfloat16
        default:
            return 0;
    }
}

std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) {
            out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
        } else {
            out += c;
        }
    }
    return out + "\"";
}

std::string tensor_name(const Graph& graph, const Source& source) {
    return source.node < 0
               ? ""
               : fmt::format("{}:{}", graph.nodes[static_cast<size_t>(source.node)].name, source.output);
}

void add_attribute(std::string& out, std::string_view name, const Attribute& value) {
    std::string body;
    if (const auto* integer = std::get_if<int64_t>(&value)) {
        body = fmt::format("i: {} type: INT", *integer);
    } else if (const auto* real = std::get_if<float>(&value)) {
        body = fmt::format("f: {} type: FLOAT", *real);
    } else if (const auto* flag = std::get_if<bool>(&value)) {
        body = fmt::format("i: {} type: INT", *flag ? 1 : 0);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
        body = fmt::format("s: {} type: STRING", in_quotes(*text));
    } else if (const auto* dtype = std::get_if<DataType>(&value)) {
        body = fmt::format("s: {} type: STRING", in_quotes(dtype_name(*dtype)));
    } else if (const auto* integers = std::get_if<std::vector<int64_t>>(&value)) {
        for (const int64_t one : *integers) {
            body += fmt::format("ints: {} ", one);
        }
        body += "type: INTS";
    } else if (const auto* reals = std::get_if<std::vector<float>>(&value)) {
        for (const float one : *reals) {
            body += fmt::format("floats: {} ", one);
        }
        body += "type: FLOATS";
    } else if (const auto* nested = std::get_if<std::vector<std::vector<int64_t>>>(&value)) {
        for (const auto& list : *nested) {
            body += fmt::format("strings: {} ", in_quotes(shape_text(list)));
        }
        body += "type: STRINGS";
    } else {
        return;  // values of constants would make the file as large as the model
    }
    fmt::format_to(std::back_inserter(out), "    attribute {{ name: {} {} }}\n", in_quotes(name), body);
}

std::string type_text(DataType dtype, const std::vector<int64_t>& shape) {
    std::string dims;
    for (const int64_t size : shape) {
        dims += size < 0 ? std::string("dim { dim_param: \"?\" } ")
                         : fmt::format("dim {{ dim_value: {} }} ", size);
    }
    return fmt::format("type {{ tensor_type {{ elem_type: {} shape {{ {}}} }} }}", onnx_dtype(dtype), dims);
}

}  // namespace

std::string onnx_text(const Program& program, const Forms* forms) {
    const Graph& graph = program.graph;
    std::string out =
        "ir_version: 8\nproducer_name: \"opweld\"\nopset_import { domain: \"ge\" version: 1 }\ngraph {\n";
    fmt::format_to(std::back_inserter(out), "  name: {}\n", in_quotes(graph.name));
    std::string values;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node& node = graph.nodes[i];
        if (is_data(node)) {
            fmt::format_to(std::back_inserter(out), "  input {{ name: {} {} }}\n",
                           in_quotes(tensor_name(graph, {.node = static_cast<int>(i), .output = 0})),
                           type_text(node.outputs.front().dtype, node.outputs.front().shape));
            continue;
        }
        if (node.type == "NetOutput") {
            for (size_t k = 0; k < node.inputs.size(); ++k) {
                fmt::format_to(std::back_inserter(out), "  output {{ name: {} {} }}\n",
                               in_quotes(tensor_name(graph, node.inputs[k])),
                               type_text(node.input_infos[k].dtype, node.input_infos[k].shape));
            }
            continue;
        }
        fmt::format_to(std::back_inserter(out), "  node {{\n    name: {} op_type: {} domain: \"ge\"\n",
                       in_quotes(node.name),
                       in_quotes(program.nodes[i].constant.defined() ? "Const" : node.type));
        for (const Source& source : node.inputs) {
            fmt::format_to(std::back_inserter(out), "    input: {}\n", in_quotes(tensor_name(graph, source)));
        }
        for (size_t k = 0; k < node.outputs.size(); ++k) {
            const Source self{.node = static_cast<int>(i), .output = static_cast<int>(k)};
            fmt::format_to(std::back_inserter(out), "    output: {}\n", in_quotes(tensor_name(graph, self)));
            if (forms != nullptr && k < (*forms)[i].size() && (*forms)[i][k].meta.defined()) {
                const at::Tensor& meta = (*forms)[i][k].meta;
                fmt::format_to(std::back_inserter(values), "  value_info {{ name: {} {} }}\n",
                               in_quotes(tensor_name(graph, self)),
                               type_text(dtype_number(meta.scalar_type()), meta.sizes().vec()));
            }
        }
        for (const auto& [name, value] : node.attributes) {
            if (!name.starts_with('_')) {
                add_attribute(out, name, value);
            }
        }
        out += "  }\n";
    }
    return out + values + "}\n";
}

}  // namespace opweld::npu::graph
