#include "npu/aclnn/objects/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "npu/aclnn/objects/half.h"
#include "npu/runtime/dtypes.h"

namespace opweld::npu::aclnn {
namespace {

template <class T>
T read(const void* value) noexcept {
    return *static_cast<const T*>(value);
}

}  // namespace

size_t item_size(int32_t dtype) noexcept {
    const auto* facts = find_dtype(dtype);
    return facts == nullptr ? 0 : facts->bytes;
}

const char* dtype_name(int32_t dtype) noexcept {
    const auto* facts = find_dtype(dtype);
    return facts == nullptr ? "unknown dtype" : facts->name;
}

}  // namespace opweld::npu::aclnn

using opweld::npu::AclException;
using opweld::npu::aclnn::bfloat16_to_float;
using opweld::npu::aclnn::float16_to_float;
using opweld::npu::aclnn::item_size;
using opweld::npu::aclnn::read;

aclTensor::aclTensor(std::span<const int64_t> shape, int32_t dtype, std::span<const int64_t> strides,
                     int64_t offset, int32_t format, std::span<const int64_t> storage_shape, void* storage)
    : Object(opweld::npu::aclnn::ObjectType::tensor),
      rank_(shape.size()),
      storage_rank_(storage_shape.size()),
      dtype_(dtype),
      format_(format),
      offset_(offset),
      storage_(storage) {
    int64_t* to = few_.data();
    if (2 * rank_ + storage_rank_ > few_.size()) {
        many_.resize(2 * rank_ + storage_rank_);
        to = many_.data();
    }
    to = std::copy(shape.begin(), shape.end(), to);
    to = std::copy(strides.begin(), strides.end(), to);
    std::copy(storage_shape.begin(), storage_shape.end(), to);
    measure();
}

void aclTensor::measure() {
    const size_t item = item_size(dtype_);
    const auto sizes = shape();
    const auto steps = strides();
    const bool empty = std::ranges::find(sizes, 0) != sizes.end();
    int64_t last = 0;
    bool fits = true;
    elements_ = empty ? 0 : 1;
    for (size_t i = 0; i < rank_ && !empty; ++i) {
        int64_t reach = 0;
        fits = fits && !__builtin_mul_overflow(elements_, sizes[i], &elements_) &&
               !__builtin_mul_overflow(sizes[i] - 1, steps[i], &reach) &&
               !__builtin_add_overflow(last, reach, &last);
    }
    size_t bytes = 0;
    if (!fits || last == std::numeric_limits<int64_t>::max() ||
        __builtin_mul_overflow(static_cast<size_t>(last + 1), item, &bytes)) {
        throw AclException(161002, "the tensor reaches beyond any address");
    }
    extent_ = empty ? 0 : bytes;
    // A device address is not dereferenced here; without storage and with an offset it stays an invalid one.
    first_ = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(storage_) +
                                     static_cast<uintptr_t>(offset_) * item);
}

bool aclTensor::overlaps_itself() const noexcept {
    for (size_t i = 0; i < rank_ && elements_ != 0; ++i) {
        if (shape()[i] > 1 && strides()[i] == 0) {
            return true;
        }
    }
    return false;
}

void aclTensor::set_shape(std::span<const int64_t> shape) {
    if (shape.size() > rank_) {
        throw AclException(161002, "an output can't get a higher rank than it was made with");
    }
    int64_t* numbers = many_.empty() ? few_.data() : many_.data();
    std::copy_n(numbers + 2 * rank_, storage_rank_, numbers + 2 * shape.size());
    rank_ = shape.size();
    std::copy(shape.begin(), shape.end(), numbers);
    int64_t step = 1;
    for (size_t i = rank_; i-- > 0;) {
        numbers[rank_ + i] = step;
        step *= shape[i];
    }
    measure();
}

aclScalar::aclScalar(const void* source, int32_t dtype)
    : Object(opweld::npu::aclnn::ObjectType::scalar), value{}, created_as(dtype) {
    value.dtype = OPWELD_INT64;
    switch (dtype) {
        case OPWELD_BOOL:
            value.dtype = OPWELD_BOOL;
            value.integer = read<bool>(source) ? 1 : 0;
            return;
        case OPWELD_INT8:
            value.integer = read<int8_t>(source);  // NOLINT(bugprone-signed-char-misuse): a number
            return;
        case OPWELD_INT16:
            value.integer = read<int16_t>(source);
            return;
        case OPWELD_INT32:
            value.integer = read<int32_t>(source);
            return;
        case OPWELD_INT64:
            value.integer = read<int64_t>(source);
            return;
        case OPWELD_UINT8:
            value.integer = read<uint8_t>(source);
            return;
        case OPWELD_UINT16:
            value.integer = read<uint16_t>(source);
            return;
        case OPWELD_UINT32:
            value.integer = read<uint32_t>(source);
            return;
        default:
            break;
    }
    value.dtype = OPWELD_FLOAT64;
    switch (dtype) {
        case OPWELD_FLOAT32:
            value.real = read<float>(source);
            return;
        case OPWELD_FLOAT64:
            value.real = read<double>(source);
            return;
        case OPWELD_FLOAT16:
            value.real = float16_to_float(read<uint16_t>(source));
            return;
        case OPWELD_BFLOAT16:
            value.real = bfloat16_to_float(read<uint16_t>(source));
            return;
        case OPWELD_COMPLEX64: {
            const auto number = read<std::complex<float>>(source);
            value = {OPWELD_COMPLEX128, 0, 0, number.real(), number.imag()};
            return;
        }
        case OPWELD_COMPLEX128: {
            const auto number = read<std::complex<double>>(source);
            value = {OPWELD_COMPLEX128, 0, 0, number.real(), number.imag()};
            return;
        }
        default:
            throw AclException(161002, fmt::format("a scalar can't have the aclDataType {}", dtype));
    }
}
