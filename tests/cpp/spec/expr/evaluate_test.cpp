// What expressions come to on concrete values.
#include <gtest/gtest.h>

#include "tests/cpp/spec/expr/sample_scope.h"

namespace opweld::spec::expr {
namespace {

struct Case {
    const char* text;
    const char* type;
    const char* value;
};

class Evaluation : public testing::TestWithParam<Case> {};

TEST_P(Evaluation, HasTypeAndValue) {
    const Case& expected = GetParam();
    const CompileResult result = compile(expected.text, sample_scope());
    ASSERT_TRUE(result.expression) << expected.text << ": " << result.errors[0].message;
    EXPECT_EQ(result.expression->type().name(), expected.type) << expected.text;
    EXPECT_EQ(evaluate(*result.expression, sample_bindings(0)).text(), expected.value) << expected.text;
}

const Case arithmetic[] = {
    {"7 // 2", "int", "3"},
    {"-7 // 2", "int", "-4"},
    {"7 // -2", "int", "-4"},
    {"-7 % 3", "int", "2"},
    {"7 % -3", "int", "-2"},
    {"-n // 2", "int", "-2"},
    {"-n % 4", "int", "1"},
    {"1 + 2 * 3 - 4", "int", "3"},
    {"(1 + 2) * 3", "int", "9"},
    {"- - 3", "int", "3"},
    {"+n", "int", "3"},
    {"n * 1.5", "float", "4.5"},
    {"1 / 4.0", "float", "0.25"},
    {"alpha / 2", "float", "0.25"},
    {"ceil_div(7, 2)", "int", "4"},
    {"ceil_div(-7, 2)", "int", "-3"},
    {"ceil_div(n, 2)", "int", "2"},
    {"abs(-3) + abs(0 - n)", "int", "6"},
    {"abs(-0.5)", "float", "0.5"},
    {"1_000", "int", "1000"},
    {"1e3", "float", "1000.0"},
    {".5", "float", "0.5"},
    {"conv_out(224, 7, 2, 3, 1)", "int", "112"},
    {"conv_out(x.shape[2], 3, 1, 0, 1)", "int", "2"},
};
INSTANTIATE_TEST_SUITE_P(Arithmetic, Evaluation, testing::ValuesIn(arithmetic));

const Case logic[] = {
    {"1 < 2 < 3", "bool", "True"},
    {"1 < n < 3", "bool", "False"},
    {"1 < n <= 3 == 3", "bool", "True"},
    {"not flag", "bool", "False"},
    {"not flag or n == 3 and x.ndim == 3", "bool", "True"},
    {"not (flag and n == 4)", "bool", "True"},
    {"mode == 'mean'", "bool", "True"},
    {"mode in [\"sum\", 'mean']", "bool", "True"},
    {"mode not in [\"sum\"]", "bool", "True"},
    {"n in axes", "bool", "False"},
    {"x.dtype in [float16, float32]", "bool", "True"},
    {"dt == bfloat16", "bool", "True"},
    {"1 == 1.0", "bool", "True"},
    {"factor == 2", "bool", "True"},
    {"[1, 2] == [1, 2]", "bool", "True"},
    {"[] == axes", "bool", "False"},
    {"[] == []", "bool", "True"},
    {"[[]] != [[1]]", "bool", "True"},
    {"(n == 3) == flag", "bool", "True"},
    {"'a' != \"b\"", "bool", "True"},
    {"2 if flag else 3", "int", "2"},
    {"2 if not flag else 3.5", "float", "3.5"},
    {"1 if n == 1 else 2 if n == 2 else 4", "int", "4"},
    {"False and n // 0 == 1", "bool", "False"},
};
INSTANTIATE_TEST_SUITE_P(Logic, Evaluation, testing::ValuesIn(logic));

const Case lists[] = {
    {"x.shape", "list[int]", "[2, 3, 4]"},
    {"x.shape[:-1] + [w.shape[0]]", "list[int]", "[2, 3, 5]"},
    {"x.shape[1:]", "list[int]", "[3, 4]"},
    {"x.shape[-10:10]", "list[int]", "[2, 3, 4]"},
    {"x.shape[2:1]", "list[int]", "[]"},
    {"x.shape[:]", "list[int]", "[2, 3, 4]"},
    {"x.shape[-1]", "int", "4"},
    {"x.ndim + len(axes)", "int", "5"},
    {"[i * i for i in range(4)]", "list[int]", "[0, 1, 4, 9]"},
    {"[d + 1 for d in x.shape]", "list[int]", "[3, 4, 5]"},
    {"[len(t.shape) for t in ts]", "list[int]", "[2, 3]"},
    {"[t.ndim if t is not None else -1 for t in maybe_ts]", "list[int]", "[1, -1]"},
    {"range(1, 8, 3)", "list[int]", "[1, 4, 7]"},
    {"range(3, 0, -1)", "list[int]", "[3, 2, 1]"},
    {"sum(x.shape) + prod(x.shape)", "int", "33"},
    {"sum([0.5, alpha])", "float", "1.0"},
    {"prod([]) + sum([])", "int", "1"},
    {"min(x.shape) * max(3, n, 1)", "int", "6"},
    {"max(1, 2.5)", "float", "2.5"},
    {"ts[1].shape", "list[int]", "[2, 2, 2]"},
    {"ts[1].dtype", "dtype", "int64"},
    {"[[1], [], axes]", "list[list[int]]", "[[1], [], [0, -1]]"},
    {"[[i + j for j in range(2)] for i in range(2)]", "list[list[int]]", "[[0, 1], [1, 2]]"},
    {"[0.5, 1]", "list[float]", "[0.5, 1.0]"},
    {"[1, 2,]", "list[int]", "[1, 2]"},
    {"broadcast(x, [1, 4])", "list[int]", "[2, 3, 4]"},
    {"broadcast([5, 1], [1, 6], [7, 1, 1])", "list[int]", "[7, 5, 6]"},
    {"reduced(x.shape, axes, False)", "list[int]", "[3]"},
    {"reduced(x, [1], True)", "list[int]", "[2, 1, 4]"},
    {"reduced(x, None, False)", "list[int]", "[]"},
    {"reduced(x, maybe_axes, True)", "list[int]", "[1, 1, 1]"},
};

INSTANTIATE_TEST_SUITE_P(Lists, Evaluation, testing::ValuesIn(lists));

const Case types[] = {
    {"promote(x, w)", "dtype", "float32"},
    {"promote(float16, bfloat16)", "dtype", "float32"},
    {"promote(ts[1], 1.5)", "dtype", "float32"},
    {"promote(ts[1], 2)", "dtype", "int64"},
    {"promote(bool, uint8)", "dtype", "uint8"},
    {"dtype_of(27)", "dtype", "bfloat16"},
    {"float32 if n == 3 else x.dtype", "dtype", "float32"},
};

INSTANTIATE_TEST_SUITE_P(Types, Evaluation, testing::ValuesIn(types));

const Case optionals[] = {
    {"bias is None", "bool", "False"},
    {"bias is None or bias.shape == [5]", "bool", "True"},
    {"bias is not None and bias.ndim == 1", "bool", "True"},
    {"bias.dtype if bias is not None else float16", "dtype", "float32"},
    {"float16 if bias is None else bias.dtype", "dtype", "float32"},
    {"float16 if not (bias is not None) else bias.dtype", "dtype", "float32"},
    {"not (bias is not None and flag) or bias.ndim == 1", "bool", "True"},
    {"n if maybe_n is None else maybe_n + 1", "int", "3"},
    {"maybe_n if flag else 3", "int?", "None"},
    {"bias.ndim if bias is not None else None", "int?", "1"},
    {"(bias is None or n > 1) and (bias is None or bias.ndim < 2)", "bool", "True"},
    {"0 if bias is None and maybe_n is None else 1", "int", "1"},
    {"maybe_ts[0].shape if maybe_ts[0] is not None else [7]", "list[int]", "[5]"},
};
INSTANTIATE_TEST_SUITE_P(Optionals, Evaluation, testing::ValuesIn(optionals));

}  // namespace
}  // namespace opweld::spec::expr
