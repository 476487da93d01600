// The arguments of a kernel call, as ATen takes them. Built by whoever runs a kernel (aclnn, the graph
// engine), from memory that host code may touch. A value does not own arrays and strings: they live as long
// as the call.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/OptionalArrayRef.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace opweld::npu::kernels {

// One argument. Reading it as another kind than it holds throws std::bad_variant_access.
class Value {
  public:
    using Content =
        std::variant<std::monostate, at::Tensor, std::optional<at::Tensor>, std::vector<at::Tensor>,
                     at::Scalar, std::optional<at::Scalar>, std::vector<at::Scalar>, c10::ArrayRef<int64_t>,
                     c10::OptionalArrayRef<int64_t>, c10::ArrayRef<float>, c10::ArrayRef<bool>, int64_t,
                     double, bool, at::ScalarType, std::string_view>;

    Value() = default;
    template <class T>
        requires(!std::is_same_v<std::remove_cvref_t<T>, Value>)
    explicit Value(T&& content)  // NOLINT(bugprone-forwarding-reference-overload): not of a Value
        : content_(std::forward<T>(content)) {}

    template <class T, class... A>
    T& emplace(A&&... arguments) {
        return content_.emplace<T>(std::forward<A>(arguments)...);
    }

    at::Tensor& tensor() { return std::get<at::Tensor>(content_); }
    const std::optional<at::Tensor>& optional_tensor() {
        return std::get<std::optional<at::Tensor>>(content_);
    }
    std::vector<at::Tensor>& tensors() { return std::get<std::vector<at::Tensor>>(content_); }
    const at::Scalar& scalar() { return std::get<at::Scalar>(content_); }
    const std::optional<at::Scalar>& optional_scalar() {
        return std::get<std::optional<at::Scalar>>(content_);
    }
    const std::vector<at::Scalar>& scalars() { return std::get<std::vector<at::Scalar>>(content_); }
    at::IntArrayRef integers() { return std::get<c10::ArrayRef<int64_t>>(content_); }
    at::OptionalIntArrayRef optional_integers() { return std::get<c10::OptionalArrayRef<int64_t>>(content_); }
    c10::ArrayRef<float> floats() { return std::get<c10::ArrayRef<float>>(content_); }
    c10::ArrayRef<bool> bools() { return std::get<c10::ArrayRef<bool>>(content_); }
    int64_t integer() { return std::get<int64_t>(content_); }
    double real() { return std::get<double>(content_); }
    bool boolean() { return std::get<bool>(content_); }
    at::ScalarType dtype() { return std::get<at::ScalarType>(content_); }
    std::string_view string() { return std::get<std::string_view>(content_); }

    // The content, for code that walks all arguments.
    Content& content() noexcept { return content_; }

  private:
    Content content_;
};

}  // namespace opweld::npu::kernels
