// Between the C interface and a kernel: reads the arguments of a call by position, and turns exceptions into
// the error code and text of kernel.h. Used by generated code; kernels see the struct that it fills.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "opweld/kernel.h"
#include "opweld/kernel/random.hpp"
#include "opweld/kernel/tensor_view.hpp"

namespace opweld {

// A number whose type is known at run time only.
struct Scalar {
    OpweldScalar value{};

    bool is_floating() const { return value.dtype == OPWELD_FLOAT64; }
    bool is_complex() const { return value.dtype == OPWELD_COMPLEX128; }
    bool is_bool() const { return value.dtype == OPWELD_BOOL; }
    // The number as T: real part of a complex one, integers of a floating one cut off.
    template <typename T>
    T to() const {
        if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
            const auto real = is_floating() || is_complex() ? value.real : static_cast<double>(value.integer);
            return T(static_cast<typename T::value_type>(real),
                     static_cast<typename T::value_type>(is_complex() ? value.imaginary : 0));
        } else {
            return is_floating() || is_complex() ? static_cast<T>(value.real) : static_cast<T>(value.integer);
        }
    }
};

class CallReader {
  public:
    // Throws unless the call is of this version and has these numbers of arguments.
    CallReader(const OpweldCall& call, size_t inputs, size_t attributes, size_t outputs) : call_(call) {
        if (call.abi != OPWELD_KERNEL_ABI) {
            throw std::runtime_error("the runner speaks version " + std::to_string(call.abi) +
                                     " of the kernel interface, this kernel version " +
                                     std::to_string(OPWELD_KERNEL_ABI) + ": rebuild the operator package");
        }
        if (call.input_count != inputs || call.attribute_count != attributes ||
            call.output_count != outputs) {
            throw std::runtime_error("called with " + std::to_string(call.input_count) + " inputs, " +
                                     std::to_string(call.attribute_count) + " attributes, " +
                                     std::to_string(call.output_count) + " outputs; expected " +
                                     std::to_string(inputs) + ", " + std::to_string(attributes) + ", " +
                                     std::to_string(outputs));
        }
    }

    TensorView input(size_t i) const { return TensorView(required_tensor(call_.inputs[i])); }
    std::optional<TensorView> optional_input(size_t i) const {
        return optional_view<TensorView>(call_.inputs[i]);
    }
    MutableTensorView mutable_input(size_t i) const {
        return MutableTensorView(required_tensor(call_.inputs[i]));
    }
    std::optional<MutableTensorView> optional_mutable_input(size_t i) const {
        return optional_view<MutableTensorView>(call_.inputs[i]);
    }
    std::vector<TensorView> input_list(size_t i) const { return views<TensorView>(call_.inputs[i]); }
    std::vector<MutableTensorView> mutable_input_list(size_t i) const {
        return views<MutableTensorView>(call_.inputs[i]);
    }
    std::optional<std::vector<TensorView>> optional_input_list(size_t i) const {
        if (call_.inputs[i].kind == OPWELD_KIND_NONE) {
            return std::nullopt;
        }
        return input_list(i);
    }
    std::optional<std::vector<MutableTensorView>> optional_mutable_input_list(size_t i) const {
        if (call_.inputs[i].kind == OPWELD_KIND_NONE) {
            return std::nullopt;
        }
        return mutable_input_list(i);
    }
    std::vector<std::optional<TensorView>> input_list_of_optionals(size_t i) const {
        return optional_views<TensorView>(call_.inputs[i]);
    }
    std::vector<std::optional<MutableTensorView>> mutable_input_list_of_optionals(size_t i) const {
        return optional_views<MutableTensorView>(call_.inputs[i]);
    }

    MutableTensorView output(size_t i) const { return MutableTensorView(required_tensor(call_.outputs[i])); }
    std::optional<MutableTensorView> optional_output(size_t i) const {
        return optional_view<MutableTensorView>(call_.outputs[i]);
    }
    std::vector<MutableTensorView> output_list(size_t i) const {
        return views<MutableTensorView>(call_.outputs[i]);
    }

    bool is_none(size_t i) const { return call_.attributes[i].kind == OPWELD_KIND_NONE; }
    bool boolean(size_t i) const { return attribute(i, OPWELD_KIND_BOOL).as.integer != 0; }
    int64_t integer(size_t i) const { return attribute(i, OPWELD_KIND_INT).as.integer; }
    double real(size_t i) const { return attribute(i, OPWELD_KIND_FLOAT).as.real; }
    int32_t dtype(size_t i) const { return static_cast<int32_t>(attribute(i, OPWELD_KIND_DTYPE).as.integer); }
    std::string_view string(size_t i) const { return attribute(i, OPWELD_KIND_STRING).as.string; }
    Scalar scalar(size_t i) const { return {attribute(i, OPWELD_KIND_SCALAR).as.scalar}; }
    std::span<const bool> booleans(size_t i) const { return list<bool>(attribute(i, OPWELD_KIND_BOOL_LIST)); }
    std::span<const int64_t> integers(size_t i) const {
        return list<int64_t>(attribute(i, OPWELD_KIND_INT_LIST));
    }
    std::span<const double> reals(size_t i) const {
        return list<double>(attribute(i, OPWELD_KIND_FLOAT_LIST));
    }

