#include "npu/ge/prototypes/instance.h"

#include <algorithm>
#include <memory>

#include "npu/ge/abi/operator_impl.h"
#include "npu/ge/prototypes/functions.h"
#include "npu/runtime/interface.h"

namespace opweld::npu::prototypes {

namespace {

using ::ge::OperatorImpl;
using ::ge::OperatorPort;

constexpr int kInvalid = 100000;  // ACL_ERROR_INVALID_PARAM
constexpr int kFailed = 500000;   // ACL_ERROR_INTERNAL_ERROR

std::vector<OperatorPort> declared_ports(const std::vector<Port>& declared) {
    std::vector<OperatorPort> ports;
    for (const Port& port : declared) {
        if (port.kind != PortKind::kDynamic) {
            ports.push_back({port.name, {}, nullptr, port.kind == PortKind::kRequired});
        }
    }
    return ports;
}

[[noreturn]] void refuse(const Prototype& prototype, const Instance& instance, const std::string& what) {
    throw AclException(kInvalid, "operator " + instance.name + " (" + prototype.type + "): " + what);
}

void give_inputs(OperatorImpl& impl, const Prototype& prototype, const Instance& instance) {
    for (const Port& port : prototype.inputs) {
        const auto is_part = [&](const std::string& name) {
            return name.size() > port.name.size() && name.starts_with(port.name) &&
                   std::all_of(name.begin() + static_cast<std::ptrdiff_t>(port.name.size()), name.end(),
                               [](char c) { return c >= '0' && c <= '9'; });
        };
        bool found = false;
        for (const InstanceInput& input : instance.inputs) {
            if (port.kind == PortKind::kDynamic ? is_part(input.name) : input.name == port.name) {
                auto constant = input.constant ? std::make_shared<::ge::Tensor>(*input.constant) : nullptr;
                impl.inputs.push_back({input.name, input.desc, std::move(constant), true});
                found = true;
            }
        }
        if (!found && port.kind == PortKind::kRequired) {
            refuse(prototype, instance, "input " + port.name + " is missing");
        }
        if (!found && port.kind == PortKind::kOptional) {
            impl.inputs.push_back({port.name, {}, nullptr, false});
        }
    }
    for (const InstanceInput& input : instance.inputs) {
        if (OperatorImpl::find(impl.inputs, input.name) == nullptr) {
            refuse(prototype, instance, "its prototype has no input " + input.name);
        }
    }
}

void give_outputs(OperatorImpl& impl, const Prototype& prototype, const Instance& instance) {
    for (const Port& port : prototype.outputs) {
        if (port.kind != PortKind::kDynamic) {
            impl.outputs.push_back({port.name, {}, nullptr, true});
            continue;
        }
        const auto count = instance.dynamic_outputs.find(port.name);
        for (int i = 0; count != instance.dynamic_outputs.end() && i < count->second; ++i) {
            impl.outputs.push_back({port.name + std::to_string(i), {}, nullptr, true});
        }
    }
}

}  // namespace

::ge::Operator make_operator(const Prototype& prototype, const std::string& name) {
    auto impl = std::make_shared<OperatorImpl>(name, prototype.type);
    impl->prototype = prototype;
    impl->inputs = declared_ports(prototype.inputs);
    impl->outputs = declared_ports(prototype.outputs);
    return OperatorImpl::make(std::move(impl));
}

std::vector<::ge::TensorDesc> infer(const Prototype& prototype, const Instance& instance) {
    const Functions all = functions(prototype.type);
    if (!all.infer_shape) {
        refuse(prototype, instance,
               "no InferShape function is registered for it" +
                   (prototype.library.empty() ? std::string() : " in " + prototype.library));
    }
    auto impl = std::make_shared<OperatorImpl>(instance.name, prototype.type);
    impl->prototype = prototype;
    give_inputs(*impl, prototype, instance);
    give_outputs(*impl, prototype, instance);
    for (const auto& [name, value] : instance.attributes) {
        impl->attributes.insert_or_assign(name, value);
    }
    ::ge::Operator op = OperatorImpl::make(impl);
    const auto call = [&](const auto& function, const char* what) {
        fail(0, "");
        const ::ge::graphStatus status = function(op);
        if (status != ::ge::GRAPH_SUCCESS) {
            throw AclException(kFailed, "operator " + instance.name + " (" + prototype.type + "): the " +
                                            what + " of " + prototype.library + " failed with " +
                                            std::to_string(status));
        }
    };
    if (all.verify) {
        call(all.verify, "verifier");
    }
    call(all.infer_shape, "InferShape function");
    std::vector<::ge::TensorDesc> outputs;
    for (const OperatorPort& port : impl->outputs) {
        outputs.push_back(port.desc);
    }
    return outputs;
}

}  // namespace opweld::npu::prototypes
