#include "graph/operator.h"

#include <algorithm>
#include <cstdint>

#include "npu/ge/abi/operator_impl.h"

namespace ge {

namespace {

std::string text(const char* characters) {
    return characters == nullptr ? std::string() : std::string(characters);
}

std::string part(const char* name, std::uint32_t index) { return text(name) + std::to_string(index); }

TensorDesc desc_of(const OperatorPort* port) {
    return port == nullptr || !port->present ? TensorDesc() : port->desc;
}

graphStatus update(OperatorPort* port, const TensorDesc& desc) {
    if (port == nullptr) {
        return GRAPH_FAILED;
    }
    port->desc = desc;
    port->present = true;
    return GRAPH_SUCCESS;
}

std::size_t count_present(const std::vector<OperatorPort>& ports) {
    return static_cast<std::size_t>(std::ranges::count(ports, true, &OperatorPort::present));
}

}  // namespace

Operator::Operator(const char* type) : Operator("", type) {}
Operator::Operator(const char* name, const char* type)
    : impl_(std::make_shared<OperatorImpl>(text(name), text(type))) {}
Operator::Operator(const AscendString& name, const AscendString& type)
    : Operator(name.GetString(), type.GetString()) {}

bool Operator::IsEmpty() const { return impl_ == nullptr; }

graphStatus Operator::GetName(AscendString& name) const {
    if (impl_ == nullptr) {
        return GRAPH_FAILED;
    }
    name = AscendString(impl_->name.c_str());
    return GRAPH_SUCCESS;
}

graphStatus Operator::GetOpType(AscendString& type) const {
    if (impl_ == nullptr) {
        return GRAPH_FAILED;
    }
    type = AscendString(impl_->prototype.type.c_str());
    return GRAPH_SUCCESS;
}

std::size_t Operator::GetInputsSize() const { return impl_ == nullptr ? 0 : count_present(impl_->inputs); }
std::size_t Operator::GetOutputsSize() const { return impl_ == nullptr ? 0 : count_present(impl_->outputs); }

TensorDesc Operator::GetInputDesc(std::uint32_t index) const {
    return impl_ == nullptr ? TensorDesc() : desc_of(OperatorImpl::find(impl_->inputs, std::size_t{index}));
}

TensorDesc Operator::GetInputDescByName(const char* name) const {
    return impl_ == nullptr ? TensorDesc() : desc_of(OperatorImpl::find(impl_->inputs, text(name)));
}

TensorDesc Operator::GetOutputDesc(std::uint32_t index) const {
    return impl_ == nullptr ? TensorDesc() : desc_of(OperatorImpl::find(impl_->outputs, std::size_t{index}));
}

TensorDesc Operator::GetOutputDescByName(const char* name) const {
    return impl_ == nullptr ? TensorDesc() : desc_of(OperatorImpl::find(impl_->outputs, text(name)));
}

graphStatus Operator::TryGetInputDesc(const char* name, TensorDesc& desc) const {
    const OperatorPort* port = impl_ == nullptr ? nullptr : OperatorImpl::find(impl_->inputs, text(name));
    if (port == nullptr || !port->present) {
        return GRAPH_FAILED;
    }
    desc = port->desc;
    return GRAPH_SUCCESS;
}

graphStatus Operator::UpdateInputDesc(const char* name, const TensorDesc& desc) {
    return update(impl_ == nullptr ? nullptr : OperatorImpl::find(impl_->inputs, text(name)), desc);
}

graphStatus Operator::UpdateOutputDesc(const char* name, const TensorDesc& desc) {
    return update(impl_ == nullptr ? nullptr : OperatorImpl::find(impl_->outputs, text(name)), desc);
}

graphStatus Operator::UpdateOutputDesc(std::uint32_t index, const TensorDesc& desc) {
    return update(impl_ == nullptr ? nullptr : OperatorImpl::find(impl_->outputs, std::size_t{index}), desc);
}

int Operator::GetDynamicInputNum(const char* name) const {
    return impl_ == nullptr ? -1 : OperatorImpl::count(impl_->prototype.inputs, impl_->inputs, text(name));
}

int Operator::GetDynamicOutputNum(const char* name) const {
    return impl_ == nullptr ? -1 : OperatorImpl::count(impl_->prototype.outputs, impl_->outputs, text(name));
}

TensorDesc Operator::GetDynamicInputDesc(const char* name, std::uint32_t index) const {
    return GetInputDescByName(part(name, index).c_str());
}

TensorDesc Operator::GetDynamicOutputDesc(const char* name, std::uint32_t index) const {
    return GetOutputDescByName(part(name, index).c_str());
}

graphStatus Operator::UpdateDynamicInputDesc(const char* name, std::uint32_t index, const TensorDesc& desc) {
    return UpdateInputDesc(part(name, index).c_str(), desc);
}

graphStatus Operator::UpdateDynamicOutputDesc(const char* name, std::uint32_t index, const TensorDesc& desc) {
    return UpdateOutputDesc(part(name, index).c_str(), desc);
}

graphStatus Operator::GetInputConstData(const char* name, Tensor& data) const {
    const OperatorPort* port = impl_ == nullptr ? nullptr : OperatorImpl::find(impl_->inputs, text(name));
    if (port == nullptr || port->constant == nullptr) {
        return GRAPH_FAILED;
    }
    data = *port->constant;
    return GRAPH_SUCCESS;
}

}  // namespace ge
