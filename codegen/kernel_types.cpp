// What kernels are given.
#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

#include "codegen/cpp_types.h"

namespace opweld::codegen {

using spec::AttrDesc;
using spec::AttrKind;
using spec::DType;
using spec::InputDesc;
using spec::InputKind;
using spec::OutputDesc;
using spec::OutputKind;

namespace {

std::string optional_of(const std::string& type, bool optional) {
    return optional ? fmt::format("std::optional<{}>", type) : type;
}

}  // namespace

bool reaches_kernel(const AttrDesc& attr) {
    return attr.type.kind != AttrKind::Device && attr.type.kind != AttrKind::Layout &&
           attr.type.kind != AttrKind::MemoryFormat;
}

std::string kernel_obstacle(const AttrDesc& attr) {
    if (attr.type.list_depth > 0 && (attr.type.kind == AttrKind::Str || attr.type.kind == AttrKind::Scalar)) {
        return fmt::format("lists of {} cannot be passed to a kernel: aclnn functions have no such argument",
                           spec::name(attr.type.kind));
    }
    return {};
}

std::size_t kernel_slots(const AttrDesc& attr) {
    if (!reaches_kernel(attr)) {
        return 0;
    }
    return attr.type.kind == AttrKind::Generator || attr.type.list_depth == 2 ? 2 : 1;
}

std::string kernel_type(const InputDesc& input) {
    std::string view = input.mutates ? "opweld::MutableTensorView" : "opweld::TensorView";
    switch (input.kind) {
        case InputKind::Tensor:
            return view;
        case InputKind::OptionalTensor:
            return fmt::format("std::optional<{}>", view);
        case InputKind::TensorList:
            return fmt::format("std::vector<{}>", view);
        case InputKind::OptionalList:
            return fmt::format("std::optional<std::vector<{}>>", view);
        case InputKind::ListOfOptionals:
            return fmt::format("std::vector<std::optional<{}>>", view);
    }
    throw std::logic_error("input kind without a kernel type");
}

namespace {

struct KernelKind {
    std::string_view type;         // plain
    std::string_view reader;       // CallReader's method for a plain value
    std::string_view list_reader;  // for a list
    std::string_view item;         // of a list
};

KernelKind kernel_kind(AttrKind kind) {
    switch (kind) {
        case AttrKind::Bool:
            return {"bool", "boolean", "booleans", "bool"};
        case AttrKind::Int:
        case AttrKind::SymInt:
            return {"int64_t", "integer", "integers", "int64_t"};
        case AttrKind::Float:
            return {"double", "real", "reals", "double"};
        case AttrKind::Str:
            return {"std::string_view", "string", "", ""};
        case AttrKind::Scalar:
            return {"opweld::Scalar", "scalar", "", ""};
        case AttrKind::ScalarType:
            return {"int32_t", "dtype", "integers", "int64_t"};
        case AttrKind::Generator:
            return {"opweld::RandomState", "random", "", ""};
        default:
            throw std::logic_error("an attribute that kernels do not get");
    }
}

}  // namespace

std::string kernel_type(const AttrDesc& attr) {
    const KernelKind kind = kernel_kind(attr.type.kind);
    std::string type(kind.type);
    if (attr.type.list_depth > 0) {
        type = fmt::format("std::span<const {}>", kind.item);
    }
    if (attr.type.list_depth == 2) {
        type = fmt::format("std::vector<{}>", type);
    }
    // A generator that is not given is torch's default one: kernels always get a state.
    return optional_of(type, attr.type.optional && attr.type.kind != AttrKind::Generator);
}

std::string kernel_type(const OutputDesc& output) {
    if (output.kind == OutputKind::TensorList) {
        return "std::vector<opweld::MutableTensorView>";
    }
    return optional_of("opweld::MutableTensorView", output.present.has_value());
}

std::string kernel_read(const InputDesc& input, std::size_t slot) {
    std::string method = input.mutates ? "mutable_input" : "input";
    switch (input.kind) {
        case InputKind::Tensor:
            break;
        case InputKind::OptionalTensor:
            method = "optional_" + method;
            break;
        case InputKind::TensorList:
            method += "_list";
            break;
        case InputKind::OptionalList:
            method = "optional_" + method + "_list";
            break;
        case InputKind::ListOfOptionals:
            method += "_list_of_optionals";
            break;
    }
    return fmt::format("reader.{}({})", method, slot);
}

std::string kernel_read(const AttrDesc& attr, std::size_t slot) {
    const KernelKind kind = kernel_kind(attr.type.kind);
    std::string read =
        fmt::format("reader.{}({})", attr.type.list_depth > 0 ? kind.list_reader : kind.reader, slot);
    if (attr.type.list_depth == 2) {
        read =
            fmt::format("reader.{}_lists({})", attr.type.kind == AttrKind::Float ? "real" : "integer", slot);
    }
    if (attr.type.optional && attr.type.kind != AttrKind::Generator) {
        const std::string type = kernel_type(attr);
        read = fmt::format("reader.is_none({}) ? std::nullopt : {}({})", slot, type, read);
    }
    return read;
}

std::string kernel_read(const OutputDesc& output, std::size_t slot) {
    if (output.kind == OutputKind::TensorList) {
        return fmt::format("reader.output_list({})", slot);
    }
    return fmt::format("reader.{}({})", output.present ? "optional_output" : "output", slot);
}

std::string element_type(DType dtype) {
    switch (dtype) {
        case DType::Float32:
            return "float";
        case DType::Float16:
            return "opweld::Half";
        case DType::BFloat16:
            return "opweld::BFloat16";
        case DType::Float64:
            return "double";
        case DType::Int8:
            return "int8_t";
        case DType::Int16:
            return "int16_t";
        case DType::Int32:
            return "int32_t";
        case DType::Int64:
            return "int64_t";
        case DType::UInt8:
            return "uint8_t";
        case DType::UInt16:
            return "uint16_t";
        case DType::UInt32:
            return "uint32_t";
        case DType::UInt64:
            return "uint64_t";
        case DType::Bool:
            return "bool";
        case DType::Complex64:
            return "std::complex<float>";
        case DType::Complex128:
            return "std::complex<double>";
        default:
            return {};
    }
}

std::string opweld_dtype(DType dtype) {
    std::string name = "OPWELD_";
    for (const char c : spec::name(dtype)) {
        name += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    }
    return name;
}

}  // namespace opweld::codegen
