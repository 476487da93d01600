#include <gtest/gtest.h>

#include <cstdint>

#include "npu/aclop/acl_op.h"
#include "tests/cpp/npu/aclop/message.h"

namespace {

class Execute : public testing::Test {
  protected:
    Execute() {
        const int64_t shape[] = {2, 3};
        input_ = aclCreateTensorDesc(0, 2, shape, 2);
        output_ = aclCreateTensorDesc(27, 1, shape, 2);
        attributes_ = aclopCreateAttr();
    }
    ~Execute() override {
        aclDestroyTensorDesc(input_);
        aclDestroyTensorDesc(output_);
        aclopDestroyAttr(attributes_);
    }
    int run(const char* op_type) {
        const aclTensorDesc* inputs[] = {input_, nullptr};
        const aclTensorDesc* outputs[] = {output_};
        return aclopCompileAndExecute(op_type, 2, inputs, nullptr, 1, outputs, nullptr, attributes_, 0, 0,
                                      nullptr, nullptr);
    }

    aclTensorDesc* input_;
    aclTensorDesc* output_;
    aclopAttr* attributes_;
};

TEST_F(Execute, FailsAndTellsTheCall) {
    const int64_t axes[] = {0, 1};
    const int64_t second[] = {5};
    const int64_t* const lists[] = {axes, second};
    const int sizes[] = {2, 1};
    const uint8_t bools[] = {1, 0};
    const float floats[] = {0.5F};
    EXPECT_EQ(aclopSetAttrInt(attributes_, "a", 3), 0);
    EXPECT_EQ(aclopSetAttrBool(attributes_, "b", 1), 0);
    EXPECT_EQ(aclopSetAttrFloat(attributes_, "c", 1.5F), 0);
    EXPECT_EQ(aclopSetAttrString(attributes_, "d", "same"), 0);
    EXPECT_EQ(aclopSetAttrDataType(attributes_, "e", 1), 0);
    EXPECT_EQ(aclopSetAttrListInt(attributes_, "f", 2, axes), 0);
    EXPECT_EQ(aclopSetAttrListBool(attributes_, "g", 2, bools), 0);
    EXPECT_EQ(aclopSetAttrListFloat(attributes_, "h", 1, floats), 0);
    EXPECT_EQ(aclopSetAttrListListInt(attributes_, "i", 2, sizes, lists), 0);
    EXPECT_EQ(aclopSetAttrListInt(attributes_, "j", 0, nullptr), 0);
    EXPECT_EQ(run("MaskedSelect"), 207000);
    const std::string text = message();
    EXPECT_NE(
        text.find("MaskedSelect(float32[2,3], null, a=3, b=true, c=1.5, d=\"same\", e=float16, f=[0,1], "
                  "g=[true,false], h=[0.5], i=[[0,1],[5]], j=[]) -> bfloat16[2]"),
        std::string::npos)
        << text;
}

TEST_F(Execute, TheSecondVersionFailsAlike) {
    aclTensorDesc* inputs[] = {input_};
    EXPECT_EQ(aclopCompileAndExecuteV2("Add", 1, inputs, nullptr, 0, nullptr, nullptr, nullptr, 0, 0, nullptr,
                                       nullptr),
              207000);
    EXPECT_TRUE(message_has("aclopCompileAndExecuteV2: operator Add"));
}

TEST_F(Execute, ANullOperatorTypeIsNamed) {
    EXPECT_EQ(run(nullptr), 100000);
    EXPECT_TRUE(message_has("argument `opType` is a null pointer"));
}

TEST_F(Execute, AttributesRefuseNull) {
    EXPECT_EQ(aclopSetAttrInt(nullptr, "axis", 1), 100000);
    EXPECT_EQ(aclopSetAttrInt(attributes_, nullptr, 1), 100000);
    EXPECT_EQ(aclopSetAttrString(attributes_, "mode", nullptr), 100000);
    EXPECT_EQ(aclopSetAttrListInt(attributes_, "axes", -1, nullptr), 100000);
    EXPECT_TRUE(message_has("aclopSetAttrListInt: the number of values is -1"));
}

}  // namespace
