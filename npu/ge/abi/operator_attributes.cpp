#include <limits>
#include <type_traits>
#include <utility>

#include "graph/operator.h"
#include "npu/ge/abi/operator_impl.h"

namespace ge {

namespace {

using opweld::npu::prototypes::AttributeValue;

std::string text(const AscendString& value) { return value.GetString(); }

std::vector<std::string> texts(const std::vector<AscendString>& values) {
    std::vector<std::string> result;
    result.reserve(values.size());
    for (const AscendString& value : values) {
        result.push_back(text(value));
    }
    return result;
}

void set(OperatorImpl* impl, const char* name, AttributeValue value) {
    if (impl != nullptr && name != nullptr) {
        impl->attributes.insert_or_assign(name, std::move(value));
    }
}

// What the operator has, or else the prototype's default; null where there is neither of that type.
template <class T>
const T* get(const OperatorImpl* impl, const char* name) {
    if (impl == nullptr || name == nullptr) {
        return nullptr;
    }
    if (const auto found = impl->attributes.find(name); found != impl->attributes.end()) {
        return std::get_if<T>(&found->second);
    }
    for (const auto& attribute : impl->prototype.attributes) {
        if (attribute.name == name) {
            return std::get_if<T>(&attribute.default_value);
        }
    }
    return nullptr;
}

template <class T>
graphStatus give(const T* value, T& result) {
    if (value == nullptr) {
        return GRAPH_FAILED;
    }
    result = *value;
    return GRAPH_SUCCESS;
}

template <class To>
graphStatus narrow(const std::int64_t* value, To& result) {
    if (value == nullptr || !std::in_range<To>(*value)) {
        return GRAPH_FAILED;
    }
    result = static_cast<To>(*value);
    return GRAPH_SUCCESS;
}

template <class To>
graphStatus narrow(const std::vector<std::int64_t>* values, std::vector<To>& result) {
    if (values == nullptr) {
        return GRAPH_FAILED;
    }
    std::vector<To> narrowed(values->size());
    for (std::size_t i = 0; i < narrowed.size(); ++i) {
        if (narrow(&(*values)[i], narrowed[i]) != GRAPH_SUCCESS) {
            return GRAPH_FAILED;
        }
    }
    result = std::move(narrowed);
    return GRAPH_SUCCESS;
}

}  // namespace

graphStatus Operator::GetAttr(const char* name, std::int64_t& value) const {
    return give(get<std::int64_t>(impl_.get(), name), value);
}
graphStatus Operator::GetAttr(const char* name, std::int32_t& value) const {
    return narrow(get<std::int64_t>(impl_.get(), name), value);
}
graphStatus Operator::GetAttr(const char* name, std::uint32_t& value) const {
    return narrow(get<std::int64_t>(impl_.get(), name), value);
}
graphStatus Operator::GetAttr(const char* name, float& value) const {
    return give(get<float>(impl_.get(), name), value);
}
graphStatus Operator::GetAttr(const char* name, bool& value) const {
    return give(get<bool>(impl_.get(), name), value);
}
graphStatus Operator::GetAttr(const char* name, AscendString& value) const {
    const auto* found = get<std::string>(impl_.get(), name);
    if (found == nullptr) {
        return GRAPH_FAILED;
    }
    value = AscendString(found->data(), found->size());
    return GRAPH_SUCCESS;
}
graphStatus Operator::GetAttr(const char* name, DataType& value) const {
    return give(get<DataType>(impl_.get(), name), value);
}
graphStatus Operator::GetAttr(const char* name, Tensor& value) const {
    return give(get<Tensor>(impl_.get(), name), value);
}
graphStatus Operator::GetAttr(const char* name, std::vector<std::uint8_t>& value) const {
    return give(get<std::vector<std::uint8_t>>(impl_.get(), name), value);
}
graphStatus Operator::GetAttr(const char* name, std::vector<std::int64_t>& value) const {
    return give(get<std::vector<std::int64_t>>(impl_.get(), name), value);
}
graphStatus Operator::GetAttr(const char* name, std::vector<std::int32_t>& value) const {
    return narrow(get<std::vector<std::int64_t>>(impl_.get(), name), value);
}
graphStatus Operator::GetAttr(const char* name, std::vector<std::uint32_t>& value) const {
    return narrow(get<std::vector<std::int64_t>>(impl_.get(), name), value);
}
graphStatus Operator::GetAttr(const char* name, std::vector<float>& value) const {
    return give(get<std::vector<float>>(impl_.get(), name), value);
}
graphStatus Operator::GetAttr(const char* name, std::vector<bool>& value) const {
    return give(get<std::vector<bool>>(impl_.get(), name), value);
}
graphStatus Operator::GetAttr(const char* name, std::vector<AscendString>& value) const {
    const auto* found = get<std::vector<std::string>>(impl_.get(), name);
    if (found == nullptr) {
        return GRAPH_FAILED;
    }
    value.clear();
    for (const std::string& item : *found) {
        value.emplace_back(item.data(), item.size());
    }
    return GRAPH_SUCCESS;
}
graphStatus Operator::GetAttr(const char* name, std::vector<DataType>& value) const {
    return give(get<std::vector<DataType>>(impl_.get(), name), value);
}
graphStatus Operator::GetAttr(const char* name, std::vector<Tensor>& value) const {
    return give(get<std::vector<Tensor>>(impl_.get(), name), value);
}
graphStatus Operator::GetAttr(const char* name, std::vector<std::vector<std::int64_t>>& value) const {
    return give(get<std::vector<std::vector<std::int64_t>>>(impl_.get(), name), value);
}

Operator& Operator::SetAttr(const char* name, std::int64_t value) {
    set(impl_.get(), name, value);
    return *this;
}
Operator& Operator::SetAttr(const char* name, std::int32_t value) {
    return SetAttr(name, static_cast<std::int64_t>(value));
}
Operator& Operator::SetAttr(const char* name, std::uint32_t value) {
    return SetAttr(name, static_cast<std::int64_t>(value));
}
Operator& Operator::SetAttr(const char* name, float value) {
    set(impl_.get(), name, value);
    return *this;
}
Operator& Operator::SetAttr(const char* name, bool value) {
    set(impl_.get(), name, value);
    return *this;
}
Operator& Operator::SetAttr(const char* name, const char* value) {
    return SetAttr(name, AscendString(value));
}
Operator& Operator::SetAttr(const char* name, const AscendString& value) {
    set(impl_.get(), name, text(value));
    return *this;
}
Operator& Operator::SetAttr(const char* name, const DataType& value) {
    set(impl_.get(), name, value);
    return *this;
}
Operator& Operator::SetAttr(const char* name, const Tensor& value) {
    set(impl_.get(), name, value);
    return *this;
}
Operator& Operator::SetAttr(const char* name, const std::vector<std::uint8_t>& value) {
    set(impl_.get(), name, value);
    return *this;
}
Operator& Operator::SetAttr(const char* name, const std::vector<std::int64_t>& value) {
    set(impl_.get(), name, value);
    return *this;
}
Operator& Operator::SetAttr(const char* name, const std::vector<float>& value) {
    set(impl_.get(), name, value);
    return *this;
}
Operator& Operator::SetAttr(const char* name, const std::vector<bool>& value) {
    set(impl_.get(), name, value);
    return *this;
}
Operator& Operator::SetAttr(const char* name, const std::vector<AscendString>& value) {
    set(impl_.get(), name, texts(value));
    return *this;
}
Operator& Operator::SetAttr(const char* name, const std::vector<DataType>& value) {
    set(impl_.get(), name, value);
    return *this;
}
Operator& Operator::SetAttr(const char* name, const std::vector<Tensor>& value) {
    set(impl_.get(), name, value);
    return *this;
}
Operator& Operator::SetAttr(const char* name, const std::vector<std::vector<std::int64_t>>& value) {
    set(impl_.get(), name, value);
    return *this;
}

graphStatus Operator::GetAllIrAttrNamesAndTypes(std::map<AscendString, AscendString>& attributes) const {
    if (impl_ == nullptr) {
        return GRAPH_FAILED;
    }
    for (const auto& attribute : impl_->prototype.attributes) {
        attributes[AscendString(attribute.name.c_str())] = AscendString(attribute.type.c_str());
    }
    return GRAPH_SUCCESS;
}

}  // namespace ge
