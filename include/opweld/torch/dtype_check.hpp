// Checks the element types of an operator's inputs against its spec. Lists of the spec pair up by position:
// the inputs' types must stand at one position together.
#pragma once

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "opweld/torch/tensors.hpp"

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
            TORCH_CHECK(remaining != 0, op_, ": ", name, " is ", dtype_name(tensor.scalar_type()),
                        ", which does not go together with ", first_name_, " of ", dtype_name(first_type_));
            together_ = remaining;
            if (first_name_ == nullptr) {
                first_name_ = name;
                first_type_ = tensor.scalar_type();
            }
        });
        return *this;
    }

  private:
    template <typename Input, typename Visit>
    static void each(const Input& input, const Visit& visit) {
        for_each_tensor(input, [&](const at::Tensor& tensor) {
            if (tensor.defined()) {
                visit(tensor);
            }
        });
    }

    // Bit n: the n-th accepted type is the tensor's.
    uint64_t positions(const char* name, const at::Tensor& tensor, Types accepted) const {
        uint64_t found = 0;
        uint64_t bit = 1;
        for (const at::ScalarType type : accepted) {
            found |= type == tensor.scalar_type() ? bit : 0;
            bit <<= 1;
        }
        TORCH_CHECK(found != 0, op_, ": ", name, " is ", dtype_name(tensor.scalar_type()), "; accepted are ",
                    list(accepted));
        return found;
    }

    static std::string dtype_name(at::ScalarType type) { return std::string(c10::getDtypeNames(type).first); }
    static std::string list(Types types) {
        std::string text;
        for (const at::ScalarType type : types) {
            text += (text.empty() ? "" : ", ") + dtype_name(type);
        }
        return text;
    }

    const char* op_;
    uint64_t together_ = ~uint64_t{0};
    const char* first_name_ = nullptr;
    at::ScalarType first_type_ = at::kFloat;
};

}  // namespace opweld::torch_support
