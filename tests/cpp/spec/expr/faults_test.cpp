// What is refused, where, and what is said about it.
#include <gtest/gtest.h>

#include <string>

#include "tests/cpp/spec/expr/sample_scope.h"

namespace opweld::spec::expr {
namespace {

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
    const CompileResult result = compile(fault.text, sample_scope());
    ASSERT_EQ(result.errors.size(), 1U) << fault.text;
    EXPECT_FALSE(result.expression);
    EXPECT_EQ(result.errors[0].message, fault.message) << fault.text;
    EXPECT_EQ(result.errors[0].hint, fault.hint) << fault.text;
    EXPECT_EQ(result.errors[0].span.offset, fault.offset) << fault.text;
    EXPECT_EQ(result.errors[0].span.length, fault.length) << fault.text;
}

const Fault syntax[] = {
    {"", 0, 0, "expected a value, found the end", ""},
    {"1 +", 3, 0, "expected a value, found the end", ""},
    {"(1", 2, 0, "expected ')' to close the bracket, found the end", ""},
    {"[1, 2", 5, 0, "expected ']' to close the list, found the end", ""},
    {"1 2", 2, 1, "'2' where the expression should end", ""},
    {"n = 2", 2, 1, "'=' is not an operator here", "write '==' to compare"},
    {"flag && flag", 5, 2, "'&&' is not an operator here", "write 'and'"},
    {"flag || flag", 5, 2, "'||' is not an operator here", "write 'or'"},
    {"!flag", 0, 1, "'!' is not an operator here", "write 'not'"},
    {"flag ? 1 : 2", 5, 1, "'?' is not an operator here", "write 'a if condition else b'"},
    {"n ** 2", 2, 2, "'**' is not an operator here", "multiply instead"},
    {"x.shape[::2]", 9, 1, "slices have no step here", "write [a[i] for i in range(start, stop, step)]"},
    {"x.shape[0, 1]", 9, 1, "only one index is possible", "index lists of lists step by step: a[i][j]"},
    {"x.size(0)", 6, 1, "this cannot be called", "write x.shape[0]"},
    {"x.size()", 6, 1, "this cannot be called", "write x.shape"},
    {"xs[0].dim()", 9, 1, "this cannot be called", "write xs[0].ndim"},
    {"x.numel()", 7, 1, "this cannot be called", "write prod(x.shape)"},
    {"x.size(0", 6, 1, "this cannot be called", "write x.shape"},
    {"x.shape(0)", 7, 1, "this cannot be called", "write x.shape[0]"},
    {"x.shape[]", 8, 1, "an index is missing", ""},
    {"(1, 2)", 2, 1, "there are no tuples here", "write a list: [a, b]"},
    {"1 if flag", 9, 0, "expected 'else' after the condition, found the end", ""},
    {"sum(i for i in axes)", 6, 3, "a loop outside of a list", "put it in brackets: f([e for i in list])"},
    {"[i for i in axes if i]", 17, 2, "'if' is not possible in a loop here", "the form is [e for i in list]"},
    {"reduced(x, axes, keepdim=True)", 24, 1, "arguments have no names here", "give them by position"},
    {"x is 3", 5, 1, "expected 'None' after 'is', found '3'", "write '==' to compare values"},
    {"$max", 0, 4, "the function $max is not called", "write $max(...)"},
    {"x.shape.3", 7, 2, "'.3' where the expression should end", ""},
    {"12ab", 0, 4, "'12ab' is not a number", "integers are decimal; floats are written as 0.5 or 1e-5"},
    {"007", 0, 3, "the integer 007 starts with a zero", "leave the zeros out"},
    {"9223372036854775808", 0, 19, "the number 9223372036854775808 is too large",
     "integers have 64 bits, floats too"},
    {"'abc", 0, 4, "a string without an end", "end it with '"},
    {"\"a\\q\"", 2, 2, "an unknown escape in a string", "known are \\\\, \\', \\\", \\n and \\t"},
    {"n + §", 4, 2, "unexpected character '§'", ""},
    {"flag == (1 < n < 3) == flag", 9, 9, "a chain of comparisons inside a chain of comparisons",
     "name the inner one under 'let:'"},
};

const Fault names[] = {
    {"weight.shape", 0, 6, "nothing here is called 'weight'", ""},
    {"bais is None", 0, 4, "nothing here is called 'bais'", "did you mean 'bias'?"},
    {"x.dtype == floot32", 11, 7, "nothing here is called 'floot32'", "did you mean 'float32'?"},
    {"true", 0, 4, "nothing here is called 'true'", "write True, False or None"},
    {"len", 0, 3, "'len' is a function", "call it: len(list)"},
    {"lne(axes)", 0, 9, "there is no function 'lne'", "did you mean 'len'?"},
    {"x.shap", 0, 6, "tensors have no .shap here", "did you mean '.shape'?"},
    {"x.dim", 0, 5, "tensors have no .dim here", "did you mean '.ndim'?"},
    {"ts.shape", 0, 8, "'ts' is a list[Tensor], which has no .shape", "take one of its tensors: ts[0].shape"},
    {"n.shape", 0, 7, "'n' is an int, which has no .shape", "only tensors have .shape, .ndim and .dtype"},
    {"[n for n in axes]", 0, 17, "the loop variable 'n' hides another 'n'", "give it a name of its own"},
    {"[1 for lambda in axes]", 0, 22, "'lambda' is a keyword of Python",
     "give the loop variable another name"},
    {"[i for i in axes] + [i]", 21, 1, "nothing here is called 'i'", ""},
};

const Fault types[] = {
    {"x + 1", 0, 1, "'+' needs numbers, 'x' is a Tensor", ""},
    {"axes * 2", 0, 4, "'*' needs numbers, 'axes' is a list[int]",
     "to repeat an item write [item for i in range(n)]"},
    {"flag + 1", 0, 4, "'+' needs numbers, 'flag' is a bool", "write '1 if ... else 0'"},
    {"n / 2", 0, 5, "'/' divides floats, these are ints",
     "write '//' to round down or ceil_div(a, b) to round up"},
    {"alpha // 2", 0, 10, "'//' divides ints, one of these is a float", ""},
    {"axes + 1", 7, 1, "a list can only be joined with a list, '1' is an int", "write [1]"},
    {"axes + scales", 0, 13, "a list[int] cannot be joined with a list[float]", ""},
    {"[1, 'a']", 4, 3, "the items of a list differ in type: int and str", ""},
    {"[x]", 1, 1, "a list cannot hold a Tensor",
     "lists hold numbers, bools, strings, dtypes and lists of these"},
    {"1 if n else 2", 5, 1, "a condition must be a bool, 'n' is an int", "write n != 0"},
    {"not axes", 4, 4, "what 'not' negates must be a bool, 'axes' is a list[int]", "write len(axes) > 0"},
    {"flag and mode", 9, 4, "what 'and' joins must be a bool, 'mode' is a str", "write mode != \"\""},
    {"1 if flag else 'a'", 0, 18, "the two values of 'if' and 'else' differ in type: int and str", ""},
    {"mode < 'a'", 0, 10, "'<' does not compare a str with a str", ""},
    {"x == w", 0, 6, "'==' does not compare a Tensor with a Tensor", "compare their .shape, .ndim or .dtype"},
    {"n == mode", 0, 9, "'==' does not compare an int with a str", ""},
    {"8 > []", 0, 6, "'>' does not compare an int with an empty list", ""},
    {"1 if flag else []", 0, 17, "the two values of 'if' and 'else' differ in type: int and empty list", ""},
    {"n in mode", 5, 4, "'in' needs a list, 'mode' is a str", "strings can only be compared with '=='"},
    {"mode in axes", 0, 12, "a str cannot be in a list[int]", ""},
    {"axes[alpha]", 5, 5, "an index must be an int, this is a float", ""},
    {"n[0]", 0, 1, "expected a list, 'n' is an int", ""},
    {"x[0]", 0, 1, "expected a list, 'x' is a Tensor", "its sizes are x.shape"},
    {"len(x)", 4, 1, "len() needs a list, 'x' is a Tensor", "its sizes are x.shape"},
    {"len(axes, axes)", 0, 15, "len() does not take 2 arguments", "the form is len(list)"},
    {"reduced(x, n, True)", 11, 1, "reduced() needs a list of dimensions, or None, 'n' is an int",
     "write [n]"},
    {"ceil_div(n, 0.5)", 12, 3, "ceil_div() needs ints, '0.5' is a float", "the form is ceil_div(a, b)"},
    {"promote(mode)", 8, 4, "promote() needs tensors, dtypes or numbers, 'mode' is a str",
     "the form is promote(tensor_or_dtype_or_number, ...)"},
    {"1 // 0", 0, 6, "this has no value: division of 1 by zero", ""},
    {"9223372036854775807 + 1", 0, 23, "this has no value: integer overflow in 9223372036854775807 + 1", ""},
    {"1e300 * 1e300", 0, 13, "this has no value: it is too large for a float", ""},
    {"[][0]", 0, 5, "an empty list has no items", ""},
    {"device == 'npu'", 0, 15, "'==' does not compare a Device with a str", ""},
};

const char* const guard_hint = "test it first: 'bias is None or ...', or '... if bias is not None else ...'";
const Fault optionals[] = {
    {"bias.shape", 0, 4, "'bias' may be None here", guard_hint},
    {"bias is not None or bias.ndim == 1", 20, 4, "'bias' is None here",
     "None can be tested for with 'is None' and 'is not None'"},
    {"bias is None and bias.ndim == 1", 17, 4, "'bias' is None here",
     "None can be tested for with 'is None' and 'is not None'"},
    {"bias.ndim == 1 and bias is not None", 0, 4, "'bias' may be None here", guard_hint},
    {"(bias is None or flag) and bias.ndim == 1", 27, 4, "'bias' may be None here", guard_hint},
    {"not (bias is not None or flag) or bias.ndim == 1", 34, 4, "'bias' may be None here", guard_hint},
    {"bias.ndim if flag else 0", 0, 4, "'bias' may be None here", guard_hint},
    {"1 if bias is not None else bias.ndim", 27, 4, "'bias' is None here",
     "None can be tested for with 'is None' and 'is not None'"},
    {"bias == None", 0, 12, "'==' does not compare with None", "write 'is None'"},
    {"bias != None", 0, 12, "'!=' does not compare with None", "write 'is not None'"},
    {"x is None", 0, 1, "'x' is a Tensor, which is never None", "leave the test out, or make it optional"},
    {"maybe_n + 1", 0, 7, "'maybe_n' may be None here",
     "test it first: 'maybe_n is None or ...', or '... if maybe_n is not None else ...'"},
    {"maybe_ts[0].shape if maybe_ts[1] is not None else []", 0, 11, "'maybe_ts[0]' may be None here",
     "test it first: 'maybe_ts[0] is None or ...', or '... if maybe_ts[0] is not None else ...'"},
};

INSTANTIATE_TEST_SUITE_P(Syntax, Faults, testing::ValuesIn(syntax));
INSTANTIATE_TEST_SUITE_P(Names, Faults, testing::ValuesIn(names));
INSTANTIATE_TEST_SUITE_P(Types, Faults, testing::ValuesIn(types));
INSTANTIATE_TEST_SUITE_P(Optionals, Faults, testing::ValuesIn(optionals));

TEST(Compile, ReportsAllFaultsInOrder) {
    const CompileResult result = compile("[foo, bias.shape[0], 1 // 0, mode + 1]", sample_scope());
    ASSERT_EQ(result.errors.size(), 4U);
    EXPECT_EQ(result.errors[0].span.offset, 1U);
    EXPECT_EQ(result.errors[1].span.offset, 6U);
    EXPECT_EQ(result.errors[2].span.offset, 21U);
    EXPECT_EQ(result.errors[3].span.offset, 29U);
}

TEST(Compile, HoldsTheTypeAgainstTheExpectedOne) {
    const auto expecting = [](const char* text, const Type& type) {
        return compile(text, sample_scope(), type);
    };
    EXPECT_TRUE(expecting("x.shape", Type::list(Type::integer())).expression);
    EXPECT_TRUE(expecting("[]", Type::list(Type::integer())).expression);
    EXPECT_TRUE(expecting("2", Type::floating()).expression);
    EXPECT_TRUE(expecting("[1, 2.5]", Type::list(Type::floating())).expression);
    EXPECT_TRUE(expecting("2", Type::optional(Type::integer())).expression);
    EXPECT_TRUE(expecting("None", Type::optional(Type::integer())).expression);
    const CompileResult list = expecting("  n", Type::list(Type::integer()));
    ASSERT_EQ(list.errors.size(), 1U);
    EXPECT_EQ(list.errors[0].message, "expected list[int], this is int");
    EXPECT_EQ(list.errors[0].span, (Span{2, 1}));
    EXPECT_EQ(expecting("bias", Type::tensor()).errors.at(0).message, "'bias' may be None here");
    EXPECT_EQ(expecting("1", Type::boolean()).errors.at(0).message, "expected bool, this is int");
}

TEST(Compile, NamesOfTheOperatorHideFunctionsAndDtypes) {
    const Scope scope{{"max", Type::integer()}, {"float32", Type::integer()}};
    EXPECT_EQ(compile("max + float32", scope).expression->type(), Type::integer());
    EXPECT_TRUE(compile("$max(max, 2)", scope).expression);
    const CompileResult result = compile("max(1, 2)", scope);
    ASSERT_EQ(result.errors.size(), 1U);
    EXPECT_EQ(result.errors[0].hint, "the function is $max");
}

TEST(Compile, RefusesWhatIsTooDeepOrTooLong) {
    const Scope scope = sample_scope();
    for (const std::string part :
         {"(", "[", "-", "not ", "len(", "axes[", "1 if flag else ", "n < (", "[i for i in "}) {
        std::string text;
        for (int i = 0; i < 1000; ++i) {
            text += part;
        }
        const CompileResult result = compile(text + "n", scope);
        ASSERT_EQ(result.errors.size(), 1U) << part;
        EXPECT_EQ(result.errors[0].message, "the expression is nested too deeply") << part;
    }
    for (const std::string part :
         {"+n", " and flag", " or flag", "[0]", ".shape", " < n", " if flag else n"}) {
        std::string text = "n";
        for (int i = 0; i < 1000; ++i) {
            text += part;
        }
        EXPECT_FALSE(compile(text, scope).expression) << part;
    }
    EXPECT_FALSE(compile(std::string(20'000, ' ') + "1", scope).expression);
}

TEST(Evaluate, ReportsWhatHasNoValue) {
    struct Failure {
        const char* text;
        std::size_t offset;
        const char* message;
    };
    const Failure failures[] = {
        {"1 + x.shape[7]", 4, "index 7 is out of range for a list of 3"},
        {"n // (k - 4)", 0, "division of 3 by zero"},
        {"n % (k - 4)", 0, "remainder of 3 by zero"},
        {"alpha / (alpha - 0.5)", 0, "division by zero"},
        {"broadcast(x, w)", 0, "sizes 3 and 5 do not broadcast"},
        {"reduced(x, [0, -3], False)", 0, "dimension -3 is reduced twice"},
        {"range(n * 1000000)", 0, "range() of 3000000 items: more than 1000000"},
        {"min(axes[2:])", 0, "min() of an empty list"},
        {"k * 9223372036854775807", 0, "integer overflow in 4 * 9223372036854775807"},
        {"dtype_of(n + 2)", 0, "no dtype has the number 5"},
        {"promote(float8_e5m2, w)", 0, "PyTorch does not promote float8_e5m2 with float32"},
    };
    for (const Failure& failure : failures) {
        const CompileResult result = compile(failure.text, sample_scope());
        ASSERT_TRUE(result.expression) << failure.text << ": " << result.errors[0].message;
        try {
            evaluate(*result.expression, sample_bindings(0));
            ADD_FAILURE() << failure.text;
        } catch (const EvaluationError& error) {
            EXPECT_STREQ(error.what(), failure.message) << failure.text;
            EXPECT_EQ(error.span().offset, failure.offset) << failure.text;
        }
    }
    const CompileResult loop = compile("[[sum(range(1000)) for i in range(1000)] for j in range(1000)]", {});
    EXPECT_THROW(evaluate(*loop.expression, {}), EvaluationError);
}

}  // namespace
}  // namespace opweld::spec::expr
