#include "spec/names.h"

#include "spec/attr_types.h"
#include "spec/dtypes.h"
#include "support.h"

namespace opweld::spec::test {
namespace {

TEST(Names, GraphTypes) {
    EXPECT_EQ(default_ge_op({"npu", "npu_custom_linear", ""}), "CustomLinear");
    EXPECT_EQ(default_ge_op({"npu", "my_op", "out"}), "MyOpOut");
    EXPECT_EQ(default_ge_op({"npu", "npu_", ""}), "Npu");
    EXPECT_EQ(default_ge_op({"npu", "npu_3d", ""}), "Op3d");
    EXPECT_EQ(operator_name_of_ge_op("CustomLinear"), "npu_custom_linear");
    EXPECT_EQ(operator_name_of_ge_op("IFMRHead"), "npu_ifmr_head");
    EXPECT_EQ(operator_name_of_ge_op("Conv2D"), "npu_conv2d");
    EXPECT_EQ(operator_name_of_ge_op("MatMulV2"), "npu_mat_mul_v2");
}

TEST(Names, Keywords) {
    EXPECT_EQ(keyword_of("lambda"), "Python");
    EXPECT_EQ(keyword_of("default"), "C++");
    EXPECT_EQ(keyword_of("class"), "C++ and Python");
    EXPECT_EQ(keyword_of("weight"), "");
}

TEST(Names, PackagesThatGeneratedCodeNeeds) {
    for (const std::string_view name : {"torch", "torch_npu", "numpy", "opweld", "opweld_ops", "std", "at"}) {
        EXPECT_TRUE(is_reserved_package(name)) << name;
    }
    EXPECT_FALSE(is_reserved_package("my_ops"));
    EXPECT_FALSE(is_reserved_package("torchlike"));
}

TEST(Names, OperatorsOfTorchNpu) {
    EXPECT_TRUE(is_torch_npu_operator("npu_linear"));
    EXPECT_TRUE(is_torch_npu_operator("npu_fusion_attention"));
    EXPECT_FALSE(is_torch_npu_operator("npu_custom_linear"));
}

TEST(DTypes, Names) {
    EXPECT_EQ(parse_dtype("torch.float16"), DType::Float16);
    EXPECT_EQ(parse_dtype("fp16"), DType::Float16);
    EXPECT_EQ(parse_dtype("float"), DType::Float32);
    EXPECT_EQ(parse_dtype("bf16"), DType::BFloat16);
    EXPECT_EQ(parse_dtype("float17"), std::nullopt);
    for (const DTypeInfo& entry : dtype_table()) {
        EXPECT_EQ(parse_dtype(entry.name), entry.dtype);
        EXPECT_EQ(&info(entry.dtype), &entry);
    }
    EXPECT_TRUE(differentiable(DType::Complex64));
    EXPECT_FALSE(differentiable(DType::Int64));
}

TEST(AttrTypes, Forms) {
    for (const std::string_view text : {"bool", "int?", "float[]", "int[][]", "float[][]?", "bool[3]",
                                        "SymInt[2]?", "ScalarType", "Generator?", "str[]", "Scalar[]"}) {
        const AttrTypeResult result = parse_attr_type(text);
        ASSERT_TRUE(result.type) << text << result.fault;
        EXPECT_EQ(schema_type(*result.type), text);
    }
    EXPECT_EQ(schema_type(*parse_attr_type("list_list_int").type), "int[][]");
    EXPECT_EQ(schema_type(*parse_attr_type("listFloat").type), "float[]");
    EXPECT_EQ(schema_type(*parse_attr_type("string").type), "str");
    for (const std::string_view text : {"", "Tensor", "int[", "int[-1]", "int[3][]", "bool[][]", "int[][][]",
                                        "Layout[]", "int??", "int?[]", "int[2]x"}) {
        EXPECT_FALSE(parse_attr_type(text).type) << text;
    }
}

}  // namespace
}  // namespace opweld::spec::test