    // Two attributes each: seed and offset; all items and the lengths of the lists.
    RandomState random(size_t i) const {
        return {static_cast<uint64_t>(integer(i)), static_cast<uint64_t>(integer(i + 1))};
    }
    std::vector<std::span<const int64_t>> integer_lists(size_t i) const {
        return parts(integers(i), integers(i + 1));
    }
    std::vector<std::span<const double>> real_lists(size_t i) const {
        return parts(reals(i), integers(i + 1));
    }

  private:
    template <typename T>
    static std::vector<std::span<const T>> parts(std::span<const T> items, std::span<const int64_t> lengths) {
        std::vector<std::span<const T>> result;
        size_t first = 0;
        for (const int64_t length : lengths) {
            if (length < 0 || static_cast<size_t>(length) > items.size() - first) {
                throw std::runtime_error("a list of lists has lengths that do not fit its items");
            }
            result.push_back(items.subspan(first, static_cast<size_t>(length)));
            first += static_cast<size_t>(length);
        }
        return result;
    }
    static const OpweldTensor& required_tensor(const OpweldValue& value) {
        if (value.kind != OPWELD_KIND_TENSOR || value.as.tensor.defined == 0) {
            throw std::runtime_error("a tensor that must be there is absent");
        }
        return value.as.tensor;
    }
    template <typename View>
    static std::optional<View> optional_view(const OpweldValue& value) {
        if (value.kind == OPWELD_KIND_NONE ||
            (value.kind == OPWELD_KIND_TENSOR && value.as.tensor.defined == 0)) {
            return std::nullopt;
        }
        return View(required_tensor(value));
    }
    static std::span<const OpweldTensor> tensors(const OpweldValue& value) {
        if (value.kind != OPWELD_KIND_TENSOR_LIST) {
            throw std::runtime_error("a list of tensors is absent or is something else");
        }
        return {value.as.tensors.items, static_cast<size_t>(value.as.tensors.size)};
    }
    template <typename View>
    static std::vector<View> views(const OpweldValue& value) {
        std::vector<View> result;
        for (const OpweldTensor& tensor : tensors(value)) {
            if (tensor.defined == 0) {
                throw std::runtime_error("an element of a list of tensors is absent");
            }
            result.emplace_back(tensor);
        }
        return result;
    }
    template <typename View>
    static std::vector<std::optional<View>> optional_views(const OpweldValue& value) {
        std::vector<std::optional<View>> result;
        for (const OpweldTensor& tensor : tensors(value)) {
            result.push_back(tensor.defined == 0 ? std::nullopt : std::optional<View>(View(tensor)));
        }
        return result;
    }
    const OpweldValue& attribute(size_t i, OpweldValueKind kind) const {
        const OpweldValue& value = call_.attributes[i];
        if (value.kind != kind) {
            throw std::runtime_error("attribute " + std::to_string(i) + " has kind " +
                                     std::to_string(value.kind) + " instead of " + std::to_string(kind));
        }
        return value;
    }
    template <typename T>
    static std::span<const T> list(const OpweldValue& value) {
        return {static_cast<const T*>(value.as.list.items), static_cast<size_t>(value.as.list.size)};
    }

    const OpweldCall& call_;
};

// Longer messages of kernels are cut.
inline constexpr size_t longest_error = 1000;

// Writes `text` and a zero byte. A text that is cut ends, behind a whole character, with a note that says so,
// where there is room for one.
inline void write_error(char* error, size_t error_size, std::string_view text) noexcept {
    if (error_size == 0) {
        return;
    }
    constexpr std::string_view note = " ... (the message is longer and was cut)";
    size_t size = std::min(error_size - 1, longest_error);
    if (text.size() <= size || size < 2 * note.size()) {
        error[text.copy(error, size)] = '\0';
        return;
    }
    size -= std::min(size, note.size());
    while (size > 0 &&
           (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) {  // within a UTF-8 character
        --size;
    }
    text.copy(error, size);
    size += note.copy(error + size, error_size - 1 - size);
    error[size] = '\0';
}

// Runs `function(call)`; an exception becomes its text in `error` and the result 1.
template <typename Function>
int32_t guarded(const OpweldCall* call, char* error, size_t error_size, const Function& function) noexcept {
    try {
        function(*call);
        return 0;
    } catch (const std::exception& exception) {
        write_error(error, error_size, exception.what());
    } catch (...) {
        write_error(error, error_size, "the kernel threw something that is no std::exception");
    }
    return 1;
}

}  // namespace opweld
