#include "npu/ge/operators/indexing.h"

#include <ATen/core/List.h>
#include <ATen/ops/_embedding_bag.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/index.h>
#include <ATen/ops/scatter_reduce.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include "npu/ge/operators/kernel_call.h"
#include "npu/ge/operators/operator.h"
#include "npu/ge/operators/shapes.h"
#include "npu/kernels/index_range.h"

namespace opweld::npu::graph {
namespace {

at::Tensor counted_from_front(const at::Tensor& indices, int64_t size) {
    const at::Tensor wide = kernels::repeated_part(indices).to(at::kLong);
    return at::where(wide < 0, wide + size, wide).expand(indices.sizes());
}

// Throws ValueUnknown where the value of an input isn't known.
void need_values(const Call& call) {
    for (size_t i = 0; i < call.arguments().size(); ++i) {
        const Argument& argument = call.arguments()[i];
        for (size_t k = 0; k < argument.tensors.size(); ++k) {
            if (argument.tensors[k].is_meta() && !argument.values[k].defined()) {
                throw ValueUnknown(
                    fmt::format("node '{}' of type {}: the elements of input '{}' decide the shape of the "
                                "result, and are not known before the graph runs",
                                call.node().name, call.node().type, call.op().inputs[i].name),
                    argument.sources[k]);
            }
        }
    }
}

}  // namespace

at::Tensor gather_form(const at::Tensor& x, const at::Tensor& indices, int64_t axis, int64_t batch_dims) {
    const int64_t along = wrapped(axis, x.dim());
    const int64_t batches = batch_dims < 0 ? batch_dims + indices.dim() : batch_dims;
    std::vector<int64_t> sizes(x.sizes().begin(), x.sizes().begin() + along);
    sizes.insert(sizes.end(), indices.sizes().begin() + batches, indices.sizes().end());
    sizes.insert(sizes.end(), x.sizes().begin() + along + 1, x.sizes().end());
    return x.new_empty(sizes);
}

void gather_into(at::Tensor& y, const at::Tensor& x, const at::Tensor& indices, int64_t axis,
                 int64_t batch_dims) {
    const int64_t along = wrapped(axis, x.dim());
    const int64_t batches = batch_dims < 0 ? batch_dims + indices.dim() : batch_dims;
    if (batches > along) {
        throw GraphError(fmt::format("{} batch dimensions with the axis {}", batches, along));
    }
    if (batches > 0) {
        for (int64_t i = 0; i < x.size(0); ++i) {
            at::Tensor part = y[i];
            gather_into(part, x[i], indices[i], along - 1, batches - 1);
        }
        return;
    }
    std::vector<int64_t> flat(x.sizes().begin(), x.sizes().end());
    flat[static_cast<size_t>(along)] = indices.numel();
    at::Tensor rows = y.view(flat);
    run_kernel("IndexSelect", x, along, counted_from_front(indices, x.size(along)).reshape({-1}), rows);
}

at::Tensor gather_nd_form(const at::Tensor& x, const at::Tensor& indices) {
    const int64_t named = indices.size(-1);
    if (named > x.dim()) {
        throw GraphError(fmt::format("indices of {} dimensions for a tensor with {}", named, x.dim()));
    }
    std::vector<int64_t> sizes(indices.sizes().begin(), indices.sizes().end() - 1);
    sizes.insert(sizes.end(), x.sizes().begin() + named, x.sizes().end());
    return x.new_empty(sizes);
}

at::Tensor gather_nd(const at::Tensor& x, const at::Tensor& indices) {
    c10::List<std::optional<at::Tensor>> all;
    for (int64_t i = 0; i < indices.size(-1); ++i) {
        all.push_back(indices.select(-1, i).to(at::kLong));
    }
    return all.empty() ? x.expand(gather_nd_form(x, indices).sizes()).clone() : at::index(x, all);
}

at::Tensor index_by_tensors(Call& call, const at::Tensor& x, const std::vector<at::Tensor>& indices,
                            at::IntArrayRef mask) {
    c10::List<std::optional<at::Tensor>> all;
    size_t next = 0;
    const size_t count = mask.empty() ? indices.size() : mask.size();
    for (size_t i = 0; i < count; ++i) {
        if (!mask.empty() && mask[i] == 0) {
            all.push_back(std::nullopt);
            continue;
        }
        if (next == indices.size()) {
            call.refuse(fmt::format("its mask names more than its {} indices", indices.size()));
        }
        const at::Tensor& index = indices[next++];
        const bool is_mask = index.scalar_type() == at::kBool || index.scalar_type() == at::kByte;
        if (is_mask && index.is_meta()) {
            need_values(call);
        }
        all.push_back(is_mask || index.scalar_type() == at::kLong ? index : index.to(at::kLong));
    }
    return at::index(x, all).contiguous();
}

void scatter_elements_into(at::Tensor& y, const at::Tensor& data, const at::Tensor& indices,
                           const at::Tensor& updates, int64_t axis, const std::string& reduction) {
    static constexpr std::array<std::pair<std::string_view, int64_t>, 8> kReductions{
        {{"none", 0}, {"add", 1}, {"mul", 2}, {"amax", 3}, {"max", 3}, {"amin", 4}, {"min", 4}, {"mean", 5}}};
    const auto* const found =
        std::ranges::find(kReductions, reduction, &decltype(kReductions)::value_type::first);
    if (found == kReductions.end()) {
        throw GraphError(
            fmt::format("the reduction '{}' is none of: none, add, mul, amax, amin, mean", reduction));
    }
    const at::Tensor places =
        data.dim() == 0 ? indices : counted_from_front(indices, data.size(wrapped(axis, data.dim())));
    if (found->second == 0) {
        run_kernel("Scatter", data, axis, places, updates, found->second, y);
    } else if (found->second == 1) {
        run_kernel("ScatterAdd", data, axis, places, updates, y);
    } else {
        run_kernel("ScatterReduce", data, axis, places, updates, found->second, true, y);
    }
}

at::Tensor scatter_update(const at::Tensor& var, const at::Tensor& indices, const at::Tensor& updates,
                          int64_t axis, const std::string& reduce) {
    if (reduce != "update") {
        throw GraphError(fmt::format("the reduction '{}'; only update is supported", reduce));
    }
    run_kernel("InplaceScatterUpdate", var, indices, updates, axis);
    return var;
}

at::Tensor scatter_nd_update(const at::Tensor& var, const at::Tensor& indices, const at::Tensor& updates) {
    run_kernel("ScatterNdUpdate", var, indices, updates);
    return var;
}

at::Tensor view_copied(const at::Tensor& dst, const View& to, const at::Tensor& src, const View& from) {
    at::Tensor result = dst.clone(at::MemoryFormat::Contiguous);
    result.as_strided(to.size, to.stride, to.offset)
        .copy_(src.contiguous().as_strided(from.size, from.stride, from.offset));
    return result;
}

Results embedding_bags(Call& call, const at::Tensor& weight, const at::Tensor& indices,
                       const std::optional<at::Tensor>& offsets, const std::optional<at::Tensor>& weights,
                       const std::string& mode, bool scale_grad_by_freq, bool include_last_offset,
                       int64_t padding_idx) {
    static constexpr std::array<std::string_view, 3> kModes{"sum", "mean", "max"};
    const auto* const found = std::ranges::find(kModes, mode);
    if (found == kModes.end()) {
        call.refuse(fmt::format("the mode '{}' is none of: sum, mean, max", mode));
    }
    const int64_t number = found - kModes.begin();
    const at::ScalarType dtype = indices.scalar_type();
    at::Tensor flat = indices;
    at::Tensor starts;
    if (offsets) {
        starts = offsets->to(dtype);
    } else if (indices.dim() == 2) {
        starts = at::arange(0, indices.size(0), at::TensorOptions().dtype(dtype).device(indices.device())) *
                 indices.size(1);
        flat = indices.reshape({-1});
    } else {
        call.refuse("indices of one dimension need offsets");
    }
    const int64_t bags = starts.size(0) - (include_last_offset ? 1 : 0);
    Results outputs{weight.new_empty({bags, weight.size(1)}), starts.new_empty({flat.size(0)}),
                    starts.new_empty(starts.sizes()),
                    number == 2 ? starts.new_empty({bags, weight.size(1)}) : starts.new_empty({0})};
    if (!call.inferring()) {
        run_kernel("EmbeddingBag", weight, flat, starts, scale_grad_by_freq, number, false, weights,
                   include_last_offset, padding_idx, outputs[0], outputs[1], outputs[2], outputs[3]);
    }
    return outputs;
}

Results computed_if_known(Call& call) {
    need_values(call);
    std::vector<std::vector<at::Tensor>> kept;
    for (Argument& argument : call.arguments()) {
        kept.push_back(std::exchange(argument.tensors, argument.values));
    }
    Results results = call.op().compute(call);
    for (size_t i = 0; i < kept.size(); ++i) {
        call.arguments()[i].tensors = std::move(kept[i]);
    }
    return results;
}

std::vector<int64_t> one_hot_shape(const at::Tensor& x, int64_t depth, int64_t axis) {
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes.insert(sizes.begin() + wrapped(axis, x.dim() + 1), depth);
    return sizes;
}

}  // namespace opweld::npu::graph
