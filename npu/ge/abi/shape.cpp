#include "graph/tensor.h"
#include "npu/ge/abi/shape_size.h"

namespace ge {

class ShapeImpl {
  public:
    explicit ShapeImpl(std::vector<std::int64_t> dims) : dims_(std::move(dims)) {}
    std::vector<std::int64_t>& dims() { return dims_; }

  private:
    std::vector<std::int64_t> dims_;
};

Shape::Shape() : Shape(std::vector<std::int64_t>()) {}
Shape::Shape(const std::vector<std::int64_t>& dims) : impl_(std::make_shared<ShapeImpl>(dims)) {}

std::size_t Shape::GetDimNum() const {
    const std::vector<std::int64_t>& dims = impl_->dims();
    return dims == UNKNOWN_RANK ? 0 : dims.size();
}

std::int64_t Shape::GetDim(std::size_t index) const {
    const std::vector<std::int64_t>& dims = impl_->dims();
    return index < dims.size() ? dims[index] : 0;
}

graphStatus Shape::SetDim(std::size_t index, std::int64_t value) {
    if (index >= impl_->dims().size()) {
        return GRAPH_FAILED;
    }
    if (impl_.use_count() > 1) {  // callers copy the pointer inline
        impl_ = std::make_shared<ShapeImpl>(impl_->dims());
    }
    impl_->dims()[index] = value;
    return GRAPH_SUCCESS;
}

std::vector<std::int64_t> Shape::GetDims() const { return impl_->dims(); }

std::int64_t Shape::GetShapeSize() const {
    return impl_->dims().empty() ? 0 : opweld::npu::prototypes::shape_size(impl_->dims());
}

}  // namespace ge
