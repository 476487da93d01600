// Views of the tensors that a kernel is given. A view owns nothing: it is valid during the kernel's call
// only.
//
// TensorView does not know its element type; as<T>() gives a TypedView that does, after checking it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "opweld/kernel.h"
#include "opweld/kernel/dtype.hpp"

namespace opweld {

// "[2, 3]"
inline std::string shape_text(std::span<const int64_t> shape) {
    std::string text = "[";
    for (size_t i = 0; i < shape.size(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    }
    return text + "]";
}

// What both kinds of view have: shape and strides (in elements). Dimensions may be counted from the end:
// size(-1).
class ViewBase {
  public:
    explicit ViewBase(const OpweldTensor& tensor) : tensor_(tensor) {}

    int64_t ndim() const { return tensor_.ndim; }
    std::span<const int64_t> shape() const { return {tensor_.shape, static_cast<size_t>(tensor_.ndim)}; }
    std::span<const int64_t> strides() const { return {tensor_.strides, static_cast<size_t>(tensor_.ndim)}; }
    int64_t size(int64_t dim) const { return tensor_.shape[checked(dim)]; }
    int64_t stride(int64_t dim) const { return tensor_.strides[checked(dim)]; }

    int64_t numel() const {
        int64_t count = 1;
        for (const int64_t size : shape()) {
            count *= size;
        }
        return count;
    }

    // Elements lie in memory in row-major order without gaps.
    bool is_contiguous() const {
        if (numel() == 0) {
            return true;
        }
        int64_t expected = 1;
        for (int32_t dim = tensor_.ndim - 1; dim >= 0; --dim) {
            if (tensor_.shape[dim] != 1 && tensor_.strides[dim] != expected) {
                return false;
            }
            expected *= tensor_.shape[dim];
        }
        return true;
    }

    int32_t dtype() const { return tensor_.dtype; }
    const OpweldTensor& raw() const { return tensor_; }

  protected:
    OpweldTensor tensor_;

  private:
    int64_t checked(int64_t dim) const {
        const int64_t wrapped = dim < 0 ? dim + tensor_.ndim : dim;
        if (wrapped < 0 || wrapped >= tensor_.ndim) {
            throw std::out_of_range("dimension " + std::to_string(dim) + " of a tensor of shape " +
                                    shape_text(shape()));
        }
        return wrapped;
    }
};

// A view with its element type; `T` is const where the kernel may only read.
template <typename T>
class TypedView : public ViewBase {
  public:
    explicit TypedView(const OpweldTensor& tensor) : ViewBase(tensor) {}

    T* data() const { return static_cast<T*>(tensor_.data); }
    // The element at one index per dimension; not checked.
    template <typename... Index>
        requires(std::is_convertible_v<Index, int64_t> && ...)
    T& operator()(Index... index) const {
        int64_t offset = 0;
        [[maybe_unused]] size_t dim = 0;
        ((offset += static_cast<int64_t>(index) * tensor_.strides[dim++]), ...);
        return data()[offset];
    }
    T& at(std::span<const int64_t> index) const {
        int64_t offset = 0;
        for (size_t dim = 0; dim < index.size(); ++dim) {
            offset += index[dim] * tensor_.strides[dim];
        }
        return data()[offset];
    }
};

// A tensor that the kernel reads.
class TensorView : public ViewBase {
  public:
    using ViewBase::ViewBase;

    const void* data() const { return tensor_.data; }
    // Throws unless the elements are of type T.
    template <typename T>
    TypedView<const T> as() const {
        if (tensor_.dtype != dtype_of<T>) {
            throw std::invalid_argument("a tensor of " + dtype_name(tensor_.dtype) + " is read as " +
                                        dtype_name(dtype_of<T>) +
                                        "; its dtype is what the spec's `type` says");
        }
        return TypedView<const T>(tensor_);
    }
};

// A tensor that the kernel writes, or reads and writes.
class MutableTensorView : public ViewBase {
  public:
    using ViewBase::ViewBase;

    void* data() const { return tensor_.data; }
    template <typename T>
    TypedView<T> as() const {
        if (tensor_.dtype != dtype_of<T>) {
            throw std::invalid_argument("a tensor of " + dtype_name(tensor_.dtype) + " is written as " +
                                        dtype_name(dtype_of<T>) +
                                        "; its dtype is what the spec's `type` says");
        }
        return TypedView<T>(tensor_);
    }
    operator TensorView() const { return TensorView(tensor_); }  // NOLINT: reading is always allowed
};

}  // namespace opweld
