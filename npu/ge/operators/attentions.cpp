#include "npu/ge/operators/attentions.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/log.h>
#include <fmt/format.h>

#include <algorithm>

#include "npu/ge/operators/kernel_call.h"

namespace opweld::npu::graph {
namespace {

constexpr int64_t kStatistics = 8;  // each number stands eight times

struct Extent {
    int64_t batch;
    int64_t heads;
    int64_t tokens;
    int64_t depth;
};

[[noreturn]] void unknown_layout(const std::string& layout) {
    throw GraphError(fmt::format("the layout '{}' is not supported", layout));
}

void check_rank(const at::Tensor& tensor, int64_t rank, const std::string& layout) {
    if (tensor.dim() != rank) {
        throw GraphError(fmt::format("a tensor of {} dimensions in the layout {}", tensor.dim(), layout));
    }
}

Extent extent_of(const at::Tensor& tensor, const std::string& layout, int64_t heads) {
    if (layout == "BSH" || layout == "SBH") {
        check_rank(tensor, 3, layout);
        if (heads < 1 || tensor.size(2) % heads != 0) {
            throw GraphError(fmt::format("{} features cannot be cut into {} heads", tensor.size(2), heads));
        }
        const bool batch_first = layout == "BSH";
        return {.batch = tensor.size(batch_first ? 0 : 1),
                .heads = heads,
                .tokens = tensor.size(batch_first ? 1 : 0),
                .depth = tensor.size(2) / heads};
    }
    if (layout == "TND") {
        check_rank(tensor, 3, layout);
        return {.batch = 1, .heads = tensor.size(1), .tokens = tensor.size(0), .depth = tensor.size(2)};
    }
    if (layout != "BNSD" && layout != "BSND") {
        unknown_layout(layout);
    }
    check_rank(tensor, 4, layout);
    const bool heads_first = layout == "BNSD";
    return {.batch = tensor.size(0),
            .heads = tensor.size(heads_first ? 1 : 2),
            .tokens = tensor.size(heads_first ? 2 : 1),
            .depth = tensor.size(3)};
}

std::vector<int64_t> sizes_of(const Extent& e, const std::string& layout) {
    if (layout == "BSH") {
        return {e.batch, e.tokens, e.heads * e.depth};
    }
    if (layout == "SBH") {
        return {e.tokens, e.batch, e.heads * e.depth};
    }
    if (layout == "TND") {
        return {e.tokens, e.heads, e.depth};
    }
    if (layout == "BNSD") {
        return {e.batch, e.heads, e.tokens, e.depth};
    }
    return {e.batch, e.tokens, e.heads, e.depth};
}

bool joined(const std::string& layout) { return layout == "BSH" || layout == "SBH"; }

// Of a layout that joins the heads' features.
int64_t heads_of_key(const at::Tensor& key, int64_t depth) {
    if (depth == 0 || key.size(2) % depth != 0) {
        throw GraphError(fmt::format("keys of {} features don't fit heads of {}", key.size(2), depth));
    }
    return key.size(2) / depth;
}

std::string input_layout(const std::string& layout) { return layout == "BNSD_BSND" ? "BNSD" : layout; }
std::string output_layout(const std::string& layout) { return layout == "BNSD_BSND" ? "BSND" : layout; }

Lengths none() { return std::nullopt; }

// One sequence of the batch as [1, tokens, heads, depth]. A view.
at::Tensor sequence(const at::Tensor& tensor, const std::string& layout, int64_t heads, int64_t number,
                    int64_t length) {
    const at::Tensor one = tensor.narrow(0, number, 1);
    if (layout == "BSH") {
        return one.unflatten(2, {heads, one.size(2) / heads}).narrow(1, 0, length);
    }
    return (layout == "BNSD" ? one.transpose(1, 2) : one).narrow(1, 0, length);
}

// The keys of one sequence from the blocks that its row of the table names, as [1, tokens, heads, depth].
at::Tensor gathered(const at::Tensor& blocks, const at::Tensor& table, int64_t heads, int64_t length) {
    std::vector<at::Tensor> parts;
    int64_t missing = length;
    for (int64_t i = 0; missing > 0; ++i) {
        if (i >= table.size(0)) {
            throw GraphError(fmt::format("the block table of a sequence has {} blocks; {} keys are missing",
                                         table.size(0), missing));
        }
        const int64_t block = table[i].item<int64_t>();
        if (block < 0 || block >= blocks.size(0)) {
            throw GraphError(fmt::format("block {} of {}", block, blocks.size(0)));
        }
        // [block size, heads * depth] or [heads, block size, depth]
        const at::Tensor one = blocks[block];
        const at::Tensor keys =
            one.dim() == 2 ? one.unflatten(1, {heads, one.size(1) / heads}) : one.transpose(0, 1);
        const int64_t count = std::min(missing, keys.size(0));
        parts.push_back(keys.narrow(0, 0, count));
        missing -= count;
    }
    return at::cat(parts, 0).unsqueeze(0);
}

int64_t length_of(const Lengths& lengths, int64_t number, int64_t otherwise) {
    if (!lengths || lengths->empty()) {
        return otherwise;
    }
    const int64_t length = lengths->size() == 1 ? lengths->front() : lengths->at(static_cast<size_t>(number));
    if (length < 0) {
        throw GraphError(fmt::format("sequence {} has the length {}", number, length));
    }
    return length;
}

// The part of a mask or pse for one sequence, [.., queries, keys]. A view.
std::optional<at::Tensor> part_of(const std::optional<at::Tensor>& tensor, int64_t number, int64_t queries,
                                  int64_t keys) {
    if (!tensor) {
        return std::nullopt;
    }
    at::Tensor part = tensor->dim() > 2 && tensor->size(0) > 1 ? tensor->narrow(0, number, 1) : *tensor;
    if (part.dim() == 3) {
        part = part.unsqueeze(1);
    }
    const auto cut = [](const at::Tensor& x, int64_t dim, int64_t length) {
        return x.size(dim) == 1 ? x : x.narrow(dim, 0, std::min(length, x.size(dim)));
    };
    return cut(cut(part, -2, queries), -1, keys).contiguous();
}

}  // namespace

int64_t probabilities(const at::Tensor& query, const at::Tensor& key, int64_t heads,
                      const std::string& layout) {
    const Extent e = extent_of(query, layout, heads);
    return e.batch * heads * e.tokens * extent_of(key, layout, 1).tokens;
}

Results attention_forms(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                        int64_t heads, const std::string& layout) {
    const Extent e = extent_of(query, layout, heads);
    const int64_t depth =
        joined(layout) ? value.size(2) / heads_of_key(key, e.depth) : value.size(value.dim() - 1);
    const std::vector<int64_t> statistics = layout == "TND"
                                                ? std::vector<int64_t>{e.tokens, heads, kStatistics}
                                                : std::vector<int64_t>{e.batch, heads, e.tokens, kStatistics};
    const auto wide = query.options().dtype(at::kFloat);
    return {at::empty(statistics, wide), at::empty(statistics, wide), query.new_empty({0}),
            query.new_empty(sizes_of({e.batch, heads, e.tokens, depth}, layout))};
}

void attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
            const TrainedAttention& a, std::span<at::Tensor> outputs) {
    if (a.layout == "TND") {
        run_kernel("FlashAttentionVarLenScore", query, key, value, a.pse, a.drop_mask, a.padding_mask,
                   a.atten_mask, a.prefix, a.query_ends, a.key_ends, a.scale, a.keep_prob, a.pre_tokens,
                   a.next_tokens, a.heads, a.layout, a.inner_precise, a.sparse_mode, outputs[0], outputs[1],
                   std::optional(outputs[2]), outputs[3]);
        return;
    }
    run_kernel("FlashAttentionScore", query, key, value, a.pse, a.drop_mask, a.padding_mask, a.atten_mask,
               a.prefix, a.scale, a.keep_prob, a.pre_tokens, a.next_tokens, a.heads, a.layout,
               a.inner_precise, a.sparse_mode, outputs[0], outputs[1], std::optional(outputs[2]), outputs[3]);
}

