#include "codegen/samples.h"

#include <gtest/gtest.h>

#include "spec/expression.h"
#include "support.h"

namespace opweld::codegen {
namespace {

using spec::expr::Bindings;
using spec::expr::Value;

TEST(Samples, SatisfyEveryConstraint) {
    for (const char* path : {"examples/custom_linear/spec.yaml", "tests/data/spec/good/all_types.yaml"}) {
        const spec::Package package = testing::load(path);
        for (const spec::Operator& op : package.ops) {
            const std::vector<Sample> samples = find_samples(op, 4);
            EXPECT_FALSE(samples.empty()) << op.qualified_name();
            for (const Sample& sample : samples) {
                Bindings bindings;
                for (size_t i = 0; i < op.inputs.size(); ++i) {
                    bindings[op.inputs[i].name] = sample.inputs.at(i);
                }
                for (size_t i = 0; i < op.attrs.size(); ++i) {
                    bindings[op.attrs[i].name] = sample.attrs.at(i);
                }
                for (const spec::Let& let : op.lets) {
                    bindings[let.name] = spec::expr::evaluate(let.expr.checked->expression, bindings);
                }
                for (const spec::Constraint& constraint : op.constraints) {
                    EXPECT_EQ(spec::expr::evaluate(constraint.expr.checked->expression, bindings),
                              Value(true))
                        << op.qualified_name() << ": " << constraint.expr.text;
                }
            }
        }
    }
}

TEST(Samples, AreTheSameEveryTime) {
    const spec::Package package = testing::load("examples/custom_linear/spec.yaml");
    const auto first = find_samples(package.ops[0], 6);
    const auto second = find_samples(package.ops[0], 6);
    ASSERT_EQ(first.size(), 6U);
    for (size_t i = 0; i < first.size(); ++i) {
        EXPECT_EQ(first[i].inputs, second[i].inputs);
    }
}

TEST(Samples, NoneForConstraintsWithoutASolution) {
    const spec::Package package = testing::load_spec_text(
        "  - op: demo::f\n"
        "    input_desc: [{name: x, param_type: required}]\n"
        "    output_desc: [{name: y, type: x.dtype, shape: x.shape}]\n"
        "    constraints: [{expr: \"x.ndim > 9 and x.ndim < 9\", message: never}]\n"
        "    backward: none\n"
        "    kernel: [{language: compose, formula: \"x * 2\"}]\n");
    EXPECT_TRUE(find_samples(package.ops[0], 1).empty());
}

}  // namespace
}  // namespace opweld::codegen
