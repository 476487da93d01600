#include "graph/tensor.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace {

using namespace ge;

using Dims = std::vector<std::int64_t>;

TEST(Shape, KeepsItsSizes) {
    Shape shape(Dims{2, 3});
    EXPECT_EQ(shape.GetDims(), (Dims{2, 3}));
    EXPECT_EQ(shape.GetDimNum(), 2U);
    EXPECT_EQ(shape.GetDim(1), 3);
    EXPECT_EQ(shape.GetDim(2), 0);
    EXPECT_EQ(shape.GetShapeSize(), 6);
    EXPECT_EQ(shape.SetDim(2, 1), GRAPH_FAILED);
}

TEST(Shape, OfACopyIsItsOwn) {
    const Shape shape(Dims{2, 3});
    Shape copy = shape;
    EXPECT_EQ(copy.SetDim(0, 7), GRAPH_SUCCESS);
    EXPECT_EQ(copy.GetDims(), (Dims{7, 3}));
    EXPECT_EQ(shape.GetDims(), (Dims{2, 3}));
}

TEST(Shape, MayBeUnknown) {
    EXPECT_EQ(Shape(Dims{4, -1}).GetShapeSize(), -1);
    EXPECT_EQ(Shape(UNKNOWN_RANK).GetDimNum(), 0U);
    EXPECT_EQ(Shape(UNKNOWN_RANK).GetDims(), UNKNOWN_RANK);
    EXPECT_EQ(Shape().GetShapeSize(), 0);
    EXPECT_EQ(Shape(Dims{INT64_MAX, 2}).GetShapeSize(), -1);
    EXPECT_EQ(Shape(Dims{INT64_MAX, 2, 0}).GetShapeSize(), 0);
}

TEST(TensorDesc, OfACopyIsItsOwn) {
    TensorDesc desc(Shape(Dims{2}), FORMAT_NCHW, DT_INT8);
    TensorDesc copy = desc;
    copy.SetShape(Shape(Dims{5}));
    copy.SetDataType(DT_BF16);
    EXPECT_EQ(desc.GetShape().GetDims(), Dims{2});
    EXPECT_EQ(desc.GetDataType(), DT_INT8);
    desc = copy;
    copy.SetDataType(DT_INT32);
    EXPECT_EQ(desc.GetDataType(), DT_BF16);
    desc = std::move(copy);
    EXPECT_EQ(desc.GetDataType(), DT_INT32);
}

TEST(TensorDesc, StaysUsableAfterAMove) {
    TensorDesc desc(Shape(Dims{2}), FORMAT_NCHW, DT_INT8);
    const TensorDesc taken = std::move(desc);
    EXPECT_EQ(taken.GetDataType(), DT_INT8);
    desc.SetDataType(DT_BF16);  // NOLINT(bugprone-use-after-move): what is tested
    EXPECT_EQ(desc.GetDataType(), DT_BF16);
}

TEST(TensorDesc, KeepsWhatIsSet) {
    TensorDesc desc;
    desc.SetOriginShape(Shape(Dims{3}));
    desc.SetOriginFormat(FORMAT_NHWC);
    desc.SetPlacement(kPlacementDevice);
    desc.SetName("x");
    desc.SetSize(12);
    desc.SetRealDimCnt(1);
    desc.SetShapeRange({{1, 8}});
    EXPECT_EQ(desc.GetOriginShape().GetDims(), Dims{3});
    EXPECT_EQ(desc.GetOriginFormat(), FORMAT_NHWC);
    EXPECT_EQ(desc.GetPlacement(), kPlacementDevice);
    AscendString name;
    EXPECT_EQ(desc.GetName(name), GRAPH_SUCCESS);
    EXPECT_STREQ(name.GetString(), "x");
    EXPECT_EQ(desc.GetSize(), 12);
    EXPECT_EQ(desc.GetRealDimCnt(), 1);
    std::vector<std::pair<std::int64_t, std::int64_t>> range;
    EXPECT_EQ(desc.GetShapeRange(range), GRAPH_SUCCESS);
    EXPECT_EQ(range, (std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 8}}));
    EXPECT_EQ(desc.SetUnknownDimNumShape(), GRAPH_SUCCESS);
    EXPECT_EQ(desc.GetShape().GetDims(), UNKNOWN_RANK);
}

