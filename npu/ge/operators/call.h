// What a graph operator's function gets: the inputs and attributes of one node, bound to its prototype.
//
// The same function serves twice. While shapes are inferred the tensors are Meta tensors, which have no data;
// when the graph runs they are CPU tensors over device memory. Numbers that decide a shape (axes, sizes) are
// read by integers(), integer() ... which look for the value of the input and say so where it is not known
// yet.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>
#include <c10/util/SmallVector.h>

#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "npu/ge/model/graph.h"

namespace opweld::npu::graph {

// The outputs of a node in the order of its prototype; undefined where the operator leaves one out.
using Results = c10::SmallVector<at::Tensor, 4>;

// The value of an input that decides a shape is not known while shapes are inferred.
class ValueUnknown : public GraphError {
  public:
    ValueUnknown(const std::string& what, Source source) : GraphError(what), source_(source) {}
    // What would have to be computed first.
    Source source() const noexcept { return source_; }

  private:
    Source source_;
};

// One input of the prototype: no tensor (left out), one, or, for a dynamic input, any number.
struct Argument {
    std::vector<at::Tensor> tensors;
    std::vector<at::Tensor> values;  // the CPU values of `tensors` where they are known, else undefined
    std::vector<Source> sources;
};

struct Operator;

class Call {
  public:
    Call(const Operator& op, const Node& node, std::vector<Argument> arguments,
         std::vector<Attribute> attributes)
        : operator_(&op),
          node_(&node),
          arguments_(std::move(arguments)),
          attributes_(std::move(attributes)) {}

    const at::Tensor& tensor(size_t input) const;
    std::optional<at::Tensor> optional_tensor(size_t input) const;
    const std::vector<at::Tensor>& tensors(size_t input) const { return arguments_[input].tensors; }
    bool fed(size_t input) const noexcept { return !arguments_[input].tensors.empty(); }

    // Values of small tensors of integers, or of one number.
    std::vector<int64_t> integers(size_t input) const;
    std::optional<std::vector<int64_t>> optional_integers(size_t input) const;
    int64_t integer(size_t input) const;
    at::Scalar number(size_t input) const;
    std::optional<at::Scalar> optional_number(size_t input) const;

    // Attributes, by their place in the prototype; the prototype's default where the node has none.
    int64_t integer_attribute(size_t attribute) const { return get<int64_t>(attribute); }
    double real_attribute(size_t attribute) const;
    bool bool_attribute(size_t attribute) const { return get<bool>(attribute); }
    const std::string& text_attribute(size_t attribute) const { return get<std::string>(attribute); }
    at::ScalarType dtype_attribute(size_t attribute) const;
    const std::vector<int64_t>& integers_attribute(size_t attribute) const {
        return get<std::vector<int64_t>>(attribute);
    }
    const std::vector<std::vector<int64_t>>& nested_attribute(size_t attribute) const {
        return get<std::vector<std::vector<int64_t>>>(attribute);
    }
    std::vector<double> reals_attribute(size_t attribute) const;
    const std::vector<bool>& bools_attribute(size_t attribute) const {
        return get<std::vector<bool>>(attribute);
    }
    const Constant& constant_attribute(size_t attribute) const { return get<Constant>(attribute); }

    // How many outputs the node has (a dynamic output has as many as its node says).
    size_t output_count() const noexcept { return node_->outputs.size(); }
    // The dtype that the node states for an output, or `otherwise` where it states none.
    at::ScalarType output_dtype(size_t output, at::ScalarType otherwise) const;

    // True while shapes are inferred.
    bool inferring() const noexcept { return inferring_; }
    void set_inferring(bool inferring) noexcept { inferring_ = inferring; }

    const Node& node() const noexcept { return *node_; }
    const Operator& op() const noexcept { return *operator_; }
    std::vector<Argument>& arguments() noexcept { return arguments_; }
    const std::vector<Argument>& arguments() const noexcept { return arguments_; }

    // Throws a GraphError that names the node.
    [[noreturn]] void refuse(const std::string& reason) const;

  private:
    template <class T>
    const T& get(size_t attribute) const {
        return std::get<T>(attributes_[attribute]);
    }
    at::Tensor value(size_t input) const;

    const Operator* operator_;
    const Node* node_;
    std::vector<Argument> arguments_;
    std::vector<Attribute> attributes_;
    bool inferring_ = false;
};

// What ATen's functions return, as results.
inline Results results(at::Tensor tensor) { return Results{std::move(tensor)}; }
inline Results results(Results all) { return all; }
inline Results results(const std::vector<at::Tensor>& tensors) { return {tensors.begin(), tensors.end()}; }
template <class... T>
Results results(std::tuple<T...> tensors) {
    return std::apply([](auto&... each) { return Results{at::Tensor(std::move(each))...}; }, tensors);
}

// An aclDataType number, as attributes like `dst_type` hold it, as ATen's type. Throws GraphError.
at::ScalarType dtype_of(int64_t number);

// The other way.
DataType dtype_number(at::ScalarType dtype);

// A Meta tensor of that dtype and shape.
at::Tensor meta_tensor(at::ScalarType dtype, at::IntArrayRef sizes);

}  // namespace opweld::npu::graph
