#include "npu/ge/abi/tensor_desc_impl.h"

namespace ge {

TensorDesc::TensorDesc() : impl_(std::make_shared<TensorDescImpl>()) {}

// NOLINTNEXTLINE(performance-unnecessary-value-param): callers pass it so
TensorDesc::TensorDesc(Shape shape, Format format, DataType dtype) : TensorDesc() {
    Update(shape, format, dtype);
}

TensorDesc::TensorDesc(const TensorDesc& other) : impl_(std::make_shared<TensorDescImpl>(*other.impl_)) {}
// What is moved from stays a description, for callers that use it again.
// NOLINTNEXTLINE(performance-noexcept-move-constructor): making that may fail
TensorDesc::TensorDesc(TensorDesc&& other) : TensorDesc() { impl_.swap(other.impl_); }

TensorDesc& TensorDesc::operator=(const TensorDesc& other) {
    if (this != &other) {
        *impl_ = *other.impl_;
    }
    return *this;
}

TensorDesc& TensorDesc::operator=(TensorDesc&& other) noexcept {
    impl_.swap(other.impl_);
    return *this;
}

void TensorDesc::Update(const Shape& shape, Format format, DataType dtype) {
    impl_->dims = shape.GetDims();
    impl_->format = format;
    impl_->dtype = dtype;
}

Shape TensorDesc::GetShape() const { return Shape(impl_->dims); }
void TensorDesc::SetShape(const Shape& shape) { impl_->dims = shape.GetDims(); }
Shape TensorDesc::GetOriginShape() const { return Shape(impl_->origin_dims); }
void TensorDesc::SetOriginShape(const Shape& shape) { impl_->origin_dims = shape.GetDims(); }

graphStatus TensorDesc::GetShapeRange(std::vector<std::pair<std::int64_t, std::int64_t>>& range) const {
    range = impl_->range;
    return GRAPH_SUCCESS;
}

graphStatus TensorDesc::SetShapeRange(const std::vector<std::pair<std::int64_t, std::int64_t>>& range) {
    impl_->range = range;
    return GRAPH_SUCCESS;
}

graphStatus TensorDesc::SetUnknownDimNumShape() {
    impl_->dims = UNKNOWN_RANK;
    return GRAPH_SUCCESS;
}

Format TensorDesc::GetFormat() const { return impl_->format; }
void TensorDesc::SetFormat(Format format) { impl_->format = format; }
Format TensorDesc::GetOriginFormat() const { return impl_->origin_format; }
void TensorDesc::SetOriginFormat(Format format) { impl_->origin_format = format; }
DataType TensorDesc::GetDataType() const { return impl_->dtype; }
void TensorDesc::SetDataType(DataType dtype) { impl_->dtype = dtype; }
Placement TensorDesc::GetPlacement() const { return impl_->placement; }
void TensorDesc::SetPlacement(Placement placement) { impl_->placement = placement; }

graphStatus TensorDesc::GetName(AscendString& name) {
    name = impl_->name;
    return GRAPH_SUCCESS;
}

void TensorDesc::SetName(const char* name) { impl_->name = AscendString(name); }
std::int64_t TensorDesc::GetSize() const { return impl_->size; }
void TensorDesc::SetSize(std::int64_t bytes) { impl_->size = bytes; }
std::int64_t TensorDesc::GetRealDimCnt() const { return impl_->real_dim_count; }
void TensorDesc::SetRealDimCnt(std::int64_t count) { impl_->real_dim_count = count; }

}  // namespace ge
