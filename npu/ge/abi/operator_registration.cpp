#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "graph/operator.h"
#include "npu/ge/abi/operator_impl.h"
#include "npu/ge/prototypes/parse.h"
#include "npu/ge/prototypes/tensor_type_members.h"

namespace ge {

namespace {

using opweld::npu::prototypes::Attribute;
using opweld::npu::prototypes::AttributeValue;
using opweld::npu::prototypes::parse_port_types;
using opweld::npu::prototypes::Port;
using opweld::npu::prototypes::PortKind;

// The word in REQUIRED_ATTR for each type.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kTypes = {{
    {"Int", "VT_INT"},
    {"Float", "VT_FLOAT"},
    {"Bool", "VT_BOOL"},
    {"String", "VT_STRING"},
    {"AscendString", "VT_STRING"},
    {"Type", "VT_DATA_TYPE"},
    {"Tensor", "VT_TENSOR"},
    {"Bytes", "VT_BYTES"},
    {"NamedAttrs", "VT_NAMED_ATTRS"},
    {"ListInt", "VT_LIST_INT"},
    {"ListFloat", "VT_LIST_FLOAT"},
    {"ListBool", "VT_LIST_BOOL"},
    {"ListString", "VT_LIST_STRING"},
    {"ListType", "VT_LIST_DATA_TYPE"},
    {"ListTensor", "VT_LIST_TENSOR"},
    {"ListListInt", "VT_LIST_LIST_INT"},
}};

// Declares a port once; a second call for a dynamic one adds parts only.
void declare(std::vector<Port>& declared, const char* name, PortKind kind, const char* dtypes) {
    if (std::ranges::find(declared, std::string_view(name), &Port::name) == declared.end()) {
        auto types = parse_port_types(dtypes);
        declared.push_back({name, kind, std::move(types.dtypes), std::move(types.symbol)});
    }
}

void add_parts(std::vector<OperatorPort>& ports, const std::string& name, unsigned int count) {
    for (unsigned int i = 0; i < count; ++i) {
        std::string part = name + std::to_string(i);
        if (OperatorImpl::find(ports, part) == nullptr) {
            ports.push_back({std::move(part), {}, nullptr, true});
        }
    }
}

void add_attribute(OperatorImpl& impl, const char* name, std::string_view type, AttributeValue value,
                   bool required) {
    auto& attributes = impl.prototype.attributes;
    if (std::ranges::find(attributes, std::string_view(name), &Attribute::name) == attributes.end()) {
        attributes.push_back({name, std::string(type), std::move(value), required});
    }
}

void add_optional_attribute(OperatorImpl& impl, const char* name, AttributeValue value) {
    const std::string_view type = opweld::npu::prototypes::value_type(value);
    add_attribute(impl, name, type, std::move(value), false);
}

void refuse(OperatorImpl& impl, const std::string& fault) {
    if (impl.fault.empty()) {
        impl.fault = fault;
    }
}

}  // namespace

void Operator::InputRegister(const char* name) { InputRegister(name, ""); }
void Operator::InputRegister(const char* name, const char* dtypes) {
    declare(impl_->prototype.inputs, name, PortKind::kRequired, dtypes);
    impl_->inputs.push_back({name, {}, nullptr, true});
}

void Operator::OptionalInputRegister(const char* name) { OptionalInputRegister(name, ""); }
void Operator::OptionalInputRegister(const char* name, const char* dtypes) {
    declare(impl_->prototype.inputs, name, PortKind::kOptional, dtypes);
    impl_->inputs.push_back({name, {}, nullptr, false});
}

void Operator::OutputRegister(const char* name) { OutputRegister(name, ""); }
void Operator::OutputRegister(const char* name, const char* dtypes) {
    declare(impl_->prototype.outputs, name, PortKind::kRequired, dtypes);
    impl_->outputs.push_back({name, {}, nullptr, true});
}

