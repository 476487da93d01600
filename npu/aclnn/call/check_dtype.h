// Checks of dtypes that some families need.
#pragma once

#include <initializer_list>
#include <string_view>

#include "npu/aclnn/call/check.h"

namespace opweld::npu::aclnn::check {

// The tensor has the dtype that argument 'dtype' says.
void has_dtype(const Operand& tensor, int32_t dtype);

// Not all are booleans, which have no remainders, shifts and the like.
void countable(std::initializer_list<Operand> tensors, const Number& number = Number("", nullptr));

// Of "Sub" and "Neg": no input is bool. Other operations take booleans.
void subtractable(std::string_view operation, std::initializer_list<Operand> tensors,
                  const Number& number = Number("", nullptr));
void subtractable(std::string_view operation, const Operands& list);

// At least one has floating-point numbers.
void some_floating(std::initializer_list<Operand> tensors);

// Item by item.
void same_dtypes(const Operands& model, const Operands& list);

// The list holds quotients and roots: floating-point results.
void hold_floating(const Operands& outputs);

// Items of a list of numbers, and of a tensor with one number, can be stored in the outputs.
void castables(std::span<const aclScalar* const> numbers, const Operands& outputs);
void castables(const Operand& number, const Operands& outputs);

}  // namespace opweld::npu::aclnn::check
