#include "npu/ge/operators/call.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include "npu/ge/operators/operator.h"
#include "npu/kernels/tensor.h"
#include "npu/runtime/dtypes.h"

namespace opweld::npu::graph {
namespace {

std::vector<int64_t> to_integers(const at::Tensor& value) {
    const at::Tensor wide = value.to(at::kLong).contiguous();
    const auto* first = wide.const_data_ptr<int64_t>();
    return {first, first + wide.numel()};
}

}  // namespace

at::ScalarType dtype_of(int64_t number) {
    try {
        return kernels::scalar_type(static_cast<int32_t>(number));
    } catch (const AclException& error) {
        throw GraphError(error.what());
    }
}

at::Tensor meta_tensor(at::ScalarType dtype, at::IntArrayRef sizes) {
    return at::empty(sizes, at::TensorOptions().dtype(dtype).device(at::kMeta));
}

DataType dtype_number(at::ScalarType dtype) {
    for (const DtypeFacts& known : kDtypes) {
        if (known.computed && dtype_of(known.number) == dtype) {
            return {known.number};
        }
    }
    throw GraphError(fmt::format("{} has no aclDataType", c10::toString(dtype)));
}

void Call::refuse(const std::string& reason) const {
    throw GraphError(fmt::format("node '{}' of type {}: {}", node_->name, node_->type, reason));
}

const at::Tensor& Call::tensor(size_t input) const {
    if (arguments_[input].tensors.empty()) {
        refuse(fmt::format("input '{}' is needed, but left out", operator_->inputs[input].name));
    }
    return arguments_[input].tensors.front();
}

std::optional<at::Tensor> Call::optional_tensor(size_t input) const {
    const auto& tensors = arguments_[input].tensors;
    return tensors.empty() ? std::nullopt : std::optional(tensors.front());
}

at::Tensor Call::value(size_t input) const {
    const Argument& argument = arguments_[input];
    const at::Tensor& given = tensor(input);
    if (!argument.values.empty() && argument.values.front().defined()) {
        return argument.values.front();
    }
    if (given.is_meta()) {
        throw ValueUnknown(
            fmt::format("node '{}' of type {}: the value of input '{}' decides the shape of the result, "
                        "and is not known before the graph runs",
                        node_->name, node_->type, operator_->inputs[input].name),
            argument.sources.front());
    }
    return given;
}

std::vector<int64_t> Call::integers(size_t input) const { return to_integers(value(input)); }

std::optional<std::vector<int64_t>> Call::optional_integers(size_t input) const {
    return fed(input) ? std::optional(integers(input)) : std::nullopt;
}

int64_t Call::integer(size_t input) const {
    const auto all = integers(input);
    if (all.size() != 1) {
        refuse(fmt::format("input '{}' has {} elements; it is one number", operator_->inputs[input].name,
                           all.size()));
    }
    return all.front();
}

at::Scalar Call::number(size_t input) const {
    const at::Tensor one = value(input);
    if (one.numel() != 1) {
        refuse(fmt::format("input '{}' has {} elements; it is one number", operator_->inputs[input].name,
                           one.numel()));
    }
    return one.item();
}

std::optional<at::Scalar> Call::optional_number(size_t input) const {
    return fed(input) ? std::optional(number(input)) : std::nullopt;
}

double Call::real_attribute(size_t attribute) const { return static_cast<double>(get<float>(attribute)); }

std::vector<double> Call::reals_attribute(size_t attribute) const {
    const auto& reals = get<std::vector<float>>(attribute);
    return {reals.begin(), reals.end()};
}

at::ScalarType Call::dtype_attribute(size_t attribute) const {
    return dtype_of(get<DataType>(attribute).number);
}

at::ScalarType Call::output_dtype(size_t output, at::ScalarType otherwise) const {
    if (output >= node_->outputs.size() || node_->outputs[output].dtype.number == kUndefinedType) {
        return otherwise;
    }
    return dtype_of(node_->outputs[output].dtype.number);
}

}  // namespace opweld::npu::graph
