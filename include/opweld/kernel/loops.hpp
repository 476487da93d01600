// Loops over strided tensors: element by element, and copies to and from contiguous memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "opweld/kernel/tensor_view.hpp"

namespace opweld {

namespace detail {

// Strides of `tensor` read as a tensor of `shape`: broadcast dimensions get stride 0.
inline std::vector<int64_t> broadcast_strides(const ViewBase& tensor, std::span<const int64_t> shape) {
    const auto lead = static_cast<int64_t>(shape.size()) - tensor.ndim();
    std::vector<int64_t> strides(shape.size(), 0);
    bool fits = lead >= 0;
    for (int64_t dim = 0; fits && dim < tensor.ndim(); ++dim) {
        if (tensor.size(dim) == shape[static_cast<size_t>(lead + dim)]) {
            strides[static_cast<size_t>(lead + dim)] = tensor.stride(dim);
        } else {
            fits = tensor.size(dim) == 1;
        }
    }
    if (!fits) {
        throw std::invalid_argument("a tensor of shape " + shape_text(tensor.shape()) +
                                    " does not broadcast to " + shape_text(shape) +
                                    "; the result's shape is what the spec's output_desc says (opweld verify "
                                    "holds it against the reference)");
    }
    return strides;
}

// Calls visit(offset_0, …, offset_N-1, count, step_0, …) as arrays, once for each run along the last
// dimension.
template <size_t N, typename Visit>
void for_each_run(std::span<const int64_t> shape, const std::array<std::vector<int64_t>, N>& strides,
                  Visit&& visit) {
    std::array<int64_t, N> offsets{};
    std::array<int64_t, N> steps{};
    if (shape.empty()) {
        visit(offsets, int64_t{1}, steps);
        return;
    }
    for (const int64_t size : shape) {
        if (size == 0) {
            return;
        }
    }
    const size_t last = shape.size() - 1;
    for (size_t n = 0; n < N; ++n) {
        steps[n] = strides[n][last];
    }
    std::vector<int64_t> index(shape.size(), 0);
    while (true) {
        visit(offsets, shape[last], steps);
        size_t dim = last;
        while (dim > 0) {
            --dim;
            for (size_t n = 0; n < N; ++n) {
                offsets[n] += strides[n][dim];
            }
            if (++index[dim] < shape[dim]) {
                break;
            }
            for (size_t n = 0; n < N; ++n) {
                offsets[n] -= strides[n][dim] * shape[dim];
            }
            index[dim] = 0;
            if (dim == 0) {
                return;
            }
        }
        if (last == 0) {
            return;
        }
    }
}

}  // namespace detail

// out[i] = function(inputs[i]...) for every element; inputs are broadcast to out's shape. The output may be
// one of the inputs itself, but must not overlap one otherwise.
template <typename Out, typename Function, typename... In>
void elementwise(const TypedView<Out>& out, const Function& function, const TypedView<In>&... inputs) {
    constexpr size_t count = sizeof...(In) + 1;
    const bool flat =
        out.is_contiguous() &&
        ((inputs.is_contiguous() && inputs.numel() == out.numel() && inputs.ndim() == out.ndim()) && ...);
    if (flat) {
        const int64_t total = out.numel();
        Out* target = out.data();
        [&](In*... source) {
            for (int64_t i = 0; i < total; ++i) {
                target[i] = static_cast<Out>(function(source[i]...));
            }
        }(inputs.data()...);
        return;
    }
    const std::array<std::vector<int64_t>, count> strides{detail::broadcast_strides(out, out.shape()),
                                                          detail::broadcast_strides(inputs, out.shape())...};
    detail::for_each_run<count>(
        out.shape(), strides, [&](const auto& offsets, int64_t run, const auto& steps) {
            [&]<size_t... I>(std::index_sequence<I...> /*unused*/) {
                Out* target = out.data() + offsets[0];
                for (int64_t i = 0; i < run; ++i) {
                    target[i * steps[0]] =
                        static_cast<Out>(function((inputs.data() + offsets[I + 1])[i * steps[I + 1]]...));
                }
            }(std::make_index_sequence<sizeof...(In)>{});
        });
}

// Copies element by element, converting; the source is broadcast to the target's shape.
template <typename To, typename From>
void copy(const TypedView<To>& target, const TypedView<From>& source) {
    elementwise(target, [](const From& value) { return static_cast<To>(value); }, source);
}

// The elements of a tensor in row-major order: the tensor's own memory where it is contiguous, else a copy
// that this object owns. From a TensorView it throws unless the elements are of type T.
template <typename T>
class Contiguous {
  public:
    explicit Contiguous(const TensorView& source) : Contiguous(source.as<T>()) {}
    explicit Contiguous(const TypedView<const T>& source) : data_(source.data()) {
        if (!source.is_contiguous()) {
            const auto total = static_cast<size_t>(source.numel());
            owned_ = std::make_unique<T[]>(total);  // NOLINT: std::vector<bool> has no elements to point at
            std::vector<int64_t> strides(source.shape().size());
            int64_t step = 1;
            for (size_t dim = strides.size(); dim-- > 0; step *= source.shape()[dim]) {
                strides[dim] = step;
            }
            OpweldTensor target = source.raw();
            target.data = owned_.get();
            target.strides = strides.data();
            copy(TypedView<T>(target), source);
            data_ = owned_.get();
        }
    }
    const T* data() const { return data_; }
    const T& operator[](int64_t i) const { return data_[i]; }

  private:
    const T* data_;
    std::unique_ptr<T[]> owned_;  // NOLINT: as above
};

// Row-major memory to write a tensor's elements to: the tensor's own where it is contiguous, else a buffer
// that commit() copies to the tensor. Contents are undefined at first.
template <typename T>
class ContiguousOutput {
  public:
    explicit ContiguousOutput(const MutableTensorView& target) : ContiguousOutput(target.as<T>()) {}
    explicit ContiguousOutput(const TypedView<T>& target) : target_(target), data_(target.data()) {
        if (!target.is_contiguous()) {
            owned_ = std::make_unique<T[]>(static_cast<size_t>(target.numel()));  // NOLINT: as in Contiguous
            data_ = owned_.get();
        }
    }
    T* data() const { return data_; }
    T& operator[](int64_t i) const { return data_[i]; }
    void commit() const {
        if (owned_ == nullptr) {
            return;
        }
        std::vector<int64_t> strides(target_.shape().size());
        int64_t step = 1;
        for (size_t dim = strides.size(); dim-- > 0; step *= target_.shape()[dim]) {
            strides[dim] = step;
        }
        OpweldTensor source = target_.raw();
        source.data = owned_.get();
        source.strides = strides.data();
        copy(target_, TypedView<const T>(source));
    }

  private:
    TypedView<T> target_;
    T* data_;
    std::unique_ptr<T[]> owned_;  // NOLINT: as in Contiguous
};

}  // namespace opweld
