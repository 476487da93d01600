#include "npu/aclnn/call/check_infer_attention.h"

#include <fmt/format.h>

#include <algorithm>

namespace opweld::npu::aclnn::check {
namespace {

constexpr int64_t kCompressed = 2048;  // side of the mask of modes 2, 3 and 4
constexpr int64_t kFullMask = 1;
constexpr int64_t kRightDown = 3;
constexpr int64_t kBand = 4;

struct Layouts {
    std::string_view name;
    std::string_view input;
    std::string_view output;
};

constexpr Layouts kLayouts[] = {
    {"BSH", "BSH", "BSH"},       {"BSND", "BSND", "BSND"},      {"BNSD", "BNSD", "BNSD"},
    {"TND", "TND", "TND"},       {"NTD", "NTD", "NTD"},         {"BNSD_BSND", "BNSD", "BSND"},
    {"BSH_BNSD", "BSH", "BNSD"}, {"BSND_BNSD", "BSND", "BNSD"}, {"NTD_TND", "NTD", "TND"},
    {"TND_NTD", "TND", "NTD"},
};

const Layouts& known_layout(std::string_view name) {
    const auto* const found =
        std::find_if(std::begin(kLayouts), std::end(kLayouts), [&](const auto& l) { return l.name == name; });
    if (found == std::end(kLayouts)) {
        invalid(fmt::format(
            "argument 'inputLayout' is '{}', which is not supported here; supported are BSH, BSND, "
            "BNSD, TND, NTD, BNSD_BSND, BSH_BNSD, BSND_BNSD, NTD_TND and TND_NTD",
            name));
    }
    return *found;
}

bool is_packed(std::string_view layout) { return layout == "TND" || layout == "NTD"; }

struct Sizes {
    int64_t batch;
    int64_t heads;
    int64_t tokens;
    int64_t depth;
};

Sizes sizes(const Operand& t, std::string_view layout, int64_t heads) {
    const int64_t rank = layout == "BNSD" || layout == "BSND" ? 4 : 3;
    has_rank(t, rank, rank);
    if (layout == "BNSD") {
        return {t.size(0), t.size(1), t.size(2), t.size(3)};
    }
    if (layout == "BSND") {
        return {t.size(0), t.size(2), t.size(1), t.size(3)};
    }
    if (layout == "TND") {
        return {1, t.size(1), t.size(0), t.size(2)};
    }
    if (layout == "NTD") {
        return {1, t.size(0), t.size(1), t.size(2)};
    }
    if (t.size(2) % heads != 0) {
        invalid(fmt::format("argument '{}' has {} elements a token, expected a multiple of {} heads",
                            t.name(), t.size(2), heads));
    }
    return {t.size(0), heads, t.size(1), t.size(2) / heads};
}

Shape shape(const Sizes& s, std::string_view layout) {
    if (layout == "BNSD") {
        return {s.batch, s.heads, s.tokens, s.depth};
    }
    if (layout == "BSND") {
        return {s.batch, s.tokens, s.heads, s.depth};
    }
    if (layout == "TND") {
        return {s.tokens, s.heads, s.depth};
    }
    if (layout == "NTD") {
        return {s.heads, s.tokens, s.depth};
    }
    return {s.batch, s.tokens, s.heads * s.depth};
}

void equal(const Operand& one, int64_t first, const char* what, int64_t second) {
    if (first != second) {
        invalid(fmt::format("argument '{}' has {} {}, expected {}", one.name(), first, what, second));
    }
}

struct Shapes {
    Sizes query;
    std::vector<Sizes> keys;  // one, or one for each item of the batch
    int64_t value_depth;
    int64_t longest_key;
};

void key_and_value(const InferAttentionArguments& a, std::string_view layout, int64_t heads, size_t i,
                   Shapes& s) {
    const Operand key = a.keys[i];
    const Operand value = a.values[i];
    same_dtype(a.query, key);
    same_dtype(a.query, value);
    const Sizes k = sizes(key, layout, heads);
    const Sizes v = sizes(value, layout, heads);
    equal(key, k.batch, "items", a.keys.size() == 1 ? s.query.batch : 1);
    equal(key, k.heads, "heads", heads);
    equal(key, k.depth, "elements a head", s.query.depth);
    equal(value, v.batch, "items", k.batch);
    equal(value, v.heads, "heads", heads);
    equal(value, v.tokens, "tokens", k.tokens);
    if (i != 0) {
        equal(value, v.depth, "elements a head", s.value_depth);
    }
    s.value_depth = v.depth;
    s.longest_key = std::max(s.longest_key, k.tokens);
    s.keys.push_back(k);
}

Shapes shapes(const InferAttentionArguments& a, std::string_view layout) {
    if (a.heads <= 0 || a.key_heads < 0) {
        invalid(fmt::format(
            "arguments 'numHeads' and 'numKeyValueHeads' are {} and {}, expected a positive number and "
            "one that is not negative",
            a.heads, a.key_heads));
    }
    const int64_t key_heads = a.key_heads == 0 ? a.heads : a.key_heads;
    if (a.heads % key_heads != 0) {
        invalid(fmt::format("argument 'numHeads' is {}, expected a multiple of 'numKeyValueHeads', {}",
                            a.heads, key_heads));
    }
    Shapes s{sizes(a.query, layout, a.heads), {}, 0, 0};
    equal(a.query, s.query.heads, "heads", a.heads);
    const auto count = static_cast<int64_t>(a.keys.size());
    if (count != static_cast<int64_t>(a.values.size()) || count == 0 ||
        (count != 1 && (is_packed(layout) || count != s.query.batch))) {
        invalid(fmt::format(
            "arguments '{}' and '{}' hold {} and {} tensors, expected one each{}", a.keys.name(),
            a.values.name(), count, a.values.size(),
            is_packed(layout) ? std::string() : fmt::format(", or one for each of {} items", s.query.batch)));
    }
    for (size_t i = 0; i < a.keys.size(); ++i) {
        key_and_value(a, layout, key_heads, i, s);
    }
    return s;
}

void ends(const char* name, std::span<const int64_t> numbers, int64_t tokens) {
    int64_t last = 0;
    for (const int64_t end : numbers) {
        if (end < last || end > tokens) {
            invalid(fmt::format("argument '{}' has {} after {}, expected numbers that grow, up to {} tokens",
                                name, end, last, tokens));
        }
        last = end;
    }
}

void packed_lengths(const InferAttentionArguments& a, const Shapes& s) {
    if (a.query_lengths.empty() || a.query_lengths.size() != a.key_lengths.size()) {
        invalid(fmt::format(
            "arguments 'actualSeqLengths' and 'actualSeqLengthsKv' have {} and {} numbers, expected "
            "where each sequence ends in both, for the layout {}",
            a.query_lengths.size(), a.key_lengths.size(), a.layout));
    }
    ends("actualSeqLengths", a.query_lengths, s.query.tokens);
    ends("actualSeqLengthsKv", a.key_lengths, s.keys[0].tokens);
}

void padded_lengths(const InferAttentionArguments& a, const Shapes& s) {
    const auto fit = [&](const char* name, std::span<const int64_t> lengths, const auto& tokens) {
        if (lengths.empty()) {
            return;
        }
        const auto count = static_cast<int64_t>(lengths.size());
        if (count != 1 && count < s.query.batch) {
            invalid(fmt::format("argument '{}' has {} numbers, expected one, or one for each of {} items",
                                name, count, s.query.batch));
        }
        for (int64_t b = 0; b < s.query.batch; ++b) {
            const int64_t length = lengths[count == 1 ? 0 : static_cast<size_t>(b)];
            if (length < 0 || length > tokens(b)) {
                invalid(fmt::format("argument '{}' has {} for item {}, expected 0 to {} tokens", name, length,
                                    b, tokens(b)));
            }
        }
    };
    if (s.query.tokens != 1) {
        fit("actualSeqLengths", a.query_lengths, [&](int64_t) { return s.query.tokens; });
    }
    fit("actualSeqLengthsKv", a.key_lengths,
        [&](int64_t b) { return s.keys[s.keys.size() == 1 ? 0 : static_cast<size_t>(b)].tokens; });
}

// The greatest number of tokens in one sequence of TND.
int64_t longest(std::span<const int64_t> ends) {
    int64_t result = 0;
    int64_t begin = 0;
    for (const int64_t end : ends) {
        result = std::max(result, end - begin);
        begin = end;
    }
    return result;
}

// [1 or batch, 1 or heads, queries, keys], with as many dimensions as there are; the last two may be longer.
void scores_shape(const Operand& t, int64_t batch, int64_t heads, int64_t queries, int64_t keys) {
    const int64_t rank = t.rank();
    bool fits = t.size(rank - 1) >= keys && t.size(rank - 2) >= queries;
    if (rank == 4) {
        fits = fits && t.size(1) == heads;
    }
    if (rank > 2) {
        fits = fits && (t.size(0) == 1 || t.size(0) == batch);
    }
    if (!fits) {
        const int64_t wanted[] = {batch, heads, queries, keys};
        invalid(fmt::format("argument '{}' has the shape {}, expected {}, whose first size may be 1",
                            t.name(), text(t.shape()), text(std::span(wanted))));
    }
}

void compressed_mask(const InferAttentionArguments& a, bool single_query) {
    if (single_query && a.sparse_mode != kRightDown) {
        invalid(
            fmt::format("argument 'sparseMode' is {} for one query, which is not supported here with a mask; "
                        "supported are 0, 1 and 3",
                        a.sparse_mode));
    }
    has_rank(a.atten_mask, 2, 4);
    const int64_t rank = a.atten_mask.rank();
    Shape wanted(static_cast<size_t>(rank), 1);
    wanted[static_cast<size_t>(rank - 2)] = kCompressed;
    wanted[static_cast<size_t>(rank - 1)] = kCompressed;
    has_shape(a.atten_mask, wanted, fmt::format("the compressed mask of sparseMode {}", a.sparse_mode));
}

void masks(const InferAttentionArguments& a, const Shapes& s, bool packed) {
    one_of("sparseMode", a.sparse_mode, 0, kBand);
    const int64_t queries = packed ? longest(a.query_lengths) : s.query.tokens;
    const int64_t keys = packed ? longest(a.key_lengths) : s.longest_key;
    if (a.pse && a.pse.elements() != 0) {
        has_rank(a.pse, 4, 4);
        same_dtype(a.query, a.pse);
        scores_shape(a.pse, s.query.batch, s.query.heads, queries, keys);
    }
    if (!a.atten_mask || a.atten_mask.elements() == 0) {
        if (a.sparse_mode == kFullMask) {
            invalid("argument 'attenMask' is null, but 'sparseMode' is 1");
        }
        return;
    }
    const bool single_query = !packed && queries == 1;
    if (a.sparse_mode > kFullMask) {
        compressed_mask(a, single_query);
        return;
    }
    has_rank(a.atten_mask, 2, 4);
    const bool each_item = single_query && a.atten_mask.rank() == 2 && a.atten_mask.size(0) == s.query.batch;
    scores_shape(a.atten_mask, s.query.batch, 1, each_item ? s.query.batch : queries, keys);
}

}  // namespace

void infer_attention(const InferAttentionArguments& a, const Operand& out) {
    const Layouts& layouts = known_layout(a.layout);
    const bool packed = is_packed(layouts.input);
    const Shapes s = shapes(a, layouts.input);
    if (packed) {
        packed_lengths(a, s);
    } else {
        padded_lengths(a, s);
    }
    masks(a, s, packed);
    same_dtype(a.query, out);
    Sizes wanted = s.query;
    wanted.depth = s.value_depth;
    has_shape(out, shape(wanted, layouts.output), "the query's shape with the value's depth");
    if (a.wants_lse) {
        const Shape rows = packed ? Shape{s.query.tokens, s.query.heads, 1}
                                  : Shape{s.query.batch, s.query.heads, s.query.tokens, 1};
        has_shape(a.softmax_lse, rows, "a number for each row of scores");
    }
}

void one_query(const Operand& query, std::string_view layout) {
    const Sizes s = sizes(query, known_layout(layout).input, 1);
    if (is_packed(layout) || s.tokens != 1) {
        invalid(fmt::format(
            "argument 'query' has {} queries in the layout {}, expected one in each item of BSH, BSND "
            "or BNSD",
            s.tokens, layout));
    }
}

}  // namespace opweld::npu::aclnn::check
