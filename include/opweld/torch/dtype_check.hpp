// Checks the element types of an operator's inputs against its spec. Lists of the spec pair up by position: the
// inputs' types must stand at one position together.
#pragma once

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

namespace opweld::torch_support {

// One per call. Throws c10::Error with the operator, the argument, what it has and what is accepted.
class DTypeCheck {
  public:
    using Types = std::initializer_list<at::ScalarType>;

    explicit DTypeCheck(const char* op) : op_(op) {}

    // The input's type is one of these, whatever the others have.
    template <typename Input>
    DTypeCheck& independent(const char* name, const Input& input, Types accepted) {
        each(input, [&](const at::Tensor& tensor) { positions(name, tensor, accepted); });
        return *this;
    }

    // The input's type stands at one position with those of all other paired inputs.
    template <typename Input>
    DTypeCheck& paired(const char* name, const Input& input, Types accepted) {
        each(input, [&](const at::Tensor& tensor) {
            const uint64_t remaining = together_ & positions(name, tensor, accepted);
            TORCH_CHECK(remaining != 0, op_, ": ", name, " is ", tensor.scalar_type(),
                        ", which does not go together with ", first_name_, " of ", first_type_);
            together_ = remaining;
            if (first_name_ == nullptr) {
                first_name_ = name;
                first_type_ = tensor.scalar_type();
            }
        });
        return *this;
    }

  private:
    template <typename Visit>
    static void each(const at::Tensor& tensor, const Visit& visit) {
        if (tensor.defined()) {
            visit(tensor);
        }
    }
    template <typename Visit>
    static void each(const std::optional<at::Tensor>& tensor, const Visit& visit) {
        if (tensor.has_value()) {
            each(*tensor, visit);
        }
    }
    template <typename Visit>
    static void each(at::TensorList tensors, const Visit& visit) {
        for (const at::Tensor& tensor : tensors) {
            each(tensor, visit);
        }
    }
    template <typename Visit>
    static void each(const std::optional<std::vector<at::Tensor>>& tensors, const Visit& visit) {
        if (tensors.has_value()) {
            each(at::TensorList(*tensors), visit);
        }
    }
    template <typename Visit>
    static void each(const c10::List<std::optional<at::Tensor>>& tensors, const Visit& visit) {
        for (const std::optional<at::Tensor>& tensor : tensors) {
            each(tensor, visit);
        }
    }

    // Bit n: the n-th accepted type is the tensor's.
    uint64_t positions(const char* name, const at::Tensor& tensor, Types accepted) const {
        uint64_t found = 0;
        uint64_t bit = 1;
        for (const at::ScalarType type : accepted) {
            found |= type == tensor.scalar_type() ? bit : 0;
            bit <<= 1;
        }
        TORCH_CHECK(found != 0, op_, ": ", name, " is ", tensor.scalar_type(), "; accepted are ", list(accepted));
        return found;
    }

    static std::string list(Types types) {
        std::string text;
        for (const at::ScalarType type : types) {
            text += (text.empty() ? "" : ", ") + std::string(c10::toString(type));
        }
        return text;
    }

    const char* op_;
    uint64_t together_ = ~uint64_t{0};
    const char* first_name_ = nullptr;
    at::ScalarType first_type_ = at::kFloat;
};

}  // namespace opweld::torch_support
