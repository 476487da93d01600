// The arguments of a first phase, with their names: what checks work on.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "npu/aclnn/call/function.h"

namespace opweld::npu::aclnn {

// A tensor argument and its name. Absent optional tensors have no tensor.
class Operand {
  public:
    Operand(std::string_view name, const aclTensor* tensor) noexcept : name_(name), tensor_(tensor) {}

    explicit operator bool() const noexcept { return tensor_ != nullptr; }
    std::string_view name() const noexcept { return name_; }
    std::span<const int64_t> shape() const noexcept { return tensor_->shape(); }
    int64_t rank() const noexcept { return static_cast<int64_t>(tensor_->shape().size()); }
    int64_t size(int64_t dim) const noexcept { return tensor_->shape()[static_cast<size_t>(dim)]; }
    int64_t elements() const noexcept { return tensor_->elements(); }
    int32_t dtype() const noexcept { return tensor_->dtype(); }
    const aclTensor& tensor() const noexcept { return *tensor_; }

  private:
    std::string_view name_;
    const aclTensor* tensor_;
};

// A list of tensors and its name.
class Operands {
  public:
    Operands(std::string_view name, std::span<const aclTensor* const> items) noexcept
        : name_(name), items_(items) {}

    Operands(std::string_view name, const aclTensor* single) noexcept : name_(name), single_(single) {}

    std::string_view name() const noexcept { return name_; }
    size_t size() const noexcept { return single_ != nullptr ? 1 : items_.size(); }
    Operand operator[](size_t i) const noexcept { return {name_, single_ != nullptr ? single_ : items_[i]}; }

  private:
    std::string_view name_;
    const aclTensor* single_ = nullptr;
    std::span<const aclTensor* const> items_;
};

// A scalar argument and its name; absent where it is optional.
class Number {
  public:
    Number(std::string_view name, const aclScalar* scalar) noexcept : name_(name), scalar_(scalar) {}

    explicit operator bool() const noexcept { return scalar_ != nullptr; }
    std::string_view name() const noexcept { return name_; }
    const OpweldScalar& value() const noexcept { return scalar_->value; }

  private:
    std::string_view name_;
    const aclScalar* scalar_;
};

// All arguments of a call. Objects of required parameters are known to be there.
class Arguments {
  public:
    Arguments(const Function& function, std::span<const Slot> slots) noexcept
        : function_(function), slots_(slots) {}

    const Function& function() const noexcept { return function_; }
    Operand tensor(size_t i) const noexcept { return {function_.parameters[i].name, object<aclTensor>(i)}; }
    Operands tensors(size_t i) const noexcept {
        const auto* list = object<aclTensorList>(i);
        return {function_.parameters[i].name,
                list == nullptr ? std::span<const aclTensor* const>() : list->items()};
    }
    // The tensors of any argument: one, those of a list, or none.
    Operands all_tensors(size_t i) const noexcept {
        const Parameter& parameter = function_.parameters[i];
        if (parameter.kind == Kind::Tensor && slots_[i].object != nullptr) {
            return {parameter.name, object<aclTensor>(i)};
        }
        return parameter.kind == Kind::TensorList
                   ? tensors(i)
                   : Operands(parameter.name, std::span<const aclTensor* const>());
    }
    Number scalar(size_t i) const noexcept { return {function_.parameters[i].name, object<aclScalar>(i)}; }
    std::span<const aclScalar* const> scalars(size_t i) const noexcept {
        return object<aclScalarList>(i)->items();
    }
    std::span<const int64_t> integers(size_t i) const noexcept { return values<aclIntArray, int64_t>(i); }
    std::span<const float> floats(size_t i) const noexcept { return values<aclFloatArray, float>(i); }
    std::span<const bool> bools(size_t i) const noexcept { return values<aclBoolArray, bool>(i); }
    int64_t integer(size_t i) const noexcept { return slots_[i].integer; }
    double real(size_t i) const noexcept { return slots_[i].real; }
    bool boolean(size_t i) const noexcept { return slots_[i].integer != 0; }
    std::string_view string(size_t i) const noexcept { return slots_[i].string; }

    template <class T>
    const T* object(size_t i) const noexcept {
        return static_cast<const T*>(slots_[i].object);
    }

  private:
    template <class A, class T>
    std::span<const T> values(size_t i) const noexcept {
        const auto* array = object<A>(i);
        return array == nullptr ? std::span<const T>() : array->values();
    }

    const Function& function_;
    std::span<const Slot> slots_;
};

}  // namespace opweld::npu::aclnn
