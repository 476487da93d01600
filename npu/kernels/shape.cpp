#include "npu/kernels/shape.h"

#include <ATen/ops/tril_cpu_dispatch.h>
#include <ATen/ops/triu_cpu_dispatch.h>

#include <algorithm>
#include <cstring>

#include "npu/kernels/parallel.h"

namespace opweld::npu::kernels {

void triangle(const at::Tensor& self, int64_t diagonal, bool upper, at::Tensor& out) {
    if (!self.is_contiguous() || !out.is_contiguous() || self.scalar_type() != out.scalar_type()) {
        if (upper) {
            at::cpu::triu_outf(self, diagonal, out);
        } else {
            at::cpu::tril_outf(self, diagonal, out);
        }
        return;
    }
    const int64_t rows = self.size(-2);
    const int64_t columns = self.size(-1);
    const int64_t all_rows = columns == 0 ? 0 : self.numel() / columns;
    const auto item = static_cast<int64_t>(self.itemsize());
    const auto* const from = static_cast<const char*>(self.const_data_ptr());
    auto* const to = static_cast<char*>(out.mutable_data_ptr());
    const int64_t shift = std::clamp(diagonal, -rows - 1, columns + 1) + (upper ? 0 : 1);
    const int64_t grain = std::max<int64_t>(1, 65536 / std::max<int64_t>(1, columns * item));
    parallel_for(0, all_rows, grain, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
            // The first column of the upper part, or the first one behind the lower part.
            const int64_t border = std::clamp<int64_t>(row % rows + shift, 0, columns);
            const int64_t kept = upper ? border : 0;
            const int64_t kept_end = upper ? columns : border;
            const int64_t start = row * columns;
            std::memset(to + start * item, 0, static_cast<size_t>(kept * item));
            std::memmove(to + (start + kept) * item, from + (start + kept) * item,
                         static_cast<size_t>((kept_end - kept) * item));
            std::memset(to + (start + kept_end) * item, 0, static_cast<size_t>((columns - kept_end) * item));
        }
    });
}

}  // namespace opweld::npu::kernels
