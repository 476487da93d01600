// Support for InferShape functions of generated prototypes: an operator's inputs and attributes as values of
// opweld/expr/graph.h, and back.
#pragma once

#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/operator.h"
#include "opweld/expr/graph.h"

namespace opweld::prototype {

namespace expr = opweld::expr::graph;

class Call {
  public:
    explicit Call(ge::Operator& op) : op_(op) {}

    expr::Tensor tensor(const char* name) const { return make(op_.GetInputDescByName(name)); }

    std::optional<expr::Tensor> optional_tensor(const char* name) const {
        ge::TensorDesc desc;
        return op_.TryGetInputDesc(name, desc) == ge::GRAPH_SUCCESS ? std::optional(make(desc))
                                                                    : std::nullopt;
    }

    expr::Tensors list(const char* name) const {
        std::vector<expr::Tensor> tensors;
        for (int i = 0; i < op_.GetDynamicInputNum(name); ++i) {
            tensors.push_back(make(op_.GetDynamicInputDesc(name, static_cast<std::uint32_t>(i))));
        }
        return tensors;
    }

    // A graph cannot tell an empty list from one that is left out.
    std::optional<expr::Tensors> optional_list(const char* name) const {
        return op_.GetDynamicInputNum(name) > 0 ? std::optional(list(name)) : std::nullopt;
    }

    expr::Bool boolean(const char* name) const { return get<bool>(name); }
    expr::Int integer(const char* name) const { return get<std::int64_t>(name); }
    expr::Float real(const char* name) const { return static_cast<double>(get<float>(name)); }
    expr::String string(const char* name) const {
        return std::string(get<ge::AscendString>(name).GetString());
    }
    expr::DTypeValue dtype(const char* name) const { return make(get<ge::DataType>(name)); }
    expr::Bools booleans(const char* name) const { return items<expr::Bool>(get<std::vector<bool>>(name)); }
    expr::Ints integers(const char* name) const {
        return items<expr::Int>(get<std::vector<std::int64_t>>(name));
    }
    expr::Floats reals(const char* name) const {
        const auto values = get<std::vector<float>>(name);
        return items<expr::Float>(std::vector<double>(values.begin(), values.end()));
    }
    expr::Strings strings(const char* name) const {
        std::vector<expr::String> values;
        for (const ge::AscendString& text : get<std::vector<ge::AscendString>>(name)) {
            values.emplace_back(std::string(text.GetString()));
        }
        return values;
    }
    expr::DTypes dtypes(const char* name) const {
        std::vector<expr::DTypeValue> values;
        for (const ge::DataType value : get<std::vector<ge::DataType>>(name)) {
            values.push_back(make(value));
        }
        return values;
    }
    expr::IntLists integer_lists(const char* name) const {
        std::vector<expr::Ints> values;
        for (const auto& list : get<std::vector<std::vector<std::int64_t>>>(name)) {
            values.push_back(items<expr::Int>(list));
        }
        return values;
    }
    // Two attributes: the number, and `<name>_dtype`, whether it is a bool, an integer or a real number.
    expr::Scalar scalar(const char* name) const {
        const auto kind = get<ge::DataType>((std::string(name) + "_dtype").c_str());
        return {static_cast<opweld::expr::DType>(kind), static_cast<double>(get<float>(name))};
    }
    // Whether an optional attribute has a value: the attribute `has_<name>`.
    bool has(const char* name) const { return get<bool>((std::string("has_") + name).c_str()); }

    // Every rule that is known to be broken stops; what depends on an unknown size is left to the kernel.
    static void require(const expr::Bool& rule, const char* message) {
        if (expr::known_false(rule)) {
            throw expr::Error(message);
        }
    }

    void set(const char* name, const expr::Ints& shape, const expr::DTypeValue& dtype) const {
        ge::TensorDesc desc = op_.GetOutputDescByName(name);
        op_.UpdateOutputDesc(name, filled(std::move(desc), name, shape, dtype));
    }

    void set(const char* name, int index, const expr::Ints& shape, const expr::DTypeValue& dtype) const {
        const auto part = static_cast<std::uint32_t>(index);
        ge::TensorDesc desc = op_.GetDynamicOutputDesc(name, part);
        op_.UpdateDynamicOutputDesc(name, part, filled(std::move(desc), name, shape, dtype));
    }

    // An output that is not there has no elements and no type.
    void set_absent(const char* name) const {
        ge::TensorDesc desc = op_.GetOutputDescByName(name);
        desc.SetShape(ge::Shape({0}));
        desc.SetOriginShape(ge::Shape({0}));
        desc.SetDataType(ge::DT_UNDEFINED);
        op_.UpdateOutputDesc(name, desc);
    }

    int parts(const char* name, const expr::Int& expected) const {
        const int count = op_.GetDynamicOutputNum(name);
        if (expected.known() && expected.value() != count) {
            throw expr::Error(std::string("output ") + name + " has " + std::to_string(count) +
                              " tensors, expected " + std::to_string(expected.value()));
        }
        return count;
    }

  private:
    static expr::DTypeValue make(ge::DataType dtype) {
        const auto known = opweld::expr::dtype_from_code(dtype);
        return known ? expr::DTypeValue(*known) : expr::DTypeValue();
    }

    static expr::Tensor make(const ge::TensorDesc& desc) {
        return {expr::from_ge(desc.GetShape().GetDims()), make(desc.GetDataType())};
    }

    template <class Item, class Values>
    static expr::List<Item> items(const Values& values) {
        std::vector<Item> result;
        for (const auto value : values) {
            result.emplace_back(value);
        }
        return result;
    }

    template <class T>
    T get(const char* name) const {
        T value{};
        if (op_.GetAttr(name, value) != ge::GRAPH_SUCCESS) {
            throw expr::Error(std::string("attribute ") + name + " is missing or has another type");
        }
        return value;
    }

    static ge::TensorDesc filled(ge::TensorDesc desc, const char* name, const expr::Ints& shape,
                                 const expr::DTypeValue& dtype) {
        if (!dtype.known()) {
            throw expr::Error(std::string("the dtype of output ") + name +
                              " follows from one that is not known");
        }
        desc.SetShape(ge::Shape(expr::to_ge(shape)));
        desc.SetOriginShape(ge::Shape(expr::to_ge(shape)));
        desc.SetDataType(static_cast<ge::DataType>(dtype.value()));
        return desc;
    }

    ge::Operator& op_;
};

// A shape of the same rank of which no size is known before the kernel has run.
inline expr::Ints unknown_sizes(const expr::Ints& largest) {
    return largest.known() ? expr::Ints(std::vector<expr::Int>(largest.size())) : expr::Ints();
}

// Calls an InferShape function's body. What is wrong is printed, as an error of a graph has no other way out.
template <class Body>
ge::graphStatus infer(const char* type, ge::Operator& op, const Body& body) {
    try {
        body(Call(op));
        return ge::GRAPH_SUCCESS;
    } catch (const std::exception& error) {
        ge::AscendString name;
        op.GetName(name);
        std::fprintf(stderr, "%s (%s): %s\n", name.GetString(), type, error.what());
        return ge::GRAPH_FAILED;
    }
}

}  // namespace opweld::prototype