Results attention_gradient_forms(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                 const std::optional<at::Tensor>& pse) {
    const auto like = [](const at::Tensor& x) { return at::empty_like(x, at::MemoryFormat::Contiguous); };
    return {like(query), like(key), like(value), pse ? like(*pse) : query.new_empty({0})};
}

void attention_gradient(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                        const at::Tensor& dy, const AttentionResults& forward, const TrainedAttention& a,
                        std::span<at::Tensor> outputs) {
    if (!forward.softmax_max || !forward.softmax_sum || !forward.attention) {
        throw GraphError("inputs 'softmax_max', 'softmax_sum' and 'attention_in' are needed");
    }
    const std::optional<at::Tensor> softmax_in;
    const std::optional<at::Tensor> dpse = a.pse ? std::optional(outputs[3]) : std::nullopt;
    if (a.layout == "TND") {
        run_kernel("FlashAttentionUnpaddingScoreGrad", query, key, value, dy, a.pse, a.drop_mask,
                   a.padding_mask, a.atten_mask, *forward.softmax_max, *forward.softmax_sum, softmax_in,
                   *forward.attention, a.prefix, a.query_ends, a.key_ends, a.scale, a.keep_prob, a.pre_tokens,
                   a.next_tokens, a.heads, a.layout, a.inner_precise, a.sparse_mode, outputs[0], outputs[1],
                   outputs[2], dpse);
        return;
    }
    run_kernel("FlashAttentionScoreGrad", query, key, value, dy, a.pse, a.drop_mask, a.padding_mask,
               a.atten_mask, *forward.softmax_max, *forward.softmax_sum, softmax_in, *forward.attention,
               a.prefix, a.scale, a.keep_prob, a.pre_tokens, a.next_tokens, a.heads, a.layout,
               a.inner_precise, a.sparse_mode, outputs[0], outputs[1], outputs[2], dpse);
}

