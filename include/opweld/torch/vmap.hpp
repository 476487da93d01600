// Batching rules: what generated kernels for torch.vmap are made of.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/DynamicLayer.h>
#include <ATen/ops/movedim.h>
#include <ATen/ops/select.h>
#include <ATen/ops/stack.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <cstdint>
#include <optional>
#include <utility>

namespace opweld::torch_support {

// One vmap level of a call. The guard keeps the calls that the rule makes below this level.
class BatchedCall {
  public:
    BatchedCall() : level_(current_level()), guard_(c10::DispatchKey::FuncTorchBatched) {}

    int64_t level() const { return level_; }

    // The tensor inside, and its batch dimension at this level if it has one.
    std::pair<at::Tensor, std::optional<int64_t>> unwrap(const at::Tensor& tensor) const {
        const auto* batched = tensor.defined() ? at::functorch::maybeGetBatchedImpl(tensor) : nullptr;
        if (batched == nullptr || batched->level() != level_) {
            return {tensor, std::nullopt};
        }
        return {batched->value(), batched->bdim()};
    }

    at::Tensor wrap(const at::Tensor& tensor, int64_t dim) const {
        return tensor.defined() ? at::functorch::makeBatched(tensor, dim, level_) : tensor;
    }

  private:
    static int64_t current_level() {
        const auto layer = at::functorch::maybeCurrentDynamicLayer();
        TORCH_INTERNAL_ASSERT(layer.has_value());
        return layer->layerId();
    }

    int64_t level_;
    c10::impl::ExcludeDispatchKeyGuard guard_;
};

}  // namespace opweld::torch_support
