#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "npu/ge/operators/operator.h"
#include "npu/kernels/scope.h"

namespace opweld::npu::graph {
namespace {

TEST(OperatorsTest, TypesAreSortedAndFound) {
    const auto all = operators();
    ASSERT_FALSE(all.empty());
    EXPECT_TRUE(std::ranges::is_sorted(all, {}, [](const Operator* op) { return op->type; }));
    for (const Operator* op : all) {
        EXPECT_EQ(find_operator(op->type), op);
    }
    EXPECT_EQ(find_operator("NoSuchOperator"), nullptr);
}

// Meta kernels that PyTorch has in Python only need a Python that waits for the engine, or none is there at
// all.
TEST(OperatorsTest, FormsAreInferredWithoutPython) {
    const kernels::KernelScope scope;
    for (const Operator* op : operators()) {
        Node node{.name = "node",
                  .type = std::string(op->type),
                  .inputs = {},
                  .input_infos = {},
                  .outputs = {},
                  .after = {},
                  .attributes = {}};
        std::vector<Argument> arguments;
        for (size_t i = 0; i < op->inputs.size(); ++i) {
            const at::Tensor meta = meta_tensor(at::kFloat, {2, 3});
            arguments.push_back({.tensors = {meta}, .values = {{}}, .sources = {{}}});
        }
        std::vector<Attribute> attributes;
        bool complete = true;
        for (const AttributeSpec& spec : op->attributes) {
            complete = complete && !spec.required;
            attributes.push_back(spec.required ? Attribute{} : spec.make_default());
        }
        if (!complete) {
            continue;  // a value would have to be invented
        }
        Call call(*op, node, std::move(arguments), std::move(attributes));
        call.set_inferring(true);
        try {
            op->infer != nullptr ? op->infer(call) : op->compute(call);
        } catch (const c10::Error& error) {
            EXPECT_EQ(std::string(error.what_without_backtrace()).find("Meta tensors"), std::string::npos)
                << op->type << ": " << error.what_without_backtrace();
        } catch (const std::exception&) {
            continue;  // the sample does not suit the operator
        }
    }
}

}  // namespace
}  // namespace opweld::npu::graph
