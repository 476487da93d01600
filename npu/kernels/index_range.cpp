#include "npu/kernels/index_range.h"

#include <ATen/ops/aminmax.h>
#include <fmt/format.h>

#include <tuple>

#include "npu/runtime/interface.h"

namespace opweld::npu::kernels {

at::Tensor checked_index(std::string_view name, const at::Tensor& index, int64_t size, Counted counted) {
    at::Tensor result = index.to(at::kLong);
    if (result.numel() == 0) {
        return result;
    }
    const auto [least, greatest] = at::aminmax(result);
    const auto low = least.item<int64_t>();
    const auto high = greatest.item<int64_t>();
    const int64_t first = counted == Counted::from_both_ends ? -size : 0;
    if (low < first || high >= size) {
        throw AclException(361001, fmt::format("argument '{}' has the value {}, which is outside [{}, {})",
                                               name, low < first ? low : high, first, size));
    }
    return result;
}

int64_t size_along(const at::Tensor& tensor, int64_t dim) { return tensor.dim() == 0 ? 1 : tensor.size(dim); }

}  // namespace opweld::npu::kernels