void Operator::DynamicInputRegister(const char* name, unsigned int count, bool at_end) {
    DynamicInputRegister(name, count, "", at_end);
}
void Operator::DynamicInputRegister(const char* name, unsigned int count, const char* dtypes,
                                    bool /*at_end*/) {
    declare(impl_->prototype.inputs, name, PortKind::kDynamic, dtypes);
    add_parts(impl_->inputs, name, count);
}

void Operator::DynamicOutputRegister(const char* name, unsigned int count, bool at_end) {
    DynamicOutputRegister(name, count, "", at_end);
}
void Operator::DynamicOutputRegister(const char* name, unsigned int count, const char* dtypes,
                                     bool /*at_end*/) {
    declare(impl_->prototype.outputs, name, PortKind::kDynamic, dtypes);
    add_parts(impl_->outputs, name, count);
}

void Operator::DataTypeRegister(const char* symbol, const TensorType& dtypes) {
    for (auto* ports : {&impl_->prototype.inputs, &impl_->prototype.outputs}) {
        for (Port& port : *ports) {
            if (port.symbol == symbol) {
                port.dtypes = opweld::npu::prototypes::members(dtypes);
            }
        }
    }
}

void Operator::RequiredAttrRegister(const char* name) {
    refuse(*impl_, "attribute " + std::string(name) + " has no type (REQUIRED_ATTR of an old header)");
}

void Operator::RequiredAttrWithTypeRegister(const char* name, const char* type) {
    const auto* const known =
        std::ranges::find(kTypes, std::string_view(type), &decltype(kTypes)::value_type::first);
    if (known == kTypes.end()) {
        refuse(*impl_, "attribute " + std::string(name) + " has the unknown type " + type);
        return;
    }
    add_attribute(*impl_, name, known->second, {}, true);
}

void Operator::AttrRegister(const char* name, std::int64_t value) {
    add_optional_attribute(*impl_, name, value);
}
void Operator::AttrRegister(const char* name, float value) { add_optional_attribute(*impl_, name, value); }
void Operator::AttrRegister(const char* name, bool value) { add_optional_attribute(*impl_, name, value); }
void Operator::AttrRegister(const char* name, const AscendString& value) {
    add_optional_attribute(*impl_, name, std::string(value.GetString(), value.GetLength()));
}
void Operator::AttrRegister(const char* name, const DataType& value) {
    add_optional_attribute(*impl_, name, value);
}
void Operator::AttrRegister(const char* name, const Tensor& value) {
    add_optional_attribute(*impl_, name, value);
}
void Operator::AttrRegister(const char* name, const std::vector<std::uint8_t>& value) {
    add_optional_attribute(*impl_, name, value);
}
void Operator::AttrRegister(const char* name, const std::vector<std::int64_t>& value) {
    add_optional_attribute(*impl_, name, value);
}
void Operator::AttrRegister(const char* name, const std::vector<float>& value) {
    add_optional_attribute(*impl_, name, value);
}
void Operator::AttrRegister(const char* name, const std::vector<bool>& value) {
    add_optional_attribute(*impl_, name, value);
}
void Operator::AttrRegister(const char* name, const std::vector<AscendString>& value) {
    std::vector<std::string> texts;
    texts.reserve(value.size());
    for (const AscendString& text : value) {
        texts.emplace_back(text.GetString(), text.GetLength());
    }
    add_optional_attribute(*impl_, name, std::move(texts));
}
void Operator::AttrRegister(const char* name, const std::vector<DataType>& value) {
    add_optional_attribute(*impl_, name, value);
}
void Operator::AttrRegister(const char* name, const std::vector<Tensor>& value) {
    add_optional_attribute(*impl_, name, value);
}
void Operator::AttrRegister(const char* name, const std::vector<std::vector<std::int64_t>>& value) {
    add_optional_attribute(*impl_, name, value);
}

void Operator::SubgraphRegister(const char* name, bool /*dynamic*/) {
    refuse(*impl_,
           "it has the graph " + std::string(name) + " inside, which the software NPU does not support");
}
void Operator::SubgraphCountRegister(const char* name, std::uint32_t /*count*/) {
    SubgraphRegister(name, false);
}

}  // namespace ge
