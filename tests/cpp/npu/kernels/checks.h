// Operands without memory, and the text that a check refuses them with.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "npu/aclnn/call/arguments.h"
#include "npu/runtime/interface.h"
#include "opweld/kernel.h"

namespace opweld::npu::aclnn::test {

// Owns the tensors of the operands it makes.
class Operands {
  public:
    Operand operator()(std::string_view name, std::vector<int64_t> shape, int32_t dtype = OPWELD_FLOAT32) {
        std::vector<int64_t> strides(shape.size(), 1);
        for (size_t i = shape.size(); i-- > 1;) {
            strides[i - 1] = strides[i] * shape[i];
        }
        tensors_.push_back(std::make_unique<aclTensor>(shape, dtype, strides, 0, 2, shape, nullptr));
        return {name, tensors_.back().get()};
    }

    static Operand none(std::string_view name) { return {name, nullptr}; }

  private:
    std::vector<std::unique_ptr<aclTensor>> tensors_;
};

// What the check says, or "" where it is content.
template <class F>
std::string refusal(F&& check) {
    try {
        std::forward<F>(check)();
    } catch (const AclException& error) {
        return error.what();
    }
    return "";
}

}  // namespace opweld::npu::aclnn::test
