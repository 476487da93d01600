// Formulas: their C++ and Python, and what is refused.
#include "spec/formula/formula.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "spec/formula/unknown_calls.h"

namespace opweld::spec::formula {
namespace {

using expr::Type;

Scope scope() {
    return {{"x", Type::tensor()},
            {"weight", Type::tensor()},
            {"grad", Type::tensor()},
            {"bias", Type::optional(Type::tensor())},
            {"ts", Type::list(Type::tensor())},
            {"use_bias", Type::boolean()},
            {"eps", Type::optional(Type::floating())},
            {"dims", Type::list(Type::integer())},
            {"n", Type::integer()}};
}

struct Case {
    const char* text;
    const char* cpp;
    const char* python;
};

class Emission : public testing::TestWithParam<Case> {};

TEST_P(Emission, GivesBothTexts) {
    const Case& expected = GetParam();
    const FormulaResult result = compile_formula(expected.text, scope());
    ASSERT_TRUE(result.formula) << expected.text << ": " << result.errors[0].message;
    EXPECT_EQ(emit_cpp(*result.formula), expected.cpp);
    EXPECT_EQ(emit_python(*result.formula), expected.python);
}

const Case cases[] = {
    {"at::linear(x, weight, use_bias ? bias : Tensor())",
     "at::linear(x, weight, use_bias ? bias.value_or(at::Tensor()) : at::Tensor())",
     "torch.nn.functional.linear(x, weight, bias if use_bias else None)"},
    {"grad * weight.t()", "grad * weight.t()", "grad * weight.t()"},
    {"grad*(1-x*x)", "grad * (1 - x * x)", "grad * (1 - x * x)"},
    {"grad - (x - weight)", "grad - (x - weight)", "grad - (x - weight)"},
    {"-x / n", "-x / n", "-x / n"},
    {"-(x + 1)", "-(x + 1)", "-(x + 1)"},
    {"matmul(x, weight)", "at::matmul(x, weight)", "torch.matmul(x, weight)"},
    {"::at::add(x, weight, 2)", "at::add(x, weight, 2)", "torch.add(x, weight, alpha=2)"},
    {"x.add(weight, 2)", "x.add(weight, 2)", "x.add(weight, alpha=2)"},
    {"at::native_layer_norm(x, {4}, weight, bias, 1e-5)", "at::native_layer_norm(x, {4}, weight, bias, 1e-5)",
     "torch.ops.aten.native_layer_norm(x, [4], weight, bias, 1e-5)"},
    {"std::get<0>(at::native_layer_norm(x, {4}, weight, c10::nullopt, 1e-5))",
     "std::get<0>(at::native_layer_norm(x, {4}, weight, std::nullopt, 1e-5))",
     "torch.ops.aten.native_layer_norm(x, [4], weight, None, 1e-5)[0]"},
    {"bias.has_value() ? x + bias : x", "bias.has_value() && bias->defined() ? x + *bias : x",
     "x + bias if bias is not None else x"},
    {"!bias.has_value() ? x : bias->t()", "!(bias.has_value() && bias->defined()) ? x : bias->t()",
     "x if not bias is not None else bias.t()"},
    {"use_bias && bias.has_value() ? *bias : x",
     "use_bias && (bias.has_value() && bias->defined()) ? *bias : x",
     "bias if use_bias and bias is not None else x"},
    {"bias", "bias.value_or(at::Tensor())", "bias"},
    {"nullopt", "at::Tensor()", "None"},
    {"bias.value() + 1", "bias.value() + 1", "bias + 1"},
    {"at::sum(x, dims, true)", "at::sum(x, dims, true)", "torch.sum(x, dims, True)"},
    {"x.sum({0, 1}, false, at::kFloat)", "x.sum({0, 1}, false, at::kFloat)",
     "x.sum([0, 1], False, dtype=torch.float32)"},
    {"at::zeros({2, 3}, x.options().dtype(kLong))", "at::zeros({2, 3}, x.options().dtype(at::kLong))",
     "torch.ops.aten.zeros([2, 3], dtype=torch.int64, device=x.device)"},
    {"at::full(x.sizes(), n, x.options())", "at::full(x.sizes(), n, x.options())",
     "torch.ops.aten.full(x.shape, n, dtype=x.dtype, device=x.device)"},
    {"x / (x.size(0) / 2)", "x / (x.size(0) / 2)", "x / (x.size(0) // 2)"},
    {"x.reshape({x.sym_size(0), -1}).to(weight.scalar_type())",
     "x.reshape({x.sym_size(0), -1}).to(weight.scalar_type())",
     "x.reshape([x.size(0), -1]).to(weight.dtype)"},
    {"n > 2 && (use_bias || n == 1) ? x : weight", "n > 2 && (use_bias || n == 1) ? x : weight",
     "x if n > 2 and (use_bias or n == 1) else weight"},
    {"use_bias || n == 1 && n != 2 ? x : weight", "use_bias || (n == 1 && n != 2) ? x : weight",
     "x if use_bias or n == 1 and n != 2 else weight"},
    {"x * eps.value_or(0.5)", "x * eps.value_or(0.5)", "x * (eps if eps is not None else 0.5)"},
    {"x * (eps.has_value() ? eps : 1.0)", "x * (eps.has_value() ? *eps : 1.0)",
     "x * (eps if eps is not None else 1.0)"},
    {"at::mse_loss_backward(grad, x, weight, at::Reduction::Mean)",
     "at::mse_loss_backward(grad, x, weight, at::Reduction::Mean)",
     "torch.ops.aten.mse_loss_backward(grad, x, weight, 1)"},
    {"at::cat({ts[0], x}, -1)", "at::cat({ts[0], x}, -1)", "torch.cat([ts[0], x], -1)"},
    {"at::gelu(x, \"tanh\")", "at::gelu(x, \"tanh\")", "torch.ops.aten.gelu(x, approximate=\"tanh\")"},
    {"grad.defined() ? grad : Tensor()", "grad.defined() ? grad : at::Tensor()",
     "grad if grad is not None else None"},
    {"at::mul(x, Scalar(2))", "at::mul(x, at::Scalar(2))", "torch.mul(x, 2)"},
    {"use_bias ? (n == 1 ? x : weight) : grad", "use_bias ? (n == 1 ? x : weight) : grad",
     "(x if n == 1 else weight) if use_bias else grad"},
};
INSTANTIATE_TEST_SUITE_P(Formulas, Emission, testing::ValuesIn(cases));

TEST(Formula, NamesAreReplaced) {
    const FormulaResult result = compile_formula("bias.has_value() ? x * bias : x", scope());
    ASSERT_TRUE(result.formula);
    const Names names{{"x", "saved_x"}, {"bias", "saved_bias"}};
    EXPECT_EQ(emit_cpp(*result.formula, names),
              "saved_bias.has_value() && saved_bias->defined() ? saved_x * *saved_bias : saved_x");
    EXPECT_EQ(emit_python(*result.formula, names),
              "saved_x * saved_bias if saved_bias is not None else saved_x");
}

TEST(Formula, KnowsItsNamesAndFunctions) {
    const FormulaResult result = compile_formula("at::add(x.t(), relu(weight)) * n", scope());
    ASSERT_TRUE(result.formula);
    EXPECT_EQ(result.formula->free_names(), (std::set<std::string>{"n", "weight", "x"}));
    EXPECT_EQ(result.formula->functions(), (std::set<std::string>{"add", "relu"}));
}

struct Fault {
    const char* text;
    std::size_t offset;
    std::size_t length;
    const char* message;
    const char* hint;
};

class Faults : public testing::TestWithParam<Fault> {};

TEST_P(Faults, AreReportedInPlace) {
    const Fault& fault = GetParam();
    const FormulaResult result = compile_formula(fault.text, scope());
    ASSERT_FALSE(result.errors.empty()) << fault.text;
    EXPECT_FALSE(result.formula);
    EXPECT_EQ(result.errors[0].message, fault.message) << fault.text;
    EXPECT_EQ(result.errors[0].hint, fault.hint) << fault.text;
    EXPECT_EQ(result.errors[0].span.offset, fault.offset) << fault.text;
    EXPECT_EQ(result.errors[0].span.length, fault.length) << fault.text;
}

const Fault faults[] = {
    {"", 0, 0, "expected a value, found the end", ""},
    {"grad * (2", 9, 0, "expected ')' to close the bracket, found the end", ""},
    {"grad * wieght", 7, 6, "nothing here is called 'wieght'", "did you mean 'weight'?"},
    {"bias * 2", 0, 4, "'bias' may be absent where it is computed with",
     "test it first: bias.has_value() ? ... : ..."},
    {"bias.t()", 0, 4, "'bias' may be absent where it is asked for t()",
     "test it first: bias.has_value() ? ... : ..."},
    {"use_bias ? bias.t() : x", 11, 4, "'bias' may be absent where it is asked for t()",
     "test it first: bias.has_value() ? ... : ..."},
    {"bias.has_value() ? x : bias.t()", 23, 4, "'bias' may be absent where it is asked for t()",
     "test it first: bias.has_value() ? ... : ..."},
    {"x.value()", 0, 9, "'x' is not optional and has no value()", "write x"},
    {"x.has_value() ? x : grad", 0, 13, "'x' is not optional", "write .defined()"},
    {"*x", 0, 2, "'x' is not optional", "leave the '*' out"},
    {"x.t", 3, 0, "the method t is not called", "write t()"},
    {"x;", 1, 1, "';' where the formula should end", "a formula is one expression, without a semicolon"},
    {"x = 2", 2, 1, "unexpected character '='", "write == to compare"},
    {"at::kFoo", 0, 8, "'kFoo' is not a constant that formulas know",
     "known are at::kFloat and the other dtypes, at::Reduction::..., at::MemoryFormat::..."},
    {"std::move(x)", 0, 12, "'std::move' is not a function of ATen",
     "formulas call at:: functions and tensor methods"},
    {"x ? x : grad", 0, 1, "'x' is a tensor, not a condition",
     "write x.has_value() to ask whether it is there"},
    {"1.0f * x", 0, 4, "'1.0f' is not a number", "write 2, 0.5 or 1e-5, without a suffix"},
    {"x.options()", 0, 11, "options() outside of the arguments of an at:: function",
     "give it to at::zeros, at::full and the like"},
    {"x * (use_bias ? eps : 1.0)", 16, 3, "'eps' may be absent in a conditional expression",
     "give a value for its absence: x.has_value() ? x.value() : ..."},
    {"f(\"a", 2, 2, "a string without an end", "end it with \""},
    {"not_implemented(\"x\")", 0, 20, "not_implemented() is no formula",
     "leave the input out of 'backward', or write 'backward: none'"},
};
INSTANTIATE_TEST_SUITE_P(Formulas, Faults, testing::ValuesIn(faults));

TEST(Formula, RefusesWhatIsTooDeepOrTooLong) {
    for (const char part : {'(', '-', '{', '!', '*'}) {
        EXPECT_FALSE(compile_formula(std::string(10'000, part) + "x", scope()).formula) << part;
    }
    std::string sum = "x";
    for (int i = 0; i < 1000; ++i) {
        sum += "+x";
    }
    EXPECT_FALSE(compile_formula(sum, scope()).formula);
    EXPECT_FALSE(compile_formula(std::string(20'000, ' '), scope()).formula);
}

TEST(Formula, SurvivesMutations) {
    std::mt19937 random(20240611);
    const std::string alphabet =
        "(){}[]<>,.?:!&|*-+/%\"x1e \n\x80"
        "at::biasTensor()nullopt->=";
    const auto pick = [&](std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
    };
    std::size_t accepted = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string text = cases[pick(std::size(cases))].text;
        for (std::size_t edits = pick(4); edits > 0; --edits) {
            const std::size_t at = pick(text.size() + 1);
            if (pick(2) == 0 || at == text.size()) {
                text.insert(at, 1, alphabet[pick(alphabet.size())]);
            } else {
                text.erase(at, 1 + pick(3));
            }
        }
        const FormulaResult result = compile_formula(text, scope());
        ASSERT_EQ(result.formula.has_value(), result.errors.empty()) << text;
        for (const Diagnostic& error : result.errors) {
            ASSERT_LE(error.span.end(), text.size()) << text;
        }
        if (result.formula) {
            ++accepted;
            ASSERT_FALSE(emit_cpp(*result.formula).empty());
            ASSERT_FALSE(emit_python(*result.formula).empty());
        }
    }
    EXPECT_GT(accepted, 4'000U);
}

std::vector<Diagnostic> unknown_in(std::string_view text) {
    const FormulaResult result = compile_formula(text, scope());
    return result.formula ? unknown_calls(*result.formula) : result.errors;
}

class KnownCalls : public testing::TestWithParam<const char*> {};

TEST_P(KnownCalls, AreNotReported) {
    for (const Diagnostic& fault : unknown_in(GetParam())) {
        ADD_FAILURE() << GetParam() << ": " << fault.message;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Formulas, KnownCalls,
    testing::Values("at::linear(x, weight, use_bias ? bias : Tensor())", "at::tensor(2.0)",
                    "at::zeros_like(x)", "at::zeros({2}, x.options().dtype(at::kFloat))",
                    "x.to(at::kHalf).sum({0}, true)", "std::get<1>(at::max(x, 0)).to(at::kInt)",
                    "at::split(x, 2, 0)[0].relu_()", "at::chunk(x, 2).front()", "x.chunk(2).front()",
                    "x.sizes().slice(1)", "ts.size()", "bias.has_value() ? bias.value().t() : x",
                    "x.contiguous().view({-1}) * x.size(0)", "x.sum_to_size(weight.sizes())",
                    "x.defined() ? x : weight"));

struct Unknown {
    const char* text;
    const char* word;  // where the fault stands
    const char* hint;
};

class UnknownCalls : public testing::TestWithParam<Unknown> {};

TEST_P(UnknownCalls, AreReportedWithTheNearestName) {
    const auto [text, word, hint] = GetParam();
    const std::vector<Diagnostic> found = unknown_in(text);
    ASSERT_EQ(found.size(), 1U) << text;
    EXPECT_EQ(std::string_view(text).substr(found[0].span.offset, found[0].span.length), word);
    EXPECT_EQ(found[0].hint, hint);
}

INSTANTIATE_TEST_SUITE_P(
    Formulas, UnknownCalls,
    testing::Values(Unknown{"at::sofmax(x, -1)", "at::sofmax", "did you mean 'at::softmax'?"},
                    Unknown{"matmull(x, weight)", "matmull", "did you mean 'at::matmul'?"},
                    Unknown{"at::scaled_dot_product(x, x, x)", "at::scaled_dot_product",
                            "did you mean 'at::scaled_dot_product_attention'?"},
                    Unknown{"at::contiguous(x)", "at::contiguous", "it is a method: write x.contiguous(...)"},
                    Unknown{"at::numel()", "at::numel", "it is a method: write x.numel()"},
                    Unknown{"(x * 2).transposed(0, 1)", "transposed", "did you mean 'transpose'?"},
                    Unknown{"x.linear(weight)", "linear", "it is a function: write at::linear(x, ...)"},
                    Unknown{"at::relu(x).float()", "float", "write .to(at::kFloat)"},
                    Unknown{"-x.t().half()", "half", "write .to(at::kHalf)"},
                    Unknown{"bias.has_value() ? bias.value() : x.qqqqqqqqqqqq()", "qqqqqqqqqqqq", ""},
                    Unknown{"at::add(x, at::qqqqqqqqqqqq(x))", "at::qqqqqqqqqqqq", ""}));

}  // namespace
}  // namespace opweld::spec::formula
