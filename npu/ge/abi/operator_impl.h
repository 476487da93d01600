#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graph/operator.h"
#include "npu/ge/prototypes/prototype.h"

namespace ge {

// An input or output that is there: a part of a dynamic one has its own.
struct OperatorPort {
    std::string name;  // "x", of a dynamic one "x0"
    TensorDesc desc;
    std::shared_ptr<Tensor> constant;  // what is known of an input before the graph runs; null: nothing
    bool present = true;               // false: an optional input that is left out
};

class OperatorImpl {
  public:
    OperatorImpl(std::string name, std::string type);

    static Operator make(std::shared_ptr<OperatorImpl> impl);
    static const std::shared_ptr<OperatorImpl>& of(const Operator& op);

    // The port of that name, or that number among those that are there; null where there is none.
    static OperatorPort* find(std::vector<OperatorPort>& ports, std::string_view name);
    static OperatorPort* find(std::vector<OperatorPort>& ports, std::size_t index);
    // How many parts a dynamic port has; -1: there is none of that name.
    static int count(const std::vector<opweld::npu::prototypes::Port>& declared,
                     const std::vector<OperatorPort>& ports, std::string_view name);

    std::string name;
    opweld::npu::prototypes::Prototype prototype;
    std::vector<OperatorPort> inputs;
    std::vector<OperatorPort> outputs;
    std::map<std::string, opweld::npu::prototypes::AttributeValue, std::less<>> attributes;
    // Why the prototype cannot be used; empty: it can.
    std::string fault;
};

}  // namespace ge
