#include "graph/tensor_type.h"

#include "npu/ge/prototypes/tensor_type_members.h"

namespace ge {

class TensorTypeImpl {
  public:
    explicit TensorTypeImpl(std::vector<DataType> dtypes) : dtypes_(std::move(dtypes)) {}
    static const std::vector<DataType>& members(const TensorType& type) { return type.impl_->dtypes_; }

  private:
    std::vector<DataType> dtypes_;
};

TensorType::TensorType(DataType dtype) : TensorType(std::initializer_list<DataType>{dtype}) {}
TensorType::TensorType(const std::initializer_list<DataType>& dtypes)
    : impl_(std::make_shared<TensorTypeImpl>(dtypes)) {}

}  // namespace ge

namespace opweld::npu::prototypes {

const std::vector<::ge::DataType>& members(const ::ge::TensorType& type) {
    return ::ge::TensorTypeImpl::members(type);
}

}  // namespace opweld::npu::prototypes
