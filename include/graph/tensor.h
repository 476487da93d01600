// Shapes, descriptions and tensors, as they cross into the graph engine.
//
// Each class has one shared pointer, which callers copy and destroy inline. One object is for one thread at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/ge_error_codes.h"
#include "graph/types.h"

namespace ge {

constexpr std::int64_t UNKNOWN_DIM = -1;
constexpr std::int64_t UNKNOWN_DIM_NUM = -2;
const std::vector<std::int64_t> UNKNOWN_SHAPE = {UNKNOWN_DIM};
const std::vector<std::int64_t> UNKNOWN_RANK = {UNKNOWN_DIM_NUM};

// Sizes; -1 is one that is not known, the single size -2 a shape of which not even the rank is known.
class OPWELD_GE_API Shape {
  public:
    Shape();
    explicit Shape(const std::vector<std::int64_t>& dims);

    // 0 where the rank is not known.
    std::size_t GetDimNum() const;
    // 0 beyond the last.
    std::int64_t GetDim(std::size_t index) const;
    // Fails beyond the last. Copies of this shape keep theirs.
    graphStatus SetDim(std::size_t index, std::int64_t value);
    std::vector<std::int64_t> GetDims() const;
    // The number of elements: 0 for a shape without sizes, -1 where a size is not known.
    std::int64_t GetShapeSize() const;

  private:
    std::shared_ptr<class ShapeImpl> impl_;
};

// Shape, layout and data type of a tensor. Copies are independent.
class OPWELD_GE_API TensorDesc {
  public:
    TensorDesc();
    explicit TensorDesc(Shape shape, Format format = FORMAT_ND, DataType dtype = DT_FLOAT);
    TensorDesc(const TensorDesc& other);
    // NOLINTNEXTLINE(performance-noexcept-move-constructor): making what is left behind may fail
    TensorDesc(TensorDesc&& other);
    TensorDesc& operator=(const TensorDesc& other);
    TensorDesc& operator=(TensorDesc&& other) noexcept;

    void Update(const Shape& shape, Format format = FORMAT_ND, DataType dtype = DT_FLOAT);
    Shape GetShape() const;
    void SetShape(const Shape& shape);
    Shape GetOriginShape() const;
    void SetOriginShape(const Shape& shape);
    // Smallest and largest value of each size, -1 for no largest.
    graphStatus GetShapeRange(std::vector<std::pair<std::int64_t, std::int64_t>>& range) const;
    graphStatus SetShapeRange(const std::vector<std::pair<std::int64_t, std::int64_t>>& range);
    graphStatus SetUnknownDimNumShape();

    Format GetFormat() const;
    void SetFormat(Format format);
    Format GetOriginFormat() const;
    void SetOriginFormat(Format format);
    DataType GetDataType() const;
    void SetDataType(DataType dtype);
    Placement GetPlacement() const;
    void SetPlacement(Placement placement);
    graphStatus GetName(AscendString& name);
    std::string GetName() const;
    void SetName(const char* name);
    void SetName(const std::string& name);
    std::int64_t GetSize() const;
    void SetSize(std::int64_t bytes);
    std::int64_t GetRealDimCnt() const;
    void SetRealDimCnt(std::int64_t count);

  private:
    friend class Tensor;
    std::shared_ptr<class TensorDescImpl> impl_;
};

// A description and bytes. Copies share both; Clone copies them.
class OPWELD_GE_API Tensor {
  public:
    using DeleteFunc = std::function<void(std::uint8_t*)>;

    Tensor();
    explicit Tensor(const TensorDesc& desc);
    Tensor(const TensorDesc& desc, const std::vector<std::uint8_t>& data);
    Tensor(const TensorDesc& desc, const std::uint8_t* data, std::size_t size);

    TensorDesc GetTensorDesc() const;
    graphStatus SetTensorDesc(const TensorDesc& desc);
    DataType GetDataType() const;
    graphStatus SetDataType(const DataType& dtype);
    Format GetFormat() const;
    graphStatus SetFormat(const Format& format);
    Placement GetPlacement() const;
    graphStatus SetPlacement(const Placement& placement);
    std::size_t GetShapeDimNum() const;
    graphStatus SetShapeDimNum(std::size_t count);
    std::int64_t GetShapeDim(std::size_t index) const;
    graphStatus SetShapeDim(std::size_t index, std::int64_t value);
    std::size_t GetOriginShapeDimNum() const;
    graphStatus SetOriginShapeDimNum(std::size_t count);
    graphStatus SetOriginShapeDim(std::size_t index, std::int64_t value);

    // Null where there are no bytes.
    const std::uint8_t* GetData() const;
    std::uint8_t* GetData();
    std::size_t GetSize() const;
    // These copy.
    graphStatus SetData(const std::vector<std::uint8_t>& data);
    graphStatus SetData(const std::uint8_t* data, std::size_t size);
    graphStatus SetData(const char* text);
    graphStatus SetData(const std::string& text);
    // These take over: `deleter` is called once, when the bytes are replaced or the last copy ends.
    graphStatus SetData(std::uint8_t* data, std::size_t size, const DeleteFunc& deleter);
    graphStatus ResetData(std::uint8_t* data, std::size_t size, const DeleteFunc& deleter);
    // Gives the bytes away, with what deletes them.
    std::unique_ptr<std::uint8_t[], DeleteFunc> ResetData();

    // Fails unless there are as many bytes as shape and data type need.
    graphStatus IsValid();
    Tensor Clone() const;

  private:
    std::shared_ptr<class TensorImpl> impl_;
};

}  // namespace ge
