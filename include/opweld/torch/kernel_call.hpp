// Runs a kernel of kernel.h on CPU tensors: what the generated CPU kernels are made of.
#pragma once

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>
#include <c10/util/SmallVector.h>

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opweld/kernel.h"
#include "opweld/torch/arguments.hpp"
#include "opweld/torch/types.hpp"

namespace opweld::torch_support {

// One call. Arguments are added in the order of the prototype; the tensors must outlive the object. Not
// thread-safe.
class KernelCall {
  public:
    explicit KernelCall(const char* op) : op_(op) {}

    KernelCall& input(const at::Tensor& tensor) {
        inputs_.push_back(value(tensor));
        return *this;
    }
    KernelCall& input(const std::optional<at::Tensor>& tensor) {
        inputs_.push_back(tensor.has_value() ? value(*tensor) : value(at::Tensor()));
        return *this;
    }
    KernelCall& input(at::TensorList tensors) {
        inputs_.push_back(value(tensors));
        return *this;
    }
    KernelCall& input(const std::optional<std::vector<at::Tensor>>& tensors) {
        inputs_.push_back(tensors.has_value() ? value(at::TensorList(*tensors)) : none());
        return *this;
    }
    KernelCall& input(const c10::List<std::optional<at::Tensor>>& tensors) {
        std::vector<OpweldTensor>& items = lists_.emplace_back();
        for (const std::optional<at::Tensor>& tensor : tensors) {
            items.push_back(raw(tensor.has_value() ? *tensor : at::Tensor()));
        }
        inputs_.push_back(list_of(items));
        return *this;
    }

    KernelCall& attribute(bool flag) { return integer(OPWELD_KIND_BOOL, flag ? 1 : 0); }
    KernelCall& attribute(int64_t number) { return integer(OPWELD_KIND_INT, number); }
    KernelCall& attribute(double number) {
        OpweldValue result = kind(OPWELD_KIND_FLOAT);
        result.as.real = number;
        attributes_.push_back(result);
        return *this;
    }
    KernelCall& attribute(std::string_view text) {
        OpweldValue result = kind(OPWELD_KIND_STRING);
        result.as.string = texts_.emplace_back(text).c_str();
        attributes_.push_back(result);
        return *this;
    }
    KernelCall& attribute(at::ScalarType type) { return integer(OPWELD_KIND_DTYPE, to_opweld(type)); }
    KernelCall& attribute(const at::Scalar& number) {
        OpweldValue result = kind(OPWELD_KIND_SCALAR);
        OpweldScalar& scalar = result.as.scalar;
        scalar = OpweldScalar{};
        if (number.isBoolean()) {
            scalar.dtype = OPWELD_BOOL;
            scalar.integer = number.toBool() ? 1 : 0;
        } else if (number.isIntegral(false)) {
            scalar.dtype = OPWELD_INT64;
            scalar.integer = number.toLong();
        } else if (number.isComplex()) {
            scalar.dtype = OPWELD_COMPLEX128;
            scalar.real = number.toComplexDouble().real();
            scalar.imaginary = number.toComplexDouble().imag();
        } else {
            scalar.dtype = OPWELD_FLOAT64;
            scalar.real = number.toDouble();
        }
        attributes_.push_back(result);
        return *this;
    }
    KernelCall& attribute(at::IntArrayRef numbers) {
        return list(OPWELD_KIND_INT_LIST, numbers.data(), numbers.size());
    }
    KernelCall& attribute(at::ArrayRef<double> numbers) {
        return list(OPWELD_KIND_FLOAT_LIST, numbers.data(), numbers.size());
    }
    KernelCall& attribute(at::ArrayRef<bool> flags) {
        return list(OPWELD_KIND_BOOL_LIST, flags.data(), flags.size());
    }
    KernelCall& attribute(const Flags& flags) {
        return attribute(at::ArrayRef<bool>(flags.data(), flags.size()));
    }
    KernelCall& attribute(const at::OptionalIntArrayRef& numbers) {
        return numbers.has_value() ? attribute(*numbers) : absent_attribute();
    }
    KernelCall& absent_attribute() {
        attributes_.push_back(none());
        return *this;
    }
    // Lists must outlive the call: pass named variables, or run() in the same statement.
    template <typename T>
    KernelCall& attribute(const std::vector<T>& items) {
        return attribute(at::ArrayRef<T>(items));
    }
    template <typename T>
    KernelCall& attribute(const std::optional<T>& optional) {
        return optional.has_value() ? attribute(*optional) : absent_attribute();
    }

    KernelCall& output(const at::Tensor& tensor) {
        outputs_.push_back(value(tensor));
        return *this;
    }
    KernelCall& output(const std::vector<at::Tensor>& tensors) {
        outputs_.push_back(value(at::TensorList(tensors)));
        return *this;
    }

    // Throws c10::Error with the operator's name and the kernel's sentence.
    void run(OpweldKernelFunction kernel) const {
        const OpweldCall call{OPWELD_KERNEL_ABI,
                              0,
                              op_,
                              inputs_.data(),
                              inputs_.size(),
                              attributes_.data(),
                              attributes_.size(),
                              outputs_.data(),
                              outputs_.size()};
        std::array<char, 1024> error{};
        const int32_t status = kernel(&call, error.data(), error.size());
        TORCH_CHECK(status == 0, op_, ": ", error.data());
    }

  private:
    static OpweldValue kind(OpweldValueKind kind) {
        OpweldValue result{};
        result.kind = kind;
        return result;
    }
    static OpweldValue none() { return kind(OPWELD_KIND_NONE); }
    static OpweldTensor raw(const at::Tensor& tensor) {
        if (!tensor.defined()) {
            return {};
        }
        return {tensor.numel() == 0 ? nullptr : tensor.data_ptr(),
                tensor.sizes().data(),
                tensor.strides().data(),
                static_cast<int32_t>(tensor.dim()),
                to_opweld(tensor.scalar_type()),
                1,
                0};
    }
    static OpweldValue value(const at::Tensor& tensor) {
        OpweldValue result = kind(OPWELD_KIND_TENSOR);
        result.as.tensor = raw(tensor);
        return result;
    }
    static OpweldValue list_of(const std::vector<OpweldTensor>& items) {
        OpweldValue result = kind(OPWELD_KIND_TENSOR_LIST);
        result.as.tensors = {items.data(), static_cast<int64_t>(items.size())};
        return result;
    }
    OpweldValue value(at::TensorList tensors) {
        std::vector<OpweldTensor>& items = lists_.emplace_back();
        for (const at::Tensor& tensor : tensors) {
            items.push_back(raw(tensor));
        }
        return list_of(items);
    }
    KernelCall& integer(OpweldValueKind which, int64_t number) {
        OpweldValue result = kind(which);
        result.as.integer = number;
        attributes_.push_back(result);
        return *this;
    }
    KernelCall& list(OpweldValueKind which, const void* items, size_t size) {
        OpweldValue result = kind(which);
        result.as.list = {items, static_cast<int64_t>(size)};
        attributes_.push_back(result);
        return *this;
    }

    const char* op_;
    c10::SmallVector<OpweldValue, 4> inputs_;
    c10::SmallVector<OpweldValue, 4> attributes_;
    c10::SmallVector<OpweldValue, 2> outputs_;
    std::deque<std::vector<OpweldTensor>> lists_;  // addresses must stay
    std::deque<std::string> texts_;
};

}  // namespace opweld::torch_support