at::Tensor inference_form(const at::Tensor& query, const at::Tensor& value, int64_t heads, int64_t key_heads,
                          const std::string& layout) {
    const std::string input = input_layout(layout);
    if (input != "BSH" && input != "BSND" && input != "BNSD") {
        unknown_layout(layout);
    }
    if (!query.is_floating_point() || value.scalar_type() != query.scalar_type()) {
        throw GraphError(fmt::format("query is {} and value {}; both have the same floating-point dtype",
                                     c10::toString(query.scalar_type()), c10::toString(value.scalar_type())));
    }
    Extent e = extent_of(query, input, heads);
    e.depth = value.dim() == 3 ? value.size(2) / (key_heads == 0 ? heads : key_heads) : value.size(3);
    return query.new_empty(sizes_of(e, output_layout(layout)));
}

Results inference_forms(const at::Tensor& query, const at::Tensor& value, int64_t heads, int64_t key_heads,
                        const std::string& layout, bool lse) {
    const at::Tensor y = inference_form(query, value, heads, key_heads, layout);
    const Extent e = extent_of(query, input_layout(layout), heads);
    const auto wide = query.options().dtype(at::kFloat);
    return {y, lse ? at::empty({e.batch, e.heads, e.tokens, 1}, wide) : at::empty({0}, wide)};
}

void attend_inference(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                      const InferenceAttention& a, at::Tensor& y, const std::optional<at::Tensor>& lse) {
    const std::string input = input_layout(a.layout);
    const std::string output = output_layout(a.layout);
    const int64_t key_heads = a.key_heads == 0 ? a.heads : a.key_heads;
    const Extent e = extent_of(query, input, a.heads);
    // A row for each sequence stands for its only query.
    const bool rows = a.atten_mask && a.atten_mask->dim() == 2 && e.tokens == 1;
    const std::optional<at::Tensor> all_masks =
        rows ? std::optional(a.atten_mask->unsqueeze(1).unsqueeze(1)) : a.atten_mask;
    y.zero_();
    for (int64_t number = 0; number < e.batch; ++number) {
        const int64_t queries = std::min(length_of(a.query_lengths, number, e.tokens), e.tokens);
        at::Tensor k;
        at::Tensor v;
        if (a.block_table) {
            const int64_t keys = length_of(a.key_lengths, number, 0);
            k = gathered(key, (*a.block_table)[number], key_heads, keys);
            v = gathered(value, (*a.block_table)[number], key_heads, keys);
        } else {
            const int64_t all = extent_of(key, input, key_heads).tokens;
            const int64_t keys = std::min(length_of(a.key_lengths, number, all), all);
            k = sequence(key, input, key_heads, number, keys);
            v = sequence(value, input, key_heads, number, keys);
        }
        if (queries == 0 || k.size(1) == 0) {
            continue;
        }
        const at::Tensor q = sequence(query, input, a.heads, number, queries);
        const std::optional<at::Tensor> pse = part_of(a.pse, number, queries, k.size(1));
        const std::optional<at::Tensor> mask =
            a.sparse_mode >= 2 ? all_masks : part_of(all_masks, number, queries, k.size(1));
        const at::Tensor statistics =
            at::empty({1, a.heads, queries, kStatistics}, q.options().dtype(at::kFloat));
        at::Tensor max = statistics;
        at::Tensor sum = at::empty_like(statistics);
        at::Tensor out = q.new_empty({1, queries, a.heads, v.size(3)});
        const std::optional<at::Tensor> absent;
        run_kernel("FlashAttentionScoreV2", q.contiguous(), k.contiguous(), v.contiguous(), pse, absent,
                   absent, mask, none(), none(), none(), a.scale, 1.0, a.pre_tokens, a.next_tokens, a.heads,
                   "BSND", 0, a.sparse_mode, 0, max, sum, absent, out);
        sequence(y, output, a.heads, number, queries).copy_(out);
        if (lse) {
            lse->narrow(0, number, 1).narrow(2, 0, queries).copy_((max + at::log(sum)).narrow(3, 0, 1));
        }
    }
}

const at::Tensor& only_tensor(const std::vector<at::Tensor>& list, const char* name) {
    if (list.size() != 1) {
        throw GraphError(fmt::format("input '{}' has {} tensors; one is supported", name, list.size()));
    }
    return list.front();
}

void refuse_inputs(std::string_view names, std::initializer_list<std::optional<at::Tensor>> inputs) {
    if (std::ranges::any_of(inputs, [](const auto& input) { return input.has_value(); })) {
        throw GraphError(fmt::format("none of the inputs {} is supported", names));
    }
}

}  // namespace opweld::npu::graph
