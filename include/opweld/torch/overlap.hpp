// Refuses to write where elements share memory: a kernel would read what it has just written.
#pragma once

#include <ATen/MemoryOverlap.h>
#include <ATen/core/Tensor.h>

#include <vector>

#include "opweld/torch/tensors.hpp"

namespace opweld::torch_support {

// The arguments of one call, added one after the other; throws c10::Error with the operator's and the
// argument's name. As in PyTorch, a tensor that is written to may be the very tensor that is read, but not a
// part of it. Tensors whose sizes are symbolic have no memory to share. Not thread-safe.
class OverlapCheck {
  public:
    explicit OverlapCheck(const char* op) : op_(op) {}

    template <typename Tensors>
    OverlapCheck& written(const char* name, const Tensors& tensors) {
        return add(name, tensors, true);
    }
    template <typename Tensors>
    OverlapCheck& read(const char* name, const Tensors& tensors) {
        return add(name, tensors, false);
    }

  private:
    struct Argument {
        const char* name;
        at::Tensor tensor;
        bool written;
    };

    template <typename Tensors>
    OverlapCheck& add(const char* name, const Tensors& tensors, bool written) {
        for_each_tensor(tensors, [&](const at::Tensor& tensor) {
            if (tensor.defined() && !tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides()) {
                add_one({name, tensor, written});
            }
        });
        return *this;
    }

    void add_one(Argument argument) {
        TORCH_CHECK(!argument.written || at::has_internal_overlap(argument.tensor) != at::MemOverlap::Yes,
                    op_, ": unsupported operation: more than one element of ", argument.name,
                    ", which is written to, refers to a single memory location; clone() it before the call");
        for (const Argument& other : arguments_) {
            if (argument.written || other.written) {
                TORCH_CHECK(argument.tensor.is_meta() || other.tensor.is_meta() ||
                                at::get_overlap_status(argument.tensor, other.tensor) !=
                                    at::MemOverlapStatus::Partial,
                            op_, ": unsupported operation: some elements of ", other.name, " and ",
                            argument.name, " refer to a single memory location, and ",
                            (other.written ? other : argument).name,
                            " is written to; clone() one of them before the call");
            }
        }
        arguments_.push_back(argument);
    }

    const char* op_;
    std::vector<Argument> arguments_;
};

}  // namespace opweld::torch_support
