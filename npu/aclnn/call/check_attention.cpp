#include "npu/aclnn/call/check_attention.h"

#include <fmt/format.h>

#include <algorithm>

#include "opweld/kernel.h"

namespace opweld::npu::aclnn::check {
namespace {

constexpr int64_t kStatisticsCopies = 8;
constexpr int64_t kCompressed = 2048;  // side of the mask of which modes 2, 3, 4 and 6 take parts
constexpr int64_t kCompressedPrefix = 3072;
constexpr int64_t kPrefix = 5;
constexpr int64_t kPrefixCompressed = 6;

struct Sizes {
    int64_t batch = 1;
    int64_t tokens = 0;
    int64_t heads = 0;
    int64_t depth = 0;
};

// Sizes of a tensor in a layout; `heads` where the layout doesn't tell them.
Sizes sizes(const Operand& t, std::string_view layout, int64_t heads) {
    if (layout == "BNSD") {
        return {t.size(0), t.size(2), t.size(1), t.size(3)};
    }
    if (layout == "BSND") {
        return {t.size(0), t.size(1), t.size(2), t.size(3)};
    }
    if (layout == "TND") {
        return {1, t.size(0), t.size(1), t.size(2)};
    }
    if (heads <= 0 || t.size(2) % heads != 0) {
        invalid(fmt::format("argument '{}' has {} elements a token, expected a multiple of {} heads",
                            t.name(), t.size(2), heads));
    }
    const bool batch_first = layout == "BSH";
    return {t.size(batch_first ? 0 : 1), t.size(batch_first ? 1 : 0), heads, t.size(2) / heads};
}

void known_layout(const AttentionArguments& a) {
    constexpr std::string_view kLayouts[] = {"BSH", "SBH", "BNSD", "BSND", "TND"};
    if (std::find(std::begin(kLayouts), std::end(kLayouts), a.layout) == std::end(kLayouts)) {
        invalid(
            fmt::format("argument 'inputLayout' is '{}', expected BSH, SBH, BNSD, BSND or TND", a.layout));
    }
    const int64_t rank = a.layout == "BNSD" || a.layout == "BSND" ? 4 : 3;
    for (const Operand& t : {a.query, a.key, a.value}) {
        has_rank(t, rank, rank);
    }
    if (a.heads <= 0) {
        invalid(fmt::format("argument 'headNum' is {}, expected a positive number", a.heads));
    }
}

void equal(const char* what, const Operand& one, int64_t first, const Operand& other, int64_t second) {
    if (first != second) {
        invalid(fmt::format("arguments '{}' and '{}' have {} and {} {}, expected the same", one.name(),
                            other.name(), first, second, what));
    }
}

struct Shapes {
    Sizes query;
    Sizes key;
    Sizes value;
};

Shapes shapes(const AttentionArguments& a) {
    const Sizes q = sizes(a.query, a.layout, a.heads);
    int64_t key_heads = 0;
    if (a.layout == "BSH" || a.layout == "SBH") {
        if (q.depth == 0 || a.key.size(2) % q.depth != 0) {
            invalid(fmt::format(
                "argument 'key' has {} elements a token, expected a multiple of the query's {} a head",
                a.key.size(2), q.depth));
        }
        key_heads = a.key.size(2) / q.depth;
    }
    const Shapes s{q, sizes(a.key, a.layout, key_heads), sizes(a.value, a.layout, key_heads)};
    equal("heads", a.query, q.heads, Operand("headNum", nullptr), a.heads);
    equal("batches", a.query, q.batch, a.key, s.key.batch);
    equal("elements a head", a.query, q.depth, a.key, s.key.depth);
    equal("batches", a.key, s.key.batch, a.value, s.value.batch);
    equal("tokens", a.key, s.key.tokens, a.value, s.value.tokens);
    equal("heads", a.key, s.key.heads, a.value, s.value.heads);
    if (s.key.heads == 0 || q.heads % s.key.heads != 0) {
        invalid(fmt::format("argument 'query' has {} heads, expected a multiple of the key's {}", q.heads,
                            s.key.heads));
    }
    return s;
}

void sequence_ends(const AttentionArguments& a, const Shapes& s) {
    if (a.layout != "TND") {
        return;
    }
    if (a.query_ends.empty() || a.query_ends.size() != a.key_ends.size()) {
        invalid(fmt::format(
            "arguments 'actualSeqQLen' and 'actualSeqKvLen' have {} and {} numbers, expected as many, "
            "and at least one, for the layout TND",
            a.query_ends.size(), a.key_ends.size()));
    }
    const auto ordered = [](const char* name, std::span<const int64_t> ends, int64_t tokens) {
        int64_t last = 0;
        bool over = false;
        for (const int64_t end : ends) {
            over = over || (end == 0 && last != 0);
            if (end < 0 || end > tokens || (over ? end != 0 : end < last)) {
                invalid(
                    fmt::format("argument '{}' has {} after {}, expected numbers that grow, up to {} tokens",
                                name, end, last, tokens));
            }
            last = over ? last : end;
        }
    };
    ordered("actualSeqQLen", a.query_ends, s.query.tokens);
    ordered("actualSeqKvLen", a.key_ends, s.key.tokens);
}

// The greatest number of tokens in one sequence.
int64_t longest(std::string_view layout, std::span<const int64_t> ends, int64_t tokens) {
    if (layout != "TND") {
        return tokens;
    }
    int64_t result = 0;
    int64_t begin = 0;
    for (const int64_t end : ends) {
        result = std::max(result, end - begin);
        begin = std::max(begin, end);
    }
    return result;
}

void scores_shape(const AttentionArguments& a, const Shapes& s, const Operand& t, const char* hint) {
    const bool ragged = a.layout == "TND";
    const int64_t queries = longest(a.layout, a.query_ends, s.query.tokens);
    const int64_t keys = longest(a.layout, a.key_ends, s.key.tokens);
    const int64_t wanted[] = {s.query.batch, s.query.heads, queries, keys};
    has_rank(t, 2, 4);
    for (int64_t i = 0; i < t.rank(); ++i) {
        const int64_t size = t.size(t.rank() - 1 - i);
        const int64_t want = wanted[3 - i];
        const bool fits = ragged && i < 2 ? size >= want : size == want || (size == 1 && i != 0);
        if (!fits) {
            invalid(fmt::format("argument '{}' has the shape {}, expected one that broadcasts to {}{}",
                                t.name(), text(t.shape()), text(wanted), hint));
        }
    }
}

void masks(const AttentionArguments& a, const Shapes& s) {
    not_supported({a.padding_mask});
    if (a.sparse_mode < 0 || a.sparse_mode > kPrefixCompressed) {
        invalid(fmt::format("argument 'sparseMode' is {}, which is not supported here; supported are 0 to 6",
                            a.sparse_mode));
    }
    const bool prefix = a.sparse_mode == kPrefix || a.sparse_mode == kPrefixCompressed;
    if (prefix && a.layout == "TND") {
        invalid(fmt::format("argument 'sparseMode' is {}, which is not supported with the layout TND",
                            a.sparse_mode));
    }
    if (prefix && static_cast<int64_t>(a.prefix.size()) != s.query.batch) {
        invalid(fmt::format("argument 'prefix' has {} numbers, expected one for each of {} batches",
                            a.prefix.size(), s.query.batch));
    }
    if (!a.atten_mask) {
        return;
    }
    if (a.sparse_mode == 2 || a.sparse_mode == 3 || a.sparse_mode == 4 ||
        a.sparse_mode == kPrefixCompressed) {
        const int64_t rows = a.sparse_mode == kPrefixCompressed ? kCompressedPrefix : kCompressed;
        const int64_t wanted[] = {rows, kCompressed};
        has_shape(a.atten_mask, wanted, fmt::format("the compressed mask of sparseMode {}", a.sparse_mode));
    } else {
        scores_shape(a, s, a.atten_mask, "");
    }
}

void positions(const AttentionArguments& a, const Shapes& s) {
    if (a.pse_type != 0 && a.pse_type != 1) {
        invalid(fmt::format("argument 'pseType' is {}, which is not supported here; supported are 0 and 1",
                            a.pse_type));
    }
    if (a.pse) {
        has_rank(a.pse, 4, 4);
        scores_shape(a, s, a.pse, " (a compressed alibi of 1024 rows is not supported here)");
        same_dtype(a.query, a.pse);
    }
}

void dropout(const AttentionArguments& a, const Shapes& s) {
    if (!(a.keep_prob > 0 && a.keep_prob <= 1)) {
        invalid(fmt::format("argument 'keepProb' is {}, expected a number above 0 and up to 1", a.keep_prob));
    }
    if (!a.drop_mask) {
        if (a.keep_prob < 1 && !a.makes_dropout) {
            invalid(fmt::format("argument 'dropMask' is null, but 'keepProb' is {}", a.keep_prob));
        }
        return;
    }
    int64_t scores = s.query.batch * s.query.heads * s.query.tokens * s.key.tokens;
    if (a.layout == "TND") {
        scores = 0;
        int64_t query = 0;
        int64_t key = 0;
        for (size_t i = 0; i < a.query_ends.size(); ++i) {
            scores += s.query.heads * std::max<int64_t>(a.query_ends[i] - query, 0) *
                      std::max<int64_t>(a.key_ends[i] - key, 0);
            query = std::max(query, a.query_ends[i]);
            key = std::max(key, a.key_ends[i]);
        }
    }
    if (a.drop_mask.elements() < (scores + 7) / 8) {
        invalid(fmt::format("argument 'dropMask' has {} bytes, expected a bit for each of {} scores",
                            a.drop_mask.elements(), scores));
    }
}

void statistics(const AttentionArguments& a, const Shapes& s) {
    for (const Operand& t : {a.softmax_max, a.softmax_sum}) {
        if (a.layout == "TND") {
            const int64_t wanted[] = {s.query.tokens, s.query.heads, kStatisticsCopies};
            has_shape(t, wanted, "tokens, heads, 8");
        } else {
            const int64_t wanted[] = {s.query.batch, s.query.heads, s.query.tokens, kStatisticsCopies};
            has_shape(t, wanted, "batch, heads, queries, 8");
        }
    }
}

}  // namespace

void attention(const AttentionArguments& a, const Operand& out) {
    known_layout(a);
    same_dtype(a.query, a.key);
    same_dtype(a.query, a.value);
    same_dtype(a.query, out);
    const Shapes s = shapes(a);
    sequence_ends(a, s);
    masks(a, s);
    positions(a, s);
    dropout(a, s);
    statistics(a, s);
    Shape wanted(a.query.shape().begin(), a.query.shape().end());
    const bool merged = a.layout == "BSH" || a.layout == "SBH";
    wanted.back() = merged ? s.query.heads * s.value.depth : s.value.depth;
    has_shape(out, wanted, "the query's shape with the value's depth");
}

void attention_gradients(const Operand& query, const Operand& key, const Operand& value, const Operand& pse,
                         const Operand& grad_query, const Operand& grad_key, const Operand& grad_value,
                         const Operand& grad_pse) {
    const auto like = [](const Operand& model, const Operand& gradient) {
        same_shape(model, gradient);
        same_dtype(model, gradient);
    };
    like(query, grad_query);
    like(key, grad_key);
    like(value, grad_value);
    if (pse) {
        if (!grad_pse) {
            invalid("argument 'dpse' is null, but there is a pse");
        }
        like(pse, grad_pse);
    }
}

void not_supported(std::initializer_list<Operand> inputs) {
    for (const Operand& input : inputs) {
        if (input && input.elements() != 0) {
            invalid(fmt::format("argument '{}' is not supported here, expected none", input.name()));
        }
    }
}

void only(const char* name, int64_t value, int64_t supported) {
    if (value != supported) {
        invalid(fmt::format("argument '{}' is {}, which is not supported here; supported is {}", name, value,
                            supported));
    }
}

}  // namespace opweld::npu::aclnn::check
