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
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "opweld/torch/tensors.hpp"

namespace opweld::torch_support {

// The tensor inside a batched one, and its batch dimension; none where it is not batched.
struct Batched {
    at::Tensor value;
    std::optional<int64_t> dim;
};

// One vmap level of a call. The guard keeps the calls that the rule makes below this level.
class BatchedCall {
  public:
    BatchedCall() : BatchedCall(current_layer()) {}

    // The tensor inside, and its batch dimension at this level if it has one.
    Batched unwrap(const std::optional<at::Tensor>& tensor) const {
        return unwrap(tensor.value_or(at::Tensor()));
    }
    Batched unwrap(const at::Tensor& tensor) const {
        const auto* batched = tensor.defined() ? at::functorch::maybeGetBatchedImpl(tensor) : nullptr;
        if (batched == nullptr || batched->level() != level_) {
            return {tensor, std::nullopt};
        }
        return {batched->value(), batched->bdim()};
    }

    // Results with their batch dimension.
    at::Tensor wrap(const at::Tensor& tensor, int64_t dim) const {
        return tensor.defined() ? at::functorch::makeBatched(tensor, dim, level_) : tensor;
    }
    std::vector<at::Tensor> wrap(const std::vector<at::Tensor>& tensors, int64_t dim) const {
        std::vector<at::Tensor> wrapped;
        for (const at::Tensor& tensor : tensors) {
            wrapped.push_back(wrap(tensor, dim));
        }
        return wrapped;
    }
    template <typename T>
        requires std::is_arithmetic_v<T>
    T wrap(T value, int64_t /*dim*/) const {
        return value;
    }
    template <typename... Ts>
    std::tuple<Ts...> wrap(const std::tuple<Ts...>& results, int64_t dim) const {
        return std::apply([&](const Ts&... items) { return std::tuple<Ts...>(wrap(items, dim)...); },
                          results);
    }

    // Example i of a tensor.
    at::Tensor part(const Batched& batched, int64_t i) const {
        return batched.dim.has_value() ? batched.value.select(*batched.dim, i) : batched.value;
    }

    // The results of function(i) for every example, put together.
    template <typename Result, typename Function>
    Result each(const Function& function) const {
        std::vector<Result> results;
        for (int64_t i = 0; i < size_; ++i) {
            results.push_back(function(i));
        }
        TORCH_CHECK(!results.empty(), "vmap over a batch of size 0 needs the operator's own batching rule");
        return wrap(stack(results), 0);
    }

    // Lists are passed on as they are: none of their tensors may be batched.
    template <typename Input>
    void refuse_batched(const char* what, const Input& input) const {
        for_each_tensor(input, [&](const at::Tensor& tensor) {
            TORCH_CHECK_NOT_IMPLEMENTED(!unwrap(tensor).dim.has_value(), what,
                                        " is batched by vmap, which the "
                                        "operator's spec does not provide for lists");
        });
    }

  private:
    explicit BatchedCall(const at::functorch::DynamicLayer& layer)
        : level_(layer.layerId()),
          size_(layer.batchSize().guard_int(__FILE__, __LINE__)),
          guard_(c10::DispatchKey::FuncTorchBatched) {}
    static at::functorch::DynamicLayer current_layer() {
        auto layer = at::functorch::maybeCurrentDynamicLayer();
        TORCH_INTERNAL_ASSERT(layer.has_value());
        return *std::move(layer);
    }

    static at::Tensor stack(const std::vector<at::Tensor>& tensors) {
        return tensors.front().defined() ? at::stack(tensors) : at::Tensor();
    }
    static std::vector<at::Tensor> stack(const std::vector<std::vector<at::Tensor>>& lists) {
        std::vector<at::Tensor> stacked;
        for (size_t k = 0; k < lists.front().size(); ++k) {
            std::vector<at::Tensor> items;
            for (const std::vector<at::Tensor>& list : lists) {
                items.push_back(list.at(k));
            }
            stacked.push_back(stack(items));
        }
        return stacked;
    }
    template <typename T>
        requires std::is_arithmetic_v<T>
    static T stack(const std::vector<T>& values) {
        return values.front();
    }
    template <typename... Ts>
    static std::tuple<Ts...> stack(const std::vector<std::tuple<Ts...>>& results) {
        return stack_elements(results, std::index_sequence_for<Ts...>{});
    }
    template <typename... Ts, size_t... I>
    static std::tuple<Ts...> stack_elements(const std::vector<std::tuple<Ts...>>& results,
                                            std::index_sequence<I...> /*unused*/) {
        return {stack(column<I>(results))...};
    }
    template <size_t I, typename... Ts>
    static auto column(const std::vector<std::tuple<Ts...>>& results) {
        std::vector<std::tuple_element_t<I, std::tuple<Ts...>>> items;
        for (const std::tuple<Ts...>& result : results) {
            items.push_back(std::get<I>(result));
        }
        return items;
    }

    int64_t level_;
    int64_t size_;
    c10::impl::ExcludeDispatchKeyGuard guard_;
};

}  // namespace opweld::torch_support
