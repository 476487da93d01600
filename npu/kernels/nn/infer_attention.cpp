#include "npu/kernels/nn/infer_attention.h"

#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/log.h>

#include <algorithm>
#include <limits>

#include "npu/kernels/nn/attention.h"
#include "npu/kernels/nn/attention_plan.h"

namespace opweld::npu::kernels {
namespace {

constexpr int64_t kStatisticsCopies = 8;
constexpr int64_t kFullMask = 1;  // the sparse mode that takes the mask as it is

// Items of the batch that are computed together, and what counts of them.
struct Piece {
    int64_t batch;
    int64_t batches;
    int64_t first_query;
    int64_t queries;
    int64_t first_key;
    int64_t keys;
};

// [batch, heads, tokens, depth]. A view.
at::Tensor heads_first(const at::Tensor& tensor, std::string_view layout, int64_t heads) {
    return layout == "NTD" ? tensor.unsqueeze(0) : by_heads(tensor, layout, heads);
}

bool is_packed(std::string_view layout) { return layout == "TND" || layout == "NTD"; }

int64_t length(at::OptionalIntArrayRef lengths, int64_t item, int64_t all) {
    if (!lengths.has_value() || lengths->empty()) {
        return all;
    }
    return (*lengths)[lengths->size() == 1 ? 0 : static_cast<size_t>(item)];
}

std::vector<Piece> packed_pieces(const InferAttention& what) {
    std::vector<Piece> result;
    int64_t query = 0;
    int64_t key = 0;
    for (size_t i = 0; i < what.query_lengths->size(); ++i) {
        const int64_t query_end = (*what.query_lengths)[i];
        const int64_t key_end = (*what.key_lengths)[i];
        result.push_back({0, 1, query, query_end - query, key, key_end - key});
        query = query_end;
        key = key_end;
    }
    return result;
}

// Neighbours of the same lengths are one piece.
std::vector<Piece> padded_pieces(const at::Tensor& query, const std::vector<at::Tensor>& keys,
                                 const InferAttention& what) {
    std::vector<Piece> result;
    for (int64_t b = 0; b < query.size(0); ++b) {
        const auto& key = keys.size() == 1 ? keys[0] : keys[static_cast<size_t>(b)];
        // One query always counts.
        const int64_t all = query.size(2);
        const int64_t queries = all == 1 ? 1 : length(what.query_lengths, b, all);
        const int64_t seen = length(what.key_lengths, b, key.size(2));
        Piece* const last = result.empty() ? nullptr : &result.back();
        if (last != nullptr && keys.size() == 1 && last->queries == queries && last->keys == seen) {
            ++last->batches;
        } else {
            result.push_back({b, 1, 0, queries, 0, seen});
        }
    }
    return result;
}

// The mask or pse as [1 or batch, 1 or heads, queries, keys].
std::optional<at::Tensor> by_scores(const std::optional<at::Tensor>& tensor, bool single_query,
                                    int64_t batch) {
    if (!tensor.has_value() || tensor->numel() == 0) {
        return std::nullopt;
    }
    switch (tensor->dim()) {
        case 2:
            return single_query && tensor->size(0) == batch ? tensor->unsqueeze(1).unsqueeze(1)
                                                            : tensor->unsqueeze(0).unsqueeze(0);
        case 3:
            return tensor->unsqueeze(1);
        default:
            return *tensor;
    }
}

std::optional<at::Tensor> part(const std::optional<at::Tensor>& tensor, const Piece& piece) {
    if (!tensor.has_value()) {
        return std::nullopt;
    }
    const at::Tensor items = tensor->size(0) == 1 ? *tensor : tensor->narrow(0, piece.batch, piece.batches);
    return items.narrow(2, 0, piece.queries).narrow(3, 0, piece.keys);
}

at::Tensor keys_of(const std::vector<at::Tensor>& tensors, const Piece& piece) {
    const at::Tensor items = tensors.size() == 1 ? tensors[0].narrow(0, piece.batch, piece.batches)
                                                 : tensors[static_cast<size_t>(piece.batch)];
    return items.narrow(2, piece.first_key, piece.keys);
}

at::Tensor queries_of(const at::Tensor& tensor, const Piece& piece) {
    return tensor.narrow(0, piece.batch, piece.batches).narrow(2, piece.first_query, piece.queries);
}

}  // namespace

void infer_attention(const at::Tensor& query, const std::vector<at::Tensor>& keys,
                     const std::vector<at::Tensor>& values, const InferAttention& what, at::Tensor& out,
                     const std::optional<at::Tensor>& lse) {
    const size_t cut = what.layout.find('_');
    const std::string_view layout = what.layout.substr(0, cut);
    const std::string_view out_layout = cut == std::string_view::npos ? layout : what.layout.substr(cut + 1);
    const int64_t key_heads = what.key_heads == 0 ? what.heads : what.key_heads;
    const at::Tensor all_queries = heads_first(query, layout, what.heads);
    const at::Tensor all_out = heads_first(out, out_layout, what.heads);
    std::vector<at::Tensor> all_keys;
    std::vector<at::Tensor> all_values;
    for (size_t i = 0; i < keys.size(); ++i) {
        all_keys.push_back(heads_first(keys[i], layout, key_heads));
        all_values.push_back(heads_first(values[i], layout, key_heads));
    }
    std::optional<at::Tensor> all_lse;
    if (lse.has_value() && lse->numel() != 0) {
        all_lse = is_packed(layout) ? heads_first(*lse, "TND", what.heads) : *lse;
        all_lse->fill_(-std::numeric_limits<float>::infinity());
    }
    out.zero_();
    const bool single_query = !is_packed(layout) && all_queries.size(2) == 1;
    const bool whole_mask = what.sparse_mode <= kFullMask;
    const auto mask = whole_mask ? by_scores(what.mask, single_query, all_queries.size(0)) : what.mask;
    const auto pse = by_scores(what.pse, false, 0);
    const std::vector<Piece> pieces =
        is_packed(layout) ? packed_pieces(what) : padded_pieces(all_queries, all_keys, what);
    for (const Piece& piece : pieces) {
        if (piece.queries == 0 || piece.keys == 0) {
            continue;
        }
        const at::Tensor q = queries_of(all_queries, piece);
        at::Tensor target = queries_of(all_out, piece);
        at::Tensor max = at::empty({piece.batches, what.heads, piece.queries, kStatisticsCopies}, at::kFloat);
        at::Tensor sum = at::empty(max.sizes(), at::kFloat);
        attention(q, keys_of(all_keys, piece), keys_of(all_values, piece),
                  {.layout = "BNSD",
                   .heads = what.heads,
                   .scale = what.scale,
                   .pre_tokens = what.pre_tokens,
                   .next_tokens = what.next_tokens,
                   .sparse_mode = single_query && whole_mask ? kFullMask : what.sparse_mode,
                   .pse_type = 0,
                   .pse = part(pse, piece),
                   .atten_mask = whole_mask ? part(mask, piece) : mask},
                  max, sum, target);
        if (all_lse.has_value()) {
            queries_of(*all_lse, piece).copy_(at::add(max.narrow(3, 0, 1), at::log(sum.narrow(3, 0, 1))));
        }
    }
}

}  // namespace opweld::npu::kernels
