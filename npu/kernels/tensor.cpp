#include "npu/kernels/tensor.h"

#include <ATen/ops/copy_native.h>
#include <ATen/ops/scalar_tensor.h>
#include <fmt/format.h>

#include <array>

namespace opweld::npu::kernels {
namespace {

constexpr size_t kDTypes = 64;

constexpr std::array<at::ScalarType, kDTypes> make_types() {
    std::array<at::ScalarType, kDTypes> types{};
    types.fill(at::ScalarType::Undefined);
    types[0] = at::kFloat;
    types[1] = at::kHalf;
    types[2] = at::kChar;
    types[3] = at::kInt;
    types[4] = at::kByte;
    types[6] = at::kShort;
    types[7] = at::kUInt16;
    types[8] = at::kUInt32;
    types[9] = at::kLong;
    types[10] = at::kUInt64;
    types[11] = at::kDouble;
    types[12] = at::kBool;
    types[16] = at::kComplexFloat;
    types[17] = at::kComplexDouble;
    types[27] = at::kBFloat16;
    return types;
}
constexpr std::array<at::ScalarType, kDTypes> kTypes = make_types();

// Bytes from the first element to the end of the last one.
size_t extent(const at::Tensor& tensor) noexcept {
    if (tensor.numel() == 0) {
        return 0;
    }
    int64_t last = 0;
    for (int64_t i = 0; i < tensor.dim(); ++i) {
        last += (tensor.size(i) - 1) * tensor.stride(i);
    }
    return static_cast<size_t>(last + 1) * tensor.itemsize();
}

}  // namespace

at::ScalarType scalar_type(int32_t dtype) {
    const auto index = static_cast<size_t>(dtype);
    if (index >= kTypes.size() || kTypes[index] == at::ScalarType::Undefined) {
        throw AclException(161002, fmt::format("aclDataType {} has no kernels", dtype));
    }
    return kTypes[index];
}

at::Tensor borrow(void* first, at::ScalarType dtype, std::span<const int64_t> sizes,
                  std::span<const int64_t> strides) {
    const auto meta = c10::scalarTypeToTypeMeta(dtype);
    int64_t elements = 1;
    int64_t last = 0;
    bool contiguous = true;
    for (size_t i = sizes.size(); i-- > 0;) {
        contiguous = contiguous && (strides[i] == elements || sizes[i] == 1);
        last += (sizes[i] - 1) * strides[i];
        elements *= sizes[i];
    }
    const auto bytes =
        elements == 0 ? 0 : static_cast<int64_t>(static_cast<size_t>(last + 1) * meta.itemsize());
    auto storage =
        c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), c10::SymInt(bytes),
                                              at::DataPtr(first, c10::Device(c10::kCPU)), nullptr, false);
    auto tensor = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(std::move(storage)),
                                                           c10::DispatchKeySet(c10::DispatchKey::CPU), meta);
    const at::IntArrayRef shape(sizes.data(), sizes.size());
    if (contiguous) {
        tensor.unsafeGetTensorImpl()->set_sizes_contiguous(shape);
    } else {
        tensor.unsafeGetTensorImpl()->set_sizes_and_strides(shape,
                                                            at::IntArrayRef(strides.data(), strides.size()));
    }
    return tensor;
}

bool overlap(const at::Tensor& a, const at::Tensor& b) noexcept {
    const auto* a_begin = static_cast<const char*>(a.const_data_ptr());
    const auto* b_begin = static_cast<const char*>(b.const_data_ptr());
    return a_begin < b_begin + extent(b) && b_begin < a_begin + extent(a);
}

bool same_view(const at::Tensor& a, const at::Tensor& b) noexcept {
    return a.const_data_ptr() == b.const_data_ptr() && a.scalar_type() == b.scalar_type() &&
           a.sizes() == b.sizes() && a.strides() == b.strides();
}

void store(at::Tensor& out, const at::Tensor& result) {
    if (result.nbytes() > out.storage().nbytes()) {
        throw AclException(161002, fmt::format("the output holds {} bytes, but the result has {}",
                                               out.storage().nbytes(), result.nbytes()));
    }
    out.unsafeGetTensorImpl()->set_sizes_contiguous(result.sizes());
    assign(out, result);
}

void assign(at::Tensor& out, const at::Tensor& result) { at::native::copy_(out, result); }

at::Tensor number(const at::Scalar& value) {
    at::Tensor tensor = at::scalar_tensor(value, at::TensorOptions().dtype(value.type()));
    tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
    return tensor;
}

}  // namespace opweld::npu::kernels
