// The text of emitted expressions: it must read well.
#include "spec/expr/emit.h"

#include <gtest/gtest.h>

#include "tests/cpp/spec/expr/sample_scope.h"

namespace opweld::spec::expr {
namespace {

struct Case {
    const char* text;
    const char* sym;
    const char* host;
    const char* graph;
    const char* python;
};

class Emission : public testing::TestWithParam<Case> {};

TEST_P(Emission, GivesAllTexts) {
    const Case& expected = GetParam();
    const CompileResult result = compile(expected.text, sample_scope());
    ASSERT_TRUE(result.expression) << expected.text << ": " << result.errors[0].message;
    EXPECT_EQ(emit_cpp(*result.expression, Flavour::sym), expected.sym);
    EXPECT_EQ(emit_cpp(*result.expression, Flavour::host), expected.host);
    EXPECT_EQ(emit_cpp(*result.expression, Flavour::graph), expected.graph);
    EXPECT_EQ(emit_python(*result.expression), expected.python);
}

const Case cases[] = {
    {"x.shape[:-1] + [w.shape[0]]",
     "expr::concat(expr::slice(x.sym_sizes(), 0, -1), expr::Sizes{w.sym_size(0)})",
     "expr::concat(expr::slice(x.shape, 0, -1), expr::Ints{expr::item(w.shape, 0)})",
     "expr::concat(expr::slice(x.shape, 0, -1), expr::Ints{expr::item(w.shape, 0)})",
     "list(x.shape[:-1]) + [w.shape[0]]"},
    {"w.ndim == 2", "w.dim() == 2", "w.ndim() == 2", "w.ndim() == 2", "w.ndim == 2"},
    {"x.shape[-1] == w.shape[1]", "x.sym_size(-1).sym_eq(w.sym_size(1))",
     "expr::item(x.shape, -1) == expr::item(w.shape, 1)", "expr::item(x.shape, -1) == expr::item(w.shape, 1)",
     "x.shape[-1] == w.shape[1]"},
    {"bias is None or bias.shape == [w.shape[0]]",
     "expr::either(!expr::has_value(bias), [&] { return expr::equal(bias->sym_sizes(), "
     "expr::Sizes{w.sym_size(0)}); })",
     "!bias.has_value() || expr::equal(bias->shape, expr::Ints{expr::item(w.shape, 0)})",
     "expr::either(!bias.has_value(), [&] { return expr::equal(bias->shape, expr::Ints{expr::item(w.shape, "
     "0)}); })",
     "bias is None or list(bias.shape) == [w.shape[0]]"},
    {"not flag or bias is not None", "!flag || expr::has_value(bias)", "!flag || bias.has_value()",
     "expr::either(expr::negate(flag), [&] { return bias.has_value(); })", "not flag or bias is not None"},
    {"x.shape", "expr::to_list(x.sym_sizes())", "expr::to_list(x.shape)", "x.shape", "list(x.shape)"},
    {"x.dtype in [float16, bfloat16]",
     "expr::contains(expr::DTypes{at::kHalf, at::kBFloat16}, x.scalar_type())",
     "expr::contains(expr::DTypes{expr::DType::float16, expr::DType::bfloat16}, x.dtype)",
     "expr::contains(expr::DTypes{expr::DType::float16, expr::DType::bfloat16}, x.dtype)",
     "x.dtype in [torch.float16, torch.bfloat16]"},
    {"bias.dtype if bias is not None else float32",
     "expr::has_value(bias) ? bias->scalar_type() : at::kFloat",
     "bias.has_value() ? bias->dtype : expr::DType::float32",
     "expr::select<expr::DTypeValue>(bias.has_value(), [&] { return bias->dtype; }, "
     "[&] { return expr::DType::float32; })",
     "bias.dtype if bias is not None else torch.float32"},
    {"n if k > n else 3", "expr::guard(k.sym_gt(n)) ? n : int64_t(3)", "k > n ? expr::Int(n) : expr::Int(3)",
     "expr::select<expr::Int>(k > n, [&] { return n; }, [&] { return 3; })", "n if k > n else 3"},
    {"[d // 2 for d in x.shape]",
     "expr::map(x.sym_sizes(), [&](const c10::SymInt& d) { return expr::floor_div(d, 2); })",
     "expr::map(x.shape, [&](expr::Int d) { return expr::floor_div(d, 2); })",
     "expr::map<expr::Int>(x.shape, [&](const expr::Int& d) { return expr::floor_div(d, 2); })",
     "[d // 2 for d in x.shape]"},
    {"[0 for int in range(n)]", "expr::map(expr::range(n), [&](int64_t) { return int64_t(0); })",
     "expr::map(expr::range(n), [&](expr::Int) { return expr::Int(0); })",
     "expr::map<expr::Int>(expr::range(n), [&](const expr::Int&) { return 0; })", "[0 for int in range(n)]"},
    {"[int for int in axes]", "expr::map(axes, [&](int64_t int_) { return int_; })",
     "expr::map(axes, [&](expr::Int int_) { return int_; })",
     "expr::map<expr::Int>(axes, [&](const expr::Int& int_) { return int_; })", "[int for int in axes]"},
    {"n - (k - 1) * -2", "n - (k - 1) * -2", "n - (k - 1) * -2", "n - (k - 1) * -2", "n - (k - 1) * -2"},
    {"(flag or n > 1) and not (flag and n < 5)", "(flag || n > 1) && !(flag && n < 5)",
     "(flag || n > 1) && !(flag && n < 5)",
     "expr::both(expr::either(flag, [&] { return n > 1; }), "
     "[&] { return expr::negate(expr::both(flag, [&] { return n < 5; })); })",
     "(flag or n > 1) and not (flag and n < 5)"},
    {"maybe_mode is not None and maybe_mode == 'a\"b'",
     "expr::has_value(maybe_mode) && *maybe_mode == \"a\\\"b\"",
     "maybe_mode.has_value() && *maybe_mode == \"a\\\"b\"",
     "expr::both(maybe_mode.has_value(), [&] { return *maybe_mode == \"a\\\"b\"; })",
     "maybe_mode is not None and maybe_mode == \"a\\\"b\""},
    {"k == 2 and n // k == 1",
     "expr::both(expr::guard(k.sym_eq(2)), [&] { return expr::floor_div(n, k).sym_eq(1); })",
     "k == 2 && expr::floor_div(n, k) == 1", "expr::both(k == 2, [&] { return expr::floor_div(n, k) == 1; })",
     "k == 2 and n // k == 1"},
    {"[]", "expr::Ints{}", "expr::Ints{}", "expr::Ints::empty()", "[]"},
    {"max(n, 2) + min(axes)", "expr::max(n, 2) + expr::min(axes)", "expr::max(n, 2) + expr::min(axes)",
     "expr::max(expr::Ints{n, 2}) + expr::min(axes)", "max(n, 2) + min(axes)"},
    {"2 * 3 + 1", "7", "7", "7", "7"},
    {"1 < n <= 3", "1 < n && n <= 3", "1 < n && n <= 3", "expr::both(1 < n, [&] { return n <= 3; })",
     "1 < n and n <= 3"},
    {"(n == 1) == flag", "(n == 1) == flag", "(n == 1) == flag", "(n == 1) == flag", "(n == 1) == flag"},
    {"alpha * n", "alpha * expr::to_float(n)", "alpha * expr::to_float(n)", "alpha * expr::to_float(n)",
     "alpha * n"},
};
INSTANTIATE_TEST_SUITE_P(Expressions, Emission, testing::ValuesIn(cases));

TEST(Emit, ReplacesNames) {
    const CompileResult result = compile("[i + n for i in axes] + x.shape[n:]", sample_scope());
    ASSERT_TRUE(result.expression);
    EmitOptions options;
    options.names = {{"n", "i"}, {"axes", "call.axes"}, {"x", "self"}};
    EXPECT_EQ(emit_cpp(*result.expression, Flavour::host, options),
              "expr::concat(expr::map(call.axes, [&](expr::Int i_) { return i_ + i; }), "
              "expr::slice(self.shape, i))");
    EXPECT_EQ(emit_python(*result.expression, options), "[i + i for i in call.axes] + list(self.shape[i:])");
}

TEST(Emit, MakesSymbolicResultsOnRequest) {
    const Scope scope = sample_scope();
    EmitOptions options;
    options.symbolic_result = true;
    const auto text = [&](const char* source) {
        return emit_cpp(*compile(source, scope).expression, Flavour::sym, options);
    };
    EXPECT_EQ(text("[1, 2]"), "expr::Sizes{1, 2}");
    EXPECT_EQ(text("axes"), "expr::to_sizes(axes)");
    EXPECT_EQ(text("n + 1"), "c10::SymInt(n + 1)");
    EXPECT_EQ(text("flag"), "c10::SymBool(flag)");
    EXPECT_EQ(text("x.shape[1:]"), "expr::slice(x.sym_sizes(), 1)");
}

TEST(Emit, NamesTypesOfResults) {
    const Type ints = Type::list(Type::integer());
    EXPECT_EQ(cpp_type(ints, Flavour::sym), "expr::Ints");
    EXPECT_EQ(cpp_type(ints.as_symbolic(), Flavour::sym), "expr::Sizes");
    EXPECT_EQ(cpp_type(Type::optional(Type::dtype()), Flavour::sym), "std::optional<at::ScalarType>");
    EXPECT_EQ(cpp_type(Type::boolean().as_symbolic(), Flavour::sym), "c10::SymBool");
    EXPECT_EQ(cpp_type(Type::boolean().as_symbolic(), Flavour::host), "bool");
    EXPECT_EQ(cpp_type(Type::list(ints), Flavour::graph), "expr::IntLists");
    EXPECT_THROW(cpp_type(Type::opaque("Device"), Flavour::host), std::invalid_argument);
}

TEST(Emit, CallsHiddenFunctionsInPythonByAnotherName) {
    const Scope scope{{"max", Type::integer()}};
    EXPECT_EQ(emit_python(*compile("$max(max, 2)", scope).expression), "_functions.max(max, 2)");
    EXPECT_EQ(emit_cpp(*compile("$max(max, 2)", scope).expression, Flavour::host), "expr::max(max, 2)");
}

}  // namespace
}  // namespace opweld::spec::expr
