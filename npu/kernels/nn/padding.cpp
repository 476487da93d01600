#include "npu/kernels/nn/padding.h"

#include <algorithm>

namespace opweld::npu::kernels {

void constant_pad(const at::Tensor& self, at::IntArrayRef padding, const at::Scalar& value, at::Tensor& out) {
    out.fill_(value);
    at::Tensor from = self;
    at::Tensor to = out;
    for (size_t i = 0; i < padding.size() / 2; ++i) {
        const int64_t dim = self.dim() - 1 - static_cast<int64_t>(i);
        const int64_t before = padding[2 * i];
        const int64_t after = padding[2 * i + 1];
        const int64_t start = std::max<int64_t>(-before, 0);
        const int64_t kept = self.size(dim) - start - std::max<int64_t>(-after, 0);
        if (kept <= 0) {
            return;
        }
        from = from.narrow(dim, start, kept);
        to = to.narrow(dim, std::max<int64_t>(before, 0), kept);
    }
    to.copy_(from);
}

}  // namespace opweld::npu::kernels
