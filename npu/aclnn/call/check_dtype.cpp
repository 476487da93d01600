#include "npu/aclnn/call/check_dtype.h"

#include <fmt/format.h>

#include <algorithm>

#include "npu/aclnn/objects/boundary.h"

namespace opweld::npu::aclnn::check {

void has_dtype(const Operand& tensor, int32_t dtype) {
    if (tensor.dtype() != dtype) {
        invalid(fmt::format("argument '{}' has dtype {}, but argument 'dtype' is {}", tensor.name(),
                            dtype_name(tensor.dtype()), dtype_name(dtype)));
    }
}

void countable(std::initializer_list<Operand> tensors, const Number& number) {
    const bool booleans = std::ranges::all_of(
        tensors, [](const Operand& tensor) { return !tensor || tensor.dtype() == OPWELD_BOOL; });
    if (booleans && (!number || number.value().dtype == OPWELD_BOOL)) {
        const std::string_view name = tensors.size() > 0 ? tensors.begin()->name() : number.name();
        invalid(fmt::format("argument '{}' is bool, expected numbers", name));
    }
}

namespace {

void refuse_bool(std::string_view operation, std::string_view name, bool is_bool) {
    if (is_bool && (operation == "Sub" || operation == "Neg")) {
        invalid(fmt::format(
            "argument '{}' is bool, expected numbers: booleans have no differences, but logical_{}", name,
            operation == "Sub" ? "xor" : "not"));
    }
}

}  // namespace

void subtractable(std::string_view operation, std::initializer_list<Operand> tensors, const Number& number) {
    for (const Operand& tensor : tensors) {
        refuse_bool(operation, tensor.name(), tensor.dtype() == OPWELD_BOOL);
    }
    refuse_bool(operation, number.name(), number && number.value().dtype == OPWELD_BOOL);
}

void subtractable(std::string_view operation, const Operands& list) {
    for (size_t i = 0; i < list.size(); ++i) {
        subtractable(operation, {list[i]});
    }
}

void some_floating(std::initializer_list<Operand> tensors) {
    if (std::ranges::all_of(tensors, [](const Operand& tensor) { return is_integral(tensor.dtype()); })) {
        const Operand& first = *tensors.begin();
        invalid(fmt::format("argument '{}' is {}, expected floating-point numbers in one of the inputs",
                            first.name(), dtype_name(first.dtype())));
    }
}

void same_dtypes(const Operands& model, const Operands& list) {
    for (size_t i = 0; i < std::min(model.size(), list.size()); ++i) {
        same_dtype(model[i], list[i]);
    }
}

void hold_floating(const Operands& outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
        holds_floating(outputs[i]);
    }
}

void castables(std::span<const aclScalar* const> numbers, const Operands& outputs) {
    for (size_t i = 0; i < std::min(numbers.size(), outputs.size()); ++i) {
        castable(Number("scalars", numbers[i]), outputs[i]);
    }
}

void castables(const Operand& number, const Operands& outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
        castable({number}, outputs[i]);
    }
}

}  // namespace opweld::npu::aclnn::check
