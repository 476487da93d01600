#include "npu/ge/abi/operator_impl.h"

#include <algorithm>

namespace ge {

using opweld::npu::prototypes::Port;
using opweld::npu::prototypes::PortKind;

OperatorImpl::OperatorImpl(std::string name, std::string type) : name(std::move(name)) {
    prototype.type = std::move(type);
}

Operator OperatorImpl::make(std::shared_ptr<OperatorImpl> impl) {
    Operator op;
    op.impl_ = std::move(impl);
    return op;
}

const std::shared_ptr<OperatorImpl>& OperatorImpl::of(const Operator& op) { return op.impl_; }

OperatorPort* OperatorImpl::find(std::vector<OperatorPort>& ports, std::string_view name) {
    const auto found = std::ranges::find(ports, name, &OperatorPort::name);
    return found == ports.end() ? nullptr : &*found;
}

OperatorPort* OperatorImpl::find(std::vector<OperatorPort>& ports, std::size_t index) {
    for (OperatorPort& port : ports) {
        if (port.present && index-- == 0) {
            return &port;
        }
    }
    return nullptr;
}

int OperatorImpl::count(const std::vector<Port>& declared, const std::vector<OperatorPort>& ports,
                        std::string_view name) {
    const auto port = std::ranges::find(declared, name, &Port::name);
    if (port == declared.end() || port->kind != PortKind::kDynamic) {
        return -1;
    }
    int number = 0;
    while (std::ranges::find(ports, std::string(name) + std::to_string(number), &OperatorPort::name) !=
           ports.end()) {
        ++number;
    }
    return number;
}

}  // namespace ge
