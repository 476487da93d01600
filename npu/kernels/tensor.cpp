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

// A storage over borrowed memory. Making one costs as much as the rest of a tensor, so this thread's last
// ones are used again as soon as no tensor refers to them.
c10::Storage storage_over(void* first, int64_t bytes) {
    constexpr size_t kKept = 8;
    thread_local std::array<c10::Storage, kKept> kept;
    thread_local size_t next = 0;
    c10::Storage& storage = kept[next++ % kKept];
    at::DataPtr data(first, c10::Device(c10::kCPU));
    if (storage && storage.use_count() == 1) {
        storage.unsafeGetStorageImpl()->set_data_ptr_noswap(std::move(data));
        storage.set_nbytes(static_cast<size_t>(bytes));
    } else {
        storage = c10::Storage(c10::make_intrusive<c10::StorageImpl>(
            c10::StorageImpl::use_byte_size_t(), c10::SymInt(bytes), std::move(data), nullptr, false));
    }
    return storage;
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
    auto tensor = at::detail::make_tensor<c10::TensorImpl>(storage_over(first, bytes),
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

bool same_view(const at::Tensor& a, const at::Tensor& b) noexcept {
    return a.const_data_ptr() == b.const_data_ptr() && a.scalar_type() == b.scalar_type() &&
           a.sizes() == b.sizes() && a.strides() == b.strides();
}

void store(at::Tensor& out, const at::Tensor& result) {
    if (out.sizes() == result.sizes()) {
        assign(out, result);
        return;
    }
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
