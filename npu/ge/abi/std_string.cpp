// The functions with a std::string in them. Prototype libraries are built with either of libstdc++'s two, so
// this file is compiled once for each (see CMakeLists.txt), and hands on nothing but characters.
#include <string>

#include "graph/operator.h"
#include "graph/tensor.h"

namespace ge {

Operator::Operator(const std::string& type) : Operator(type.c_str()) {}
Operator::Operator(const std::string& name, const std::string& type) : Operator(name.c_str(), type.c_str()) {}

std::string Operator::GetName() const {
    AscendString name;
    GetName(name);
    return name.GetString();
}

std::string Operator::GetOpType() const {
    AscendString type;
    GetOpType(type);
    return type.GetString();
}

TensorDesc Operator::GetInputDesc(const std::string& name) const { return GetInputDescByName(name.c_str()); }
TensorDesc Operator::GetOutputDesc(const std::string& name) const {
    return GetOutputDescByName(name.c_str());
}
graphStatus Operator::TryGetInputDesc(const std::string& name, TensorDesc& desc) const {
    return TryGetInputDesc(name.c_str(), desc);
}
graphStatus Operator::UpdateInputDesc(const std::string& name, const TensorDesc& desc) {
    return UpdateInputDesc(name.c_str(), desc);
}
graphStatus Operator::UpdateOutputDesc(const std::string& name, const TensorDesc& desc) {
    return UpdateOutputDesc(name.c_str(), desc);
}
int Operator::GetDynamicInputNum(const std::string& name) const { return GetDynamicInputNum(name.c_str()); }
int Operator::GetDynamicOutputNum(const std::string& name) const { return GetDynamicOutputNum(name.c_str()); }
TensorDesc Operator::GetDynamicInputDesc(const std::string& name, std::uint32_t index) const {
    return GetDynamicInputDesc(name.c_str(), index);
}
TensorDesc Operator::GetDynamicOutputDesc(const std::string& name, std::uint32_t index) const {
    return GetDynamicOutputDesc(name.c_str(), index);
}
graphStatus Operator::UpdateDynamicOutputDesc(const std::string& name, std::uint32_t index,
                                              const TensorDesc& desc) {
    return UpdateDynamicOutputDesc(name.c_str(), index, desc);
}
graphStatus Operator::GetInputConstData(const std::string& name, Tensor& data) const {
    return GetInputConstData(name.c_str(), data);
}

graphStatus Operator::GetAttr(const std::string& name, std::string& value) const {
    AscendString text;
    const graphStatus status = GetAttr(name.c_str(), text);
    if (status == GRAPH_SUCCESS) {
        value.assign(text.GetString(), text.GetLength());
    }
    return status;
}

graphStatus Operator::GetAttr(const std::string& name, std::vector<std::string>& value) const {
    std::vector<AscendString> texts;
    const graphStatus status = GetAttr(name.c_str(), texts);
    if (status == GRAPH_SUCCESS) {
        value.clear();
        for (const AscendString& text : texts) {
            value.emplace_back(text.GetString(), text.GetLength());
        }
    }
    return status;
}

Operator& Operator::SetAttr(const std::string& name, const std::string& value) {
    return SetAttr(name.c_str(), AscendString(value.data(), value.size()));
}

Operator& Operator::SetAttr(const std::string& name, const std::vector<std::string>& value) {
    std::vector<AscendString> texts;
    texts.reserve(value.size());
    for (const std::string& text : value) {
        texts.emplace_back(text.data(), text.size());
    }
    return SetAttr(name.c_str(), texts);
}

std::string TensorDesc::GetName() const {
    AscendString name;
    TensorDesc(*this).GetName(name);
    return name.GetString();
}
void TensorDesc::SetName(const std::string& name) { SetName(name.c_str()); }

graphStatus Tensor::SetData(const std::string& text) { return SetData(text.c_str()); }

}  // namespace ge
