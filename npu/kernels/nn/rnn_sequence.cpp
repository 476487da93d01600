#include "npu/kernels/nn/rnn_sequence.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mm.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels::rnn {

Steps::Steps(std::vector<int64_t> counts, int64_t batch, bool backwards)
    : counts_(std::move(counts)), batch_(batch), backwards_(backwards) {}

at::Tensor Steps::rows(const at::Tensor& flat, int64_t time) const {
    return flat.narrow(0, time * batch_, count(time));
}

at::Tensor Steps::before(const at::Tensor& flat, const at::Tensor& start, int64_t number) const {
    const int64_t rows_now = count(time(number));
    if (number == 0) {
        return start.narrow(0, 0, rows_now);
    }
    const int64_t earlier = time(number - 1);
    const int64_t shared = std::min(rows_now, count(earlier));
    const at::Tensor state = flat.narrow(0, earlier * batch_, shared);
    return shared == rows_now ? state : at::cat({state, start.narrow(0, shared, rows_now - shared)}, 0);
}

Extent extent(const at::Tensor& input, const std::optional<at::Tensor>& batch_sizes, bool batch_first) {
    if (!batch_sizes.has_value() || batch_sizes->numel() == 0) {
        const int64_t times = input.size(batch_first ? 1 : 0);
        const int64_t batch = input.size(batch_first ? 0 : 1);
        return {times, batch, std::vector<int64_t>(static_cast<size_t>(times), batch)};
    }
    const at::Tensor sizes = batch_sizes->to(at::kLong).contiguous();
    const auto* first = sizes.const_data_ptr<int64_t>();
    std::vector<int64_t> counts(first, first + sizes.numel());
    const auto times = static_cast<int64_t>(counts.size());
    const int64_t rows = input.dim() == 2 ? input.size(0) : input.size(0) * input.size(1);
    if (rows % times != 0 || counts.back() < 1 || counts.front() > rows / times ||
        !std::ranges::is_sorted(counts.rbegin(), counts.rend())) {
        throw AclException(361001,
                           fmt::format("argument 'batchSizes' has {} values from {} to {}, expected ones "
                                       "that don't rise, for an input of {} rows",
                                       times, counts.front(), counts.back(), rows));
    }
    return {times, rows / times, std::move(counts)};
}

Weights weights(const std::vector<at::Tensor>& params, bool has_biases, int64_t place, at::ScalarType dtype) {
    const auto each = static_cast<size_t>(has_biases ? 4 : 2);
    const auto first = each * static_cast<size_t>(place);
    Weights result{.input = params[first].to(dtype),
                   .hidden = params[first + 1].to(dtype),
                   .input_bias = {},
                   .hidden_bias = {}};
    if (has_biases) {
        result.input_bias = params[first + 2].to(dtype);
        result.hidden_bias = params[first + 3].to(dtype);
    }
    return result;
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    return bias.defined() ? at::addmm(bias, x, weight.t()) : at::mm(x, weight.t());
}

at::ScalarType compute_dtype(const at::Tensor& tensor) {
    return tensor.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

at::Tensor flattened(const at::Tensor& sequences, const Extent& extent, bool batch_first,
                     at::ScalarType dtype) {
    const at::Tensor wide = sequences.to(dtype);
    const at::Tensor timed = batch_first && wide.dim() == 3 ? wide.transpose(0, 1) : wide;
    return timed.reshape({extent.times * extent.batch, sequences.size(-1)});
}

void store_sequences(at::Tensor& out, const at::Tensor& flat, const Extent& extent, bool batch_first) {
    if (out.dim() == 2) {
        assign(out, flat);
        return;
    }
    const at::Tensor timed = flat.view({extent.times, extent.batch, flat.size(-1)});
    assign(out, batch_first ? timed.transpose(0, 1) : timed);
}

void require_lists(const std::vector<at::Tensor>& params, const Kept& kept, const RnnOptions& options) {
    const auto directions = static_cast<size_t>(options.layers * (options.bidirectional ? 2 : 1));
    const size_t wanted = directions * (options.has_biases ? 4 : 2);
    if (params.size() != wanted) {
        throw AclException(161002,
                           fmt::format("argument 'params' has {} tensors, expected {}: {} for each of {} "
                                       "layers and directions",
                                       params.size(), wanted, options.has_biases ? 4 : 2, directions));
    }
    for (const auto* list : kept) {
        if (!list->empty() && list->size() != directions) {
            throw AclException(161002,
                               fmt::format("a list of steps has {} tensors, expected {}, one for each layer "
                                           "and direction",
                                           list->size(), directions));
        }
    }
    if (options.train && options.dropout != 0 && options.layers > 1) {
        throw AclException(161002,
                           fmt::format("argument 'dropout' is {}: dropout between layers needs a seed, which "
                                       "this function doesn't take",
                                       options.dropout));
    }
}

const Kept& kept_in_training(const Kept& kept, const RnnOptions& options) {
    static const Kept kNone;
    return options.train ? kept : kNone;
}

void keep(const Kept& kept, size_t what, size_t place, const at::Tensor& flat) {
    if (kept.empty()) {
        return;
    }
    if (std::vector<at::Tensor>& list = *kept[what]; !list.empty()) {
        assign(list[place], flat.view(list[place].sizes()));
    }
}

at::Tensor kept_rows(const Kept& kept, size_t what, size_t place, at::ScalarType dtype) {
    const at::Tensor& tensor = (*kept[what])[place];
    return tensor.to(dtype).reshape({-1, tensor.size(-1)});
}

at::Tensor outputs_of(int64_t layer, const Kept& kept, size_t hidden, int64_t directions,
                      at::ScalarType dtype) {
    std::vector<at::Tensor> outputs;
    for (int64_t direction = 0; direction < directions; ++direction) {
        outputs.push_back(
            kept_rows(kept, hidden, static_cast<size_t>(layer * directions + direction), dtype));
    }
    return at::cat(outputs, 1);
}

}  // namespace opweld::npu::kernels::rnn
