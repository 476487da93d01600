#include "npu/ge/operators/gated.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/clamp_max.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <algorithm>

#include "npu/ge/model/graph.h"

namespace opweld::npu::graph {

at::Tensor halved_form(const at::Tensor& x, int64_t dim) {
    if (dim < -x.dim() || dim >= x.dim() || x.size(dim) % 2 != 0) {
        throw GraphError(
            fmt::format("dimension {} of x {} cannot be halved", dim, shape_text(x.sizes().vec())));
    }
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes[static_cast<size_t>(dim < 0 ? dim + x.dim() : dim)] /= 2;
    return x.new_empty(sizes);
}

int64_t rotation_mode(int64_t mode) {
    if (mode < 0 || mode > 2) {
        throw GraphError(fmt::format("attribute 'mode' is {}; 0, 1 and 2 are supported", mode));
    }
    return mode;
}

at::Tensor clipped_unit(const at::Tensor& gate, const at::Tensor& value, const ClippedUnit& unit) {
    const at::Tensor g = at::clamp_max(gate, unit.limit);
    const at::Tensor v = at::clamp(value, -unit.limit, unit.limit);
    return g * at::sigmoid(g * unit.alpha) * (v + unit.bias);
}

at::Tensor clipped_swiglu(const at::Tensor& x, const std::optional<at::Tensor>& groups,
                          const ClippedUnit& unit) {
    const at::Tensor form = halved_form(x, unit.dim);
    int64_t columns = 1;
    for (int64_t i = unit.dim < 0 ? unit.dim + x.dim() : unit.dim; i < x.dim(); ++i) {
        columns *= x.size(i);
    }
    const at::Tensor rows = x.reshape({columns == 0 ? 0 : x.numel() / columns, columns}).to(at::kFloat);
    const int64_t used = groups ? std::min(groups->sum().item<int64_t>(), rows.size(0)) : rows.size(0);
    const at::Tensor part = rows.narrow(0, 0, used);
    const int64_t half = columns / 2;
    const at::Tensor gate = unit.interleaved ? part.slice(1, 0, columns, 2) : part.narrow(1, 0, half);
    const at::Tensor value = unit.interleaved ? part.slice(1, 1, columns, 2) : part.narrow(1, half, half);
    const at::Tensor y = at::zeros({rows.size(0), half}, rows.options());
    y.narrow(0, 0, used).copy_(clipped_unit(gate, value, unit));
    return y.reshape(form.sizes()).to(x.scalar_type());
}

}  // namespace opweld::npu::graph
