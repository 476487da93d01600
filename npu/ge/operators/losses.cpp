#include "npu/ge/operators/losses.h"

#include <ATen/ops/ones.h>
#include <fmt/format.h>

#include "npu/ge/model/graph.h"

namespace opweld::npu::graph {

int64_t reduction_number(std::string_view reduction) {
    if (reduction == "none") {
        return 0;
    }
    if (reduction == "mean") {
        return 1;
    }
    if (reduction == "sum") {
        return 2;
    }
    throw GraphError(fmt::format("the reduction '{}'; it is none, mean or sum", reduction));
}

at::Tensor loss_form(const at::Tensor& x, at::IntArrayRef elements, std::string_view reduction) {
    return x.new_empty(reduction_number(reduction) == 0 ? elements : at::IntArrayRef{});
}

at::Tensor class_weights(const std::optional<at::Tensor>& weight, const at::Tensor& x) {
    return weight ? *weight : at::ones({x.size(-1)}, x.options());
}

}  // namespace opweld::npu::graph
