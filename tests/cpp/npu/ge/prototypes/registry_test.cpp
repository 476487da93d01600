#include "npu/ge/prototypes/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace {

using namespace opweld::npu::prototypes;

TEST(Registry, KnowsTheStandardTypes) {
    const Prototype* gather = find("GatherV2");
    ASSERT_NE(gather, nullptr);
    EXPECT_EQ(gather, find("GatherV2"));
    EXPECT_EQ(gather, find_standard("GatherV2"));
    ASSERT_EQ(gather->inputs.size(), 3U);
    EXPECT_EQ(gather->inputs[1].name, "indices");
    EXPECT_EQ(gather->inputs[1].kind, PortKind::kRequired);
    EXPECT_EQ(gather->inputs[1].dtypes, (std::vector<ge::DataType>{ge::DT_INT32, ge::DT_INT64}));
    ASSERT_FALSE(gather->attributes.empty());
    EXPECT_EQ(gather->attributes[0].name, "batch_dims");
    EXPECT_EQ(gather->attributes[0].type, "VT_INT");
    EXPECT_EQ(std::get<std::int64_t>(gather->attributes[0].default_value), 0);
    EXPECT_EQ(gather->library, "");
}

TEST(Registry, KnowsOptionalAndDynamicPorts) {
    const Prototype* matmul = find("MatMulV2");
    ASSERT_NE(matmul, nullptr);
    EXPECT_TRUE(std::ranges::any_of(matmul->inputs, [](const Port& port) {
        return port.name == "bias" && port.kind == PortKind::kOptional;
    }));
    const Prototype* concat = find("ConcatV2");
    ASSERT_NE(concat, nullptr);
    EXPECT_EQ(concat->inputs[0].kind, PortKind::kDynamic);
    const Prototype* constant = find("Const");
    ASSERT_NE(constant, nullptr);
    EXPECT_TRUE(constant->attributes[0].required);
}

// Values are read when somebody asks, so that every row has to be asked for once.
TEST(Registry, CanReadAllItsRows) {
    EXPECT_GT(types().size(), 1600U);
    for (const std::string_view type : types()) {
        const Prototype* prototype = find(type);
        ASSERT_NE(prototype, nullptr) << type;
        EXPECT_EQ(prototype->type, type);
        for (const Attribute& attribute : prototype->attributes) {
            EXPECT_EQ(value_type(attribute.default_value),
                      attribute.required ? std::string_view() : std::string_view(attribute.type))
                << type << "." << attribute.name;
        }
    }
}

TEST(Registry, DoesNotKnowOthers) {
    EXPECT_EQ(find("NoSuchType"), nullptr);
    EXPECT_EQ(find(""), nullptr);
    EXPECT_EQ(find("zzz"), nullptr);
}

TEST(Registry, KeepsTheFirstOfTwo) {
    Prototype first;
    first.type = "RegistryTestType";
    first.library = "/a.so";
    first.inputs.push_back({"x", PortKind::kRequired, {}, ""});
    EXPECT_EQ(add(first), nullptr);
    Prototype second = first;
    second.library = "/b.so";
    const Prototype* before = add(second);
    ASSERT_NE(before, nullptr);
    EXPECT_EQ(before->library, "/a.so");
    EXPECT_TRUE(same_interface(*before, second));
    second.inputs[0].name = "y";
    EXPECT_FALSE(same_interface(*before, second));
    EXPECT_EQ(find("RegistryTestType"), before);
}

TEST(Registry, PrefersALibraryToTheStandard) {
    Prototype mine;
    mine.type = "Abs";
    mine.library = "/mine.so";
    EXPECT_EQ(add(mine), nullptr);
    EXPECT_EQ(find("Abs")->library, "/mine.so");
    EXPECT_EQ(find_standard("Abs")->library, "");
}

}  // namespace
