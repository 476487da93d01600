#include "npu/ge/prototypes/parse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace {

using namespace opweld::npu::prototypes;
using DTypes = std::vector<ge::DataType>;

TEST(PortTypes, AreReadAsTheCompilerSawThem) {
    EXPECT_EQ(parse_port_types("TensorType({DT_FLOAT, DT_FLOAT16})").dtypes,
              (DTypes{ge::DT_FLOAT, ge::DT_FLOAT16}));
    EXPECT_EQ(parse_port_types("TensorType(DT_INT8)").dtypes, DTypes{ge::DT_INT8});
    EXPECT_EQ(parse_port_types("ge::TensorType({ge::DT_BF16})").dtypes, DTypes{ge::DT_BF16});
    EXPECT_EQ(parse_port_types("TensorType::IndexNumberType()").dtypes, (DTypes{ge::DT_INT32, ge::DT_INT64}));
    EXPECT_EQ(parse_port_types("TensorType({BasicType(), DT_BOOL})").dtypes.size(), 21U);
    EXPECT_EQ(parse_port_types("DT_FLOAT,DT_FLOAT").dtypes, DTypes{ge::DT_FLOAT});
}

TEST(PortTypes, MayBeASymbolOrAnything) {
    EXPECT_EQ(parse_port_types("\"T\"").symbol, "T");
    EXPECT_TRUE(parse_port_types("\"T\"").dtypes.empty());
    EXPECT_TRUE(parse_port_types("TensorType({kMine, DT_FLOAT})").dtypes.empty());
    EXPECT_TRUE(parse_port_types("").dtypes.empty());
}

TEST(Values, AreReadByTheirTypes) {
    EXPECT_EQ(std::get<std::int64_t>(parse_value("VT_INT", "-3")), -3);
    EXPECT_EQ(std::get<std::int64_t>(parse_value("VT_INT", "DT_INT8")), 2);
    EXPECT_EQ(std::get<float>(parse_value("VT_FLOAT", "1e-05")), 1e-5F);
    EXPECT_EQ(std::get<bool>(parse_value("VT_BOOL", "true")), true);
    EXPECT_EQ(std::get<std::string>(parse_value("VT_STRING", "a,b")), "a,b");
    EXPECT_EQ(std::get<ge::DataType>(parse_value("VT_DATA_TYPE", "DT_BF16")), ge::DT_BF16);
    EXPECT_EQ(std::get<std::vector<std::int64_t>>(parse_value("VT_LIST_INT", "1,-2")),
              (std::vector<std::int64_t>{1, -2}));
    EXPECT_TRUE(std::get<std::vector<std::string>>(parse_value("VT_LIST_STRING", "")).empty());
    EXPECT_EQ(std::get<std::vector<std::vector<std::int64_t>>>(parse_value("VT_LIST_LIST_INT", "1,2;3")),
              (std::vector<std::vector<std::int64_t>>{{1, 2}, {3}}));
}

TEST(Values, ThatAreNoneAreRefused) {
    EXPECT_THROW(parse_value("VT_INT", "1x"), std::invalid_argument);
    EXPECT_THROW(parse_value("VT_BOOL", "yes"), std::invalid_argument);
    EXPECT_THROW(parse_value("VT_FLOAT", ""), std::invalid_argument);
    EXPECT_THROW(parse_value("VT_GRAPH", "g"), std::invalid_argument);
}

}  // namespace
