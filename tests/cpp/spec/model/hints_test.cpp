// What a fault's hint says: for what people write from habit, and for what was cut off.
#include <algorithm>

#include "support.h"

namespace opweld::spec::test {
namespace {

struct Case {
    const char* op;  // one operator; it has x, and may have one fault
    const char* rule;
    const char* hint;
};

class Hints : public testing::TestWithParam<Case> {};

TEST_P(Hints, SayWhatWasMeant) {
    CheckOptions options;
    options.check_files = false;
    const LoadResult result = load_text(spec_of(GetParam().op), "hints.yaml", options);
    std::vector<Diagnostic> errors = result.diagnostics;
    std::erase_if(errors, [](const Diagnostic& item) { return item.severity != Severity::Error; });
    ASSERT_EQ(errors.size(), 1U) << listed(errors);
    EXPECT_EQ(errors[0].rule, GetParam().rule);
    EXPECT_EQ(errors[0].hint, GetParam().hint);
}

const Case cases[] = {
    {"  - op: npu_a\n    input_desc: [{name: x}, {name: w}]\n    output_desc: [{name: y, shape: x.shape}]\n"
     "    backward: {op: npu_b, args: [grad_y, x, w], gives: [w, x]}\n"
     "  - op: npu_b\n    input_desc: [{name: g}, {name: a}, {name: b}]\n    backward: none\n"
     "    output_desc: [{name: da, type: g.dtype, shape: a.shape}, {name: db, type: g.dtype, shape: "
     "b.shape}]\n",
     "OW404", "write gives: [x, w]"},
    {"  - op: npu_a\n    input_desc: [{name: x}]\n    output_desc:\n      - {name: y, shape: x.shape[:-1]}\n"
     "    doc: fine\n    backward: none\n",
     "OW101", "put it in double quotes: \"x.shape[:-1]\""},
    {"  - op: npu_a\n    input_desc: [{name: x}]\n    output_desc:\n      - name: y\n"
     "        shape: [x.shape[0], x.shape[1]]\n",
     "OW101", "put it in double quotes: \"[x.shape[0], x.shape[1]]\""},
    {"  - op npu_a\n    input_desc: [{name: x}]\n    output_desc: [{name: y, shape: x.shape}]\n", "OW101",
     "write op: npu_a"},
    {"  - op: npu_a\n    doc:fine\n    input_desc: [{name: x, mutates: true}]\n", "OW101", "write doc: fine"},
    {"  - op: npu_a\n    inputs_desc: [{name: x}]\n    output_desc: [{name: y, shape: x.shape}]\n", "OW102",
     "did you mean 'input_desc'?"},
    {"  - op: npu_a\n    input_desc: [{name: x}]\n    outputs_desc: [{name: y, shape: x.shape}]\n"
     "    backward: {x: grad}\n",
     "OW102", "did you mean 'output_desc'?"},
    {"  - op: npu_a\n    input_desc: [{name: x, type: bfloat}]\n    output_desc: [{name: y, shape: "
     "x.shape}]\n",
     "OW206", "did you mean 'bfloat16'?"},
    {"  - op: npu_a\n    input_desc: [{name: x}]\n    output_desc: [{name: y, shape: \"x.shape[0]\"}]\n",
     "OW303", "write [x.shape[0]]: a list with one item"},
    {"  - op: npu_a\n    input_desc: [{name: x}]\n    output_desc: [{name: y, shape: x}]\n", "OW303",
     "its sizes are x.shape"},
    {"  - op: npu_a\n    input_desc: [{name: x}]\n    output_desc: [{name: y, shape: x.size()}]\n", "OW301",
     "write x.shape"},
    {"  - op: npu_a\n    input_desc: [{name: x}]\n    output_desc: [{name: n, type: int, value: \"x.shape + "
     "[1]\"}]\n",
     "OW303", "write (x.shape + [1])[0], or another of its items"},
    {"  - op: npu_a\n    input_desc: [{name: x}]\n    output_desc: [{name: y, type: x, shape: x.shape}]\n",
     "OW303", "its dtype is x.dtype"},
    {"  - op: npu_a\n    input_desc: [{name: x, mutates: true}]\n    kernel: {language: C++, source: "
     "a.cpp}\n",
     "OW113", "did you mean 'cpp'?"},
    {"  - op: npu_a\n    input_desc: [{name: x, mutates: true}]\n    kernel: {language: AscendC, source: "
     "a.cpp}\n",
     "OW113", "did you mean 'ascendc'?"},
    {"  - op: npu_a\n    input_desc: [{name: x}]\n    output_desc: [{name: y, shape: x.shape}]\n"
     "    backward: {op: npu_b, args: [grad_y], gives: [x]}\n",
     "OW401", ""},
    {"  - op: npu_a\n    input_desc: [{name: value, mutates: true}]\n    reference: torch.relu(valeu)\n",
     "OW418", "did you mean 'value'?"},
    {"  - op: npu_a\n    input_desc: [{name: x, mutates: true}]\n    attr: [{name: n, type: integer}]\n",
     "OW209", "did you mean 'int'?"},
    {"  - op: npu_a\n    input_desc: [{name: x, mutates: true}]\n    attr: [{name: n, type: "
     "\"List[int]\"}]\n",
     "OW209", "write 'int[]'"},
    {"  - op: npu_a\n    input_desc: [{name: x, mutates: true}]\n    attr: [{name: n, type: \"a int\"}]\n",
     "OW209", "did you mean 'int'?"},
};

INSTANTIATE_TEST_SUITE_P(Cases, Hints, testing::ValuesIn(cases));

}  // namespace
}  // namespace opweld::spec::test
