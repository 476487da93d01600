#include "npu/kernels/nn/attention_plan.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <tuple>

#include "npu/kernels/parallel.h"
#include "npu/kernels/random.h"
#include "npu/kernels/scope.h"

namespace opweld::npu::kernels {
namespace {

constexpr int64_t kBlockScores = int64_t{1} << 18;  // 1 MiB of float32: what a block's scores may take
constexpr int64_t kBandedQueries = 128;  // longer blocks would see keys that most of their queries don't
constexpr int64_t kRowGrain = 16384;     // scores that are worth a thread
constexpr int64_t kStatisticsCopies = 8;

bool is_tnd(const Attention& what) { return what.layout == "TND"; }

// Whether the mode says itself which keys are seen, without the mask's values.
bool is_compressed(int64_t sparse_mode) {
    return sparse_mode == 2 || sparse_mode == 3 || sparse_mode == 4 || sparse_mode == 6;
}

// The keys [first, second) that query i sees, as far as the mode says it.
std::pair<int64_t, int64_t> visible(const Sequence& s, const Attention& what, int64_t batch, int64_t i) {
    if (!what.atten_mask.has_value()) {
        return {0, s.keys};
    }
    const int64_t shift = s.keys - s.queries;
    int64_t first = 0;
    int64_t last = s.keys;
    switch (what.sparse_mode) {
        case 0:
            first = i - what.pre_tokens;
            last = i + what.next_tokens + 1;
            break;
        case 2:
            last = i + 1;
            break;
        case 3:
            last = i + shift + 1;
            break;
        case 4:
            first = i + shift - what.pre_tokens;
            last = i + shift + what.next_tokens + 1;
            break;
        case 6:
            last = std::max(i + shift + 1, what.prefix[static_cast<size_t>(batch)]);
            break;
        default:
            break;
    }
    first = std::clamp<int64_t>(first, 0, s.keys);
    return {first, std::clamp(last, first, s.keys)};
}

// The tensor, broadcast, with elements of a row next to each other.
at::Tensor expand_rows(const at::Tensor& tensor, const Sequence& s) {
    at::Tensor rows = tensor;
    if (rows.size(-1) != s.keys || (rows.stride(-1) != 1 && s.keys > 1)) {
        std::vector<int64_t> shape(rows.sizes().begin(), rows.sizes().end());
        shape.back() = s.keys;
        rows = rows.expand(shape).contiguous();
    }
    return rows.expand({s.batch, s.heads, s.queries, s.keys});
}

// The part of a mask or pse that belongs to a sequence of TND; others are taken whole.
at::Tensor part(const at::Tensor& tensor, const Sequence& s, const Attention& what) {
    return is_tnd(what) ? tensor.narrow(-2, 0, s.queries).narrow(-1, 0, s.keys) : tensor;
}

void add_inputs(Sequence& s, const Attention& what) {
    if (what.atten_mask.has_value() && !is_compressed(what.sparse_mode)) {
        s.mask = expand_rows(part(*what.atten_mask, s, what), s);
    }
    if (what.pse.has_value()) {
        s.pse = expand_rows(part(*what.pse, s, what).to(at::kFloat), s);
    }
    if (what.drop_mask.has_value()) {
        s.bits = *what.drop_mask;
    }
}

// Bits for all scores, where there is dropout without a mask.
void make_dropout(const Attention& what, std::vector<Sequence>& parts) {
    if (what.keep_prob >= 1.0 || what.drop_mask.has_value()) {
        return;
    }
    int64_t scores = 0;
    for (const Sequence& s : parts) {
        scores += s.batch * s.heads * s.queries * s.keys;
    }
    at::Tensor bits = at::empty({(scores + 127) / 128 * 16}, at::kByte);
    fill_keep_bits(bits, {scores}, 1.0 - what.keep_prob, {what.seed, what.offset});
    for (Sequence& s : parts) {
        s.bits = bits;
    }
}

template <class T>
const T* row_of(const at::Tensor& tensor, int64_t batch, int64_t head, int64_t query, int64_t first_key) {
    if (!tensor.defined()) {
        return nullptr;
    }
    return static_cast<const T*>(tensor.const_data_ptr()) + batch * tensor.stride(0) +
           head * tensor.stride(1) + query * tensor.stride(2) + first_key;
}

}  // namespace

at::Tensor by_heads(const at::Tensor& tensor, std::string_view layout, int64_t heads) {
    if (layout == "BNSD") {
        return tensor;
    }
    if (layout == "BSND") {
        return tensor.transpose(1, 2);
    }
    if (layout == "BSH") {
        return tensor.unflatten(2, {heads, heads == 0 ? 0 : tensor.size(2) / heads}).transpose(1, 2);
    }
    if (layout == "SBH") {
        return tensor.unflatten(2, {heads, heads == 0 ? 0 : tensor.size(2) / heads}).permute({1, 2, 0, 3});
    }
    return tensor.transpose(0, 1).unsqueeze(0);  // TND
}

int64_t key_heads(const at::Tensor& query, const at::Tensor& key, const Attention& what) {
    if (what.layout == "BNSD" || what.layout == "TND") {
        return key.size(1);
    }
    if (what.layout == "BSND") {
        return key.size(2);
    }
    const int64_t depth = query.size(2) / what.heads;
    return depth == 0 ? what.heads : key.size(2) / depth;
}

at::Tensor statistics_by_heads(const at::Tensor& statistics, const Attention& what) {
    if (!is_tnd(what)) {
        return statistics;
    }
    const int64_t tokens = statistics.size(0);
    const int64_t heads = statistics.size(1);
    const at::Tensor view = what.statistics_like_input ? statistics.transpose(0, 1)
                                                       : statistics.view({heads, tokens, kStatisticsCopies});
    return view.unsqueeze(0);
}

at::Tensor by_matrix(const at::Tensor& tensor, const Sequence& s) {
    return tensor.reshape({s.batch * s.key_heads, s.heads / s.key_heads, tensor.size(2), tensor.size(3)});
}

at::Tensor key_matrices(const at::Tensor& tensor, const Sequence& s) {
    return tensor.to(at::kFloat).reshape({s.batch * s.key_heads, s.keys, tensor.size(-1)});
}

std::vector<Sequence> sequences(const at::Tensor& query, const at::Tensor& key, const Attention& what) {
    const int64_t heads_of_keys = key_heads(query, key, what);
    const at::Tensor q = by_heads(query, what.layout, what.heads);
    const at::Tensor k = by_heads(key, what.layout, heads_of_keys);
    std::vector<Sequence> result;
    const auto add = [&](int64_t batch, int64_t first_query, int64_t queries, int64_t first_key, int64_t keys,
                         int64_t first_bit) {
        Sequence s{batch, q.size(1), heads_of_keys, queries, keys, first_query, first_key, first_bit, {},
                   {},    {}};
        add_inputs(s, what);
        result.push_back(std::move(s));
    };
    if (!is_tnd(what)) {
        add(q.size(0), 0, q.size(2), 0, k.size(2), 0);
        make_dropout(what, result);
        return result;
    }
    int64_t query_begin = 0;
    int64_t key_begin = 0;
    int64_t bit = 0;
    for (size_t i = 0; i < what.query_ends.size(); ++i) {
        // Trailing zeros stand for items that take no part.
        const int64_t queries = std::max<int64_t>(what.query_ends[i] - query_begin, 0);
        const int64_t keys = std::max<int64_t>(what.key_ends[i] - key_begin, 0);
        add(1, query_begin, queries, key_begin, keys, bit);
        query_begin += queries;
        key_begin += keys;
        bit += q.size(1) * queries * keys;
    }
    make_dropout(what, result);
    return result;
}

std::vector<Block> blocks(const Sequence& s, const Attention& what) {
    const int64_t matrices = s.batch * s.key_heads;
    const int64_t row_scores = std::max<int64_t>(1, s.heads / s.key_heads * s.keys);
    int64_t step = std::clamp<int64_t>(kBlockScores / row_scores, 1, std::max<int64_t>(s.queries, 1));
    if (what.atten_mask.has_value() && what.sparse_mode != 1 && what.sparse_mode != 5) {
        step = std::min(step, kBandedQueries);
    }
    const int64_t for_each_thread = (matrices + at::get_num_threads() - 1) / at::get_num_threads();
    const int64_t group =
        std::clamp<int64_t>(kBlockScores / (row_scores * step), 1, std::max<int64_t>(for_each_thread, 1));
    std::vector<Block> result;
    for (int64_t m = 0; m < matrices; m += group) {
        const int64_t together = std::min(group, matrices - m);
        for (int64_t i = 0; i < s.queries; i += step) {
            const int64_t queries = std::min(step, s.queries - i);
            int64_t first = s.keys;
            int64_t last = 0;
            for (int64_t b = m / s.key_heads; b <= (m + together - 1) / s.key_heads; ++b) {
                // The bounds grow with the query: the first and the last one suffice.
                first = std::min(first, visible(s, what, b, i).first);
                last = std::max(last, visible(s, what, b, i + queries - 1).second);
            }
            first = std::min(first, last);
            result.push_back({m, together, i, queries, first, last - first});
        }
    }
    return result;
}

void for_blocks(const std::vector<Block>& blocks, const std::function<void(size_t, size_t)>& f) {
    std::vector<size_t> starts;
    for (size_t i = 0; i < blocks.size(); ++i) {
        if (i == 0 || blocks[i].first_matrix != blocks[i - 1].first_matrix) {
            starts.push_back(i);
        }
    }
    const auto runs = static_cast<int64_t>(starts.size());
    starts.push_back(blocks.size());
    const auto run = [&](int64_t begin, int64_t end) {
        const KernelScope scope;
        for (int64_t i = begin; i < end; ++i) {
            f(starts[static_cast<size_t>(i)], starts[static_cast<size_t>(i) + 1]);
        }
    };
    if (runs < at::get_num_threads()) {
        run(0, runs);  // the products inside use the threads
    } else {
        parallel_for(0, runs, 1, run);
    }
}

BlockRow block_row(const Sequence& s, const Block& block, int64_t number) {
    const int64_t shared = s.heads / s.key_heads;
    const int64_t matrix = block.first_matrix + number / block.queries / shared;
    return {number, matrix / s.key_heads, matrix % s.key_heads * shared + number / block.queries % shared,
            block.first_query + number % block.queries};
}

int64_t row_count(const Sequence& s, const Block& block) {
    return block.matrices * (s.heads / s.key_heads) * block.queries;
}

void for_rows(const Sequence& s, const Block& block, const Attention& what,
              const std::function<void(const BlockRow&, const ScoreRow&)>& f) {
    const int64_t grain = std::max<int64_t>(1, kRowGrain / std::max<int64_t>(1, block.keys));
    const auto* const bits =
        s.bits.defined() ? static_cast<const uint8_t*>(s.bits.const_data_ptr()) : nullptr;
    parallel_for(0, row_count(s, block), grain, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
            const BlockRow place = block_row(s, block, r);
            const auto [batch, head, query] = std::tuple(place.batch, place.head, place.query);
            const auto [first, last] = visible(s, what, batch, query);
            const int64_t from = std::clamp<int64_t>(first - block.first_key, 0, block.keys);
            const ScoreRow row{.columns = block.keys,
                               .begin = from,
                               .end = std::clamp(last - block.first_key, from, block.keys),
                               .scale = static_cast<float>(what.scale),
                               .scale_pse = what.pse_type == 1,
                               .pse = row_of<float>(s.pse, batch, head, query, block.first_key),
                               .mask = row_of<uint8_t>(s.mask, batch, head, query, block.first_key),
                               .bits = bits,
                               .bit = s.first_bit + ((batch * s.heads + head) * s.queries + query) * s.keys +
                                      block.first_key,
                               .kept = static_cast<float>(1.0 / what.keep_prob)};
            f(place, row);
        }
    });
}

}  // namespace opweld::npu::kernels
