#include "npu/kernels/index_range.h"

#include <ATen/ops/aminmax.h>
#include <fmt/format.h>

#include <tuple>

namespace opweld::npu::kernels {

at::Tensor checked_index(std::string_view name, const at::Tensor& index, int64_t size, Counted counted) {
    if (index.numel() == 0) {
        return index.to(at::kLong);
    }
    const at::Tensor result = repeated_part(index).to(at::kLong);
    const auto [least, greatest] = at::aminmax(result);
    const auto low = least.item<int64_t>();
    const auto high = greatest.item<int64_t>();
    const int64_t first = counted == Counted::from_both_ends ? -size : 0;
    if (low < first || high >= size) {
        throw AclException(361001, fmt::format("argument '{}' has the value {}, which is outside [{}, {})",
                                               name, low < first ? low : high, first, size));
    }
    return result.expand(index.sizes());
}

at::Tensor repeated_part(const at::Tensor& tensor) {
    at::Tensor part = tensor;
    for (int64_t dim = 0; dim < tensor.dim(); ++dim) {
        if (tensor.stride(dim) == 0 && tensor.size(dim) > 1) {
            part = part.narrow(dim, 0, 1);
        }
    }
    return part;
}

int64_t size_along(const at::Tensor& tensor, int64_t dim) { return tensor.dim() == 0 ? 1 : tensor.size(dim); }

}  // namespace opweld::npu::kernels
