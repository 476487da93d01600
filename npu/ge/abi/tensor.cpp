#include <algorithm>
#include <cstring>

#include "npu/ge/abi/shape_size.h"
#include "npu/ge/abi/tensor_desc_impl.h"
#include "npu/ge/abi/types.h"

namespace ge {

// Bytes with what deletes them.
class TensorImpl {
  public:
    TensorImpl() = default;
    TensorImpl(const TensorImpl&) = delete;
    TensorImpl& operator=(const TensorImpl&) = delete;
    ~TensorImpl() { drop(); }

    void take(std::uint8_t* data, std::size_t size, Tensor::DeleteFunc deleter) {
        drop();
        data_ = data;
        size_ = size;
        deleter_ = std::move(deleter);
    }

    void copy(const std::uint8_t* data, std::size_t size) {
        auto bytes = std::make_unique<std::uint8_t[]>(size);
        if (size != 0) {
            std::memcpy(bytes.get(), data, size);
        }
        take(nullptr, 0, {});
        take(bytes.release(), size, [](std::uint8_t* old) { delete[] old; });
    }

    std::unique_ptr<std::uint8_t[], Tensor::DeleteFunc> give() {
        std::unique_ptr<std::uint8_t[], Tensor::DeleteFunc> bytes(
            std::exchange(data_, nullptr), deleter_ ? std::exchange(deleter_, {}) : [](std::uint8_t*) {});
        size_ = 0;
        return bytes;
    }

    std::uint8_t* data() const { return data_; }
    std::size_t size() const { return size_; }

    TensorDescImpl desc;

  private:
    void drop() {
        if (data_ != nullptr && deleter_) {
            deleter_(data_);
        }
    }

    std::uint8_t* data_ = nullptr;
    std::size_t size_ = 0;
    Tensor::DeleteFunc deleter_;
};

namespace {

graphStatus set_dim(std::vector<std::int64_t>& dims, std::size_t index, std::int64_t value) {
    if (index >= dims.size()) {
        return GRAPH_PARAM_INVALID;
    }
    dims[index] = value;
    return GRAPH_SUCCESS;
}

constexpr std::size_t kMostDims = 1024;  // more are a number gone wrong

graphStatus resize(std::vector<std::int64_t>& dims, std::size_t count) {
    if (count > kMostDims) {
        return GRAPH_PARAM_INVALID;
    }
    dims.resize(count);
    return GRAPH_SUCCESS;
}

}  // namespace

Tensor::Tensor() : impl_(std::make_shared<TensorImpl>()) {}
Tensor::Tensor(const TensorDesc& desc) : Tensor() { SetTensorDesc(desc); }
Tensor::Tensor(const TensorDesc& desc, const std::vector<std::uint8_t>& data)
    : Tensor(desc, data.data(), data.size()) {}
Tensor::Tensor(const TensorDesc& desc, const std::uint8_t* data, std::size_t size) : Tensor(desc) {
    SetData(data, size);
}

TensorDesc Tensor::GetTensorDesc() const {
    TensorDesc desc;
    *desc.impl_ = impl_->desc;
    return desc;
}

graphStatus Tensor::SetTensorDesc(const TensorDesc& desc) {
    impl_->desc = *desc.impl_;
    return GRAPH_SUCCESS;
}

DataType Tensor::GetDataType() const { return impl_->desc.dtype; }
Format Tensor::GetFormat() const { return impl_->desc.format; }
Placement Tensor::GetPlacement() const { return impl_->desc.placement; }

graphStatus Tensor::SetDataType(const DataType& dtype) {
    impl_->desc.dtype = dtype;
    return GRAPH_SUCCESS;
}

graphStatus Tensor::SetFormat(const Format& format) {
    impl_->desc.format = format;
    return GRAPH_SUCCESS;
}

graphStatus Tensor::SetPlacement(const Placement& placement) {
    impl_->desc.placement = placement;
    return GRAPH_SUCCESS;
}

std::size_t Tensor::GetShapeDimNum() const { return impl_->desc.dims.size(); }
graphStatus Tensor::SetShapeDimNum(std::size_t count) { return resize(impl_->desc.dims, count); }
graphStatus Tensor::SetShapeDim(std::size_t index, std::int64_t value) {
    return set_dim(impl_->desc.dims, index, value);
}

std::int64_t Tensor::GetShapeDim(std::size_t index) const {
    const std::vector<std::int64_t>& dims = impl_->desc.dims;
    return index < dims.size() ? dims[index] : 0;
}

std::size_t Tensor::GetOriginShapeDimNum() const { return impl_->desc.origin_dims.size(); }
graphStatus Tensor::SetOriginShapeDimNum(std::size_t count) { return resize(impl_->desc.origin_dims, count); }
graphStatus Tensor::SetOriginShapeDim(std::size_t index, std::int64_t value) {
    return set_dim(impl_->desc.origin_dims, index, value);
}

const std::uint8_t* Tensor::GetData() const { return impl_->data(); }
std::uint8_t* Tensor::GetData() { return impl_->data(); }
std::size_t Tensor::GetSize() const { return impl_->size(); }

graphStatus Tensor::SetData(const std::vector<std::uint8_t>& data) {
    return SetData(data.data(), data.size());
}

graphStatus Tensor::SetData(const std::uint8_t* data, std::size_t size) {
    if (data == nullptr && size != 0) {
        return GRAPH_PARAM_INVALID;
    }
    impl_->copy(data, size);
    return GRAPH_SUCCESS;
}

graphStatus Tensor::SetData(const char* text) {
    if (text == nullptr) {
        return GRAPH_PARAM_INVALID;
    }
    return SetData(reinterpret_cast<const std::uint8_t*>(text), std::strlen(text) + 1);
}

graphStatus Tensor::SetData(std::uint8_t* data, std::size_t size, const DeleteFunc& deleter) {
    if (data == nullptr && size != 0) {
        return GRAPH_PARAM_INVALID;
    }
    impl_->take(data, size, deleter);
    return GRAPH_SUCCESS;
}

graphStatus Tensor::ResetData(std::uint8_t* data, std::size_t size, const DeleteFunc& deleter) {
    return SetData(data, size, deleter);
}

std::unique_ptr<std::uint8_t[], Tensor::DeleteFunc> Tensor::ResetData() { return impl_->give(); }

graphStatus Tensor::IsValid() {
    const std::int64_t count = opweld::npu::prototypes::shape_size(impl_->desc.dims);
    const int bits = opweld::npu::prototypes::bits(impl_->desc.dtype);
    if (count < 0 || bits == 0) {
        return GRAPH_FAILED;
    }
    std::int64_t total = 0;
    constexpr std::int64_t kByte = 8;
    if (__builtin_mul_overflow(count, bits, &total)) {
        return GRAPH_FAILED;
    }
    const auto needed = static_cast<std::size_t>((total + kByte - 1) / kByte);
    return impl_->size() == needed ? GRAPH_SUCCESS : GRAPH_FAILED;
}

Tensor Tensor::Clone() const {
    Tensor tensor;
    tensor.impl_->desc = impl_->desc;
    if (impl_->data() != nullptr) {
        tensor.impl_->copy(impl_->data(), impl_->size());
    }
    return tensor;
}

}  // namespace ge
