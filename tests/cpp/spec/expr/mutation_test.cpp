// Damaged expressions never crash the compiler, and what still compiles can be emitted and evaluated.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

#include "spec/expr/emit.h"
#include "tests/cpp/spec/expr/sample_scope.h"

namespace opweld::spec::expr {
namespace {

constexpr std::array<const char*, 12> seeds{
    "x.shape[:-1] + [w.shape[0]]",
    "bias is None or bias.shape == [w.shape[0]]",
    "bias.dtype if bias is not None else promote(x, dt, 2.5)",
    "[t.ndim if t is not None else -1 for t in maybe_ts]",
    "[[i + j for j in range(2)] for i in range(n)]",
    "0 < k <= n and not flag or mode in ['a', \"b\"]",
    "reduced(x, maybe_axes, True) + broadcast(x, [1, 4])",
    "ceil_div(sum(sizes) - prod(axes), max(1, n)) % 7 // 2",
    "conv_out(k, 3, 1, 0, n)",
    "float32 if alpha / 2 > factor else dtype_of(n)",
    "min(scales) * -abs(alpha) != 1e-3",
    "$len(nested[0][1:n])",
};
constexpr std::string_view alphabet = "()[]:,.+-*/%<>=!$'\"0129eE_ xnbiaskforinotNone\n\t\\\xff\xc3";

TEST(Mutation, NeverCrashes) {
    std::mt19937 random(7);
    const auto pick = [&](std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
    };
    const Scope scope = sample_scope();
    std::size_t accepted = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string text = seeds[pick(seeds.size())];
        for (std::size_t edits = 1 + pick(3); edits > 0; --edits) {
            const std::size_t at = pick(text.size() + 1);
            switch (pick(3)) {
                case 0:
                    text.insert(at, 1, alphabet[pick(alphabet.size())]);
                    break;
                case 1:
                    text.erase(at, 1 + pick(3));
                    break;
                default: {
                    const std::string other = seeds[pick(seeds.size())];
                    const std::size_t start = pick(other.size());
                    text.insert(at, other, start, pick(12));
                }
            }
        }
        const CompileResult result = compile(text, scope);
        ASSERT_EQ(result.expression.has_value(), result.errors.empty()) << text;
        for (const Diagnostic& error : result.errors) {
            ASSERT_LE(error.span.end(), text.size()) << text;
            ASSERT_FALSE(error.message.empty()) << text;
        }
        if (!result.expression) {
            continue;
        }
        ++accepted;
        for (const Flavour flavour : {Flavour::sym, Flavour::host, Flavour::graph}) {
            ASSERT_FALSE(emit_cpp(*result.expression, flavour).empty());
        }
        ASSERT_FALSE(emit_python(*result.expression).empty());
        for (std::size_t i = 0; i < sample_count; ++i) {
            try {
                evaluate(*result.expression, sample_bindings(i));
            } catch (const EvaluationError& error) {
                ASSERT_LE(error.span().end(), text.size()) << text;
            } catch (const std::exception& error) {
                FAIL() << error.what() << " in " << text;
            }
        }
    }
    EXPECT_GT(accepted, 400U);
}

}  // namespace
}  // namespace opweld::spec::expr