TEST(Tensor, HasItsOwnShapeAndType) {
    static_assert(sizeof(Tensor) == 16);
    Tensor tensor;
    EXPECT_EQ(tensor.SetShapeDimNum(2), GRAPH_SUCCESS);
    EXPECT_EQ(tensor.SetShapeDim(1, 4), GRAPH_SUCCESS);
    EXPECT_EQ(tensor.SetShapeDim(2, 4), GRAPH_PARAM_INVALID);
    EXPECT_EQ(tensor.GetShapeDimNum(), 2U);
    EXPECT_EQ(tensor.GetShapeDim(1), 4);
    EXPECT_EQ(tensor.GetShapeDim(9), 0);
    EXPECT_EQ(tensor.SetOriginShapeDimNum(1), GRAPH_SUCCESS);
    EXPECT_EQ(tensor.SetOriginShapeDim(0, 8), GRAPH_SUCCESS);
    EXPECT_EQ(tensor.GetOriginShapeDimNum(), 1U);
    EXPECT_EQ(tensor.SetShapeDimNum(SIZE_MAX), GRAPH_PARAM_INVALID);
    tensor.SetDataType(DT_INT64);
    tensor.SetFormat(FORMAT_NCHW);
    tensor.SetPlacement(kPlacementDevice);
    EXPECT_EQ(tensor.GetTensorDesc().GetDataType(), DT_INT64);
    EXPECT_EQ(tensor.GetTensorDesc().GetFormat(), FORMAT_NCHW);
    EXPECT_EQ(tensor.GetTensorDesc().GetPlacement(), kPlacementDevice);
    EXPECT_EQ(tensor.GetTensorDesc().GetOriginShape().GetDims(), Dims{8});
}

TEST(Tensor, CopiesOrTakesItsBytes) {
    const std::vector<std::uint8_t> bytes = {1, 2, 3};
    Tensor tensor(TensorDesc(Shape(Dims{3}), FORMAT_ND, DT_UINT8), bytes);
    EXPECT_NE(tensor.GetData(), bytes.data());
    EXPECT_EQ(tensor.GetSize(), 3U);
    EXPECT_EQ(tensor.GetData()[2], 3);
    EXPECT_EQ(tensor.IsValid(), GRAPH_SUCCESS);

    std::array<std::uint8_t, 4> mine{};
    int deleted = 0;
    const Tensor::DeleteFunc deleter = [&](std::uint8_t* data) {
        EXPECT_EQ(data, mine.data());
        ++deleted;
    };
    EXPECT_EQ(tensor.SetData(mine.data(), mine.size(), deleter), GRAPH_SUCCESS);
    EXPECT_EQ(tensor.GetData(), mine.data());
    EXPECT_EQ(tensor.IsValid(), GRAPH_FAILED);
    EXPECT_EQ(tensor.ResetData(mine.data(), mine.size(), deleter), GRAPH_SUCCESS);
    EXPECT_EQ(deleted, 1);
    tensor = Tensor();
    EXPECT_EQ(deleted, 2);
}

TEST(Tensor, GivesItsBytesAway) {
    std::array<std::uint8_t, 4> mine{};
    int deleted = 0;
    Tensor tensor;
    tensor.ResetData(mine.data(), mine.size(), [&](std::uint8_t*) { ++deleted; });
    {
        const auto bytes = tensor.ResetData();
        EXPECT_EQ(bytes.get(), mine.data());
        EXPECT_EQ(tensor.GetData(), nullptr);
        EXPECT_EQ(tensor.GetSize(), 0U);
        EXPECT_EQ(deleted, 0);
    }
    EXPECT_EQ(deleted, 1);
    EXPECT_EQ(tensor.ResetData().get(), nullptr);
}

TEST(Tensor, RefusesBytesThatAreNotThere) {
    Tensor tensor;
    EXPECT_EQ(tensor.SetData(nullptr, 4, [](std::uint8_t*) {}), GRAPH_PARAM_INVALID);
    EXPECT_EQ(tensor.SetData(static_cast<const std::uint8_t*>(nullptr), 4), GRAPH_PARAM_INVALID);
    EXPECT_EQ(tensor.SetData(static_cast<const char*>(nullptr)), GRAPH_PARAM_INVALID);
    EXPECT_EQ(tensor.SetData(nullptr, 0, [](std::uint8_t*) {}), GRAPH_SUCCESS);
    EXPECT_EQ(tensor.GetData(), nullptr);
}

TEST(Tensor, IsSharedByCopiesButNotByClones) {
    Tensor tensor(TensorDesc(), std::vector<std::uint8_t>{1, 2, 3, 4});
    Tensor copy = tensor;
    Tensor clone = tensor.Clone();
    copy.GetData()[0] = 9;
    EXPECT_EQ(tensor.GetData()[0], 9);
    EXPECT_EQ(clone.GetData()[0], 1);
}

}  // namespace
