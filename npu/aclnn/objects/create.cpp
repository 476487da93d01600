// The exported functions that make, read and destroy the objects of the aclnn interface.
#include <fmt/format.h>

#include <algorithm>

#include "npu/aclnn/objects/boundary.h"
#include "npu/aclnn/objects/objects.h"

namespace opweld::npu::aclnn {
namespace {

constexpr uint64_t kMaxRank = 64;

template <class T>
std::span<const T> view(const T* values, uint64_t count) {
    if (count != 0) {
        require(values, "value");
    }
    return {values, count};
}

void require_handle(const Object* object, ObjectType type, const char* argument) {
    require(object, argument);
    check_handle(object, type, argument);
}

// The items of a list; null ones are left to the functions that take the list.
template <class T>
std::span<const T* const> items(const T* const* values, uint64_t count, ObjectType type) {
    const auto result = view(values, count);
    for (const T* item : result) {
        check_handle(item, type, "value");
    }
    return result;
}

// A copy that the caller frees with delete[].
int copy_out(const char* function, const aclTensor* tensor,
             std::span<const int64_t> (aclTensor::*read)() const noexcept, int64_t** values,
             uint64_t* count) {
    return guarded_status(function, [&] {
        require_handle(tensor, ObjectType::tensor, "tensor");
        require(values, "values");
        require(count, "count");
        const std::span<const int64_t> numbers = (tensor->*read)();
        auto* copy = new int64_t[numbers.size()];
        std::copy(numbers.begin(), numbers.end(), copy);
        *values = copy;
        *count = numbers.size();
    });
}

// Destroying nothing is allowed.
int destroy(const char* function, const Object* object, ObjectType type) noexcept {
    return guarded_status(function, [&] {
        check_handle(object, type, "object");
        if (object != nullptr) {
            object->release();
        }
    });
}

template <class T>
int size_of(const char* function, const T* object, ObjectType type, uint64_t* size, auto count) noexcept {
    return guarded_status(function, [&] {
        require_handle(object, type, "object");
        require(size, "size");
        *size = count(*object);
    });
}

}  // namespace

extern "C" {

OPWELD_EXPORT aclTensor* aclCreateTensor(const int64_t* view_dims, uint64_t view_rank, int32_t dtype,
                                         const int64_t* strides, int64_t offset, int32_t format,
                                         const int64_t* storage_dims, uint64_t storage_rank, void* data) {
    return guarded("aclCreateTensor", static_cast<aclTensor*>(nullptr), [&] {
        if (view_rank > kMaxRank || storage_rank > kMaxRank) {
            throw AclException(
                kInvalid, fmt::format("rank {} is above {}", std::max(view_rank, storage_rank), kMaxRank));
        }
        if (item_size(dtype) == 0) {
            throw AclException(kInvalid, fmt::format("no aclDataType has the number {}", dtype));
        }
        const auto shape = view(view_dims, view_rank);
        if (std::ranges::any_of(shape, [](int64_t size) { return size < 0; })) {
            throw AclException(kInvalid, "a size is negative");
        }
        if (strides != nullptr &&
            std::ranges::any_of(view(strides, view_rank), [](int64_t stride) { return stride < 0; })) {
            throw AclException(kInvalid, "a stride is negative");
        }
        const auto storage = view(storage_dims, storage_rank);
        if (strides != nullptr || view_rank == 0) {
            return new aclTensor(shape, dtype, {strides, view_rank}, offset, format, storage, data);
        }
        std::vector<int64_t> contiguous(view_rank, 1);
        for (size_t i = view_rank - 1; i > 0; --i) {
            if (__builtin_mul_overflow(contiguous[i], shape[i], &contiguous[i - 1])) {
                throw AclException(kInvalid, "the tensor reaches beyond any address");
            }
        }
        return new aclTensor(shape, dtype, contiguous, offset, format, storage, data);
    });
}

OPWELD_EXPORT int aclDestroyTensor(const aclTensor* tensor) {
    return destroy("aclDestroyTensor", tensor, ObjectType::tensor);
}

OPWELD_EXPORT int aclGetViewShape(const aclTensor* tensor, int64_t** dims, uint64_t* rank) {
    return copy_out("aclGetViewShape", tensor, &aclTensor::shape, dims, rank);
}

OPWELD_EXPORT int aclGetViewStrides(const aclTensor* tensor, int64_t** strides, uint64_t* rank) {
    return copy_out("aclGetViewStrides", tensor, &aclTensor::strides, strides, rank);
}

OPWELD_EXPORT int aclGetStorageShape(const aclTensor* tensor, int64_t** dims, uint64_t* rank) {
    return copy_out("aclGetStorageShape", tensor, &aclTensor::storage_shape, dims, rank);
}

OPWELD_EXPORT int aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
    return guarded_status("aclGetViewOffset", [&] {
        require_handle(tensor, ObjectType::tensor, "tensor");
        require(offset, "offset");
        *offset = tensor->offset();
    });
}

OPWELD_EXPORT int aclGetDataType(const aclTensor* tensor, int32_t* dtype) {
    return guarded_status("aclGetDataType", [&] {
        require_handle(tensor, ObjectType::tensor, "tensor");
        require(dtype, "dtype");
        *dtype = tensor->dtype();
    });
}

OPWELD_EXPORT int aclGetFormat(const aclTensor* tensor, int32_t* format) {
    return guarded_status("aclGetFormat", [&] {
        require_handle(tensor, ObjectType::tensor, "tensor");
        require(format, "format");
        *format = tensor->format();
    });
}

OPWELD_EXPORT aclScalar* aclCreateScalar(void* value, int32_t dtype) {
    return guarded("aclCreateScalar", static_cast<aclScalar*>(nullptr), [&] {
        require(value, "value");
        return new aclScalar(value, dtype);
    });
}

OPWELD_EXPORT int aclDestroyScalar(const aclScalar* scalar) {
    return destroy("aclDestroyScalar", scalar, ObjectType::scalar);
}

OPWELD_EXPORT aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
    return guarded("aclCreateIntArray", static_cast<aclIntArray*>(nullptr),
                   [&] { return new aclIntArray(view(value, size)); });
}

OPWELD_EXPORT int aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
    return size_of("aclGetIntArraySize", array, ObjectType::int_array, size,
                   [](const auto& a) { return a.values().size(); });
}

OPWELD_EXPORT int aclDestroyIntArray(const aclIntArray* array) {
    return destroy("aclDestroyIntArray", array, ObjectType::int_array);
}

OPWELD_EXPORT aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
    return guarded("aclCreateFloatArray", static_cast<aclFloatArray*>(nullptr),
                   [&] { return new aclFloatArray(view(value, size)); });
}

OPWELD_EXPORT int aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
    return size_of("aclGetFloatArraySize", array, ObjectType::float_array, size,
                   [](const auto& a) { return a.values().size(); });
}

OPWELD_EXPORT int aclDestroyFloatArray(const aclFloatArray* array) {
    return destroy("aclDestroyFloatArray", array, ObjectType::float_array);
}

OPWELD_EXPORT aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
    return guarded("aclCreateBoolArray", static_cast<aclBoolArray*>(nullptr),
                   [&] { return new aclBoolArray(view(value, size)); });
}

OPWELD_EXPORT int aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
    return size_of("aclGetBoolArraySize", array, ObjectType::bool_array, size,
                   [](const auto& a) { return a.values().size(); });
}

OPWELD_EXPORT int aclDestroyBoolArray(const aclBoolArray* array) {
    return destroy("aclDestroyBoolArray", array, ObjectType::bool_array);
}

OPWELD_EXPORT aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) {
    return guarded("aclCreateTensorList", static_cast<aclTensorList*>(nullptr),
                   [&] { return new aclTensorList(items(value, size, ObjectType::tensor)); });
}

OPWELD_EXPORT int aclGetTensorListSize(const aclTensorList* list, uint64_t* size) {
    return size_of("aclGetTensorListSize", list, ObjectType::tensor_list, size,
                   [](const auto& a) { return a.items().size(); });
}

OPWELD_EXPORT int aclDestroyTensorList(const aclTensorList* list) {
    return destroy("aclDestroyTensorList", list, ObjectType::tensor_list);
}

OPWELD_EXPORT aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size) {
    return guarded("aclCreateScalarList", static_cast<aclScalarList*>(nullptr),
                   [&] { return new aclScalarList(items(value, size, ObjectType::scalar)); });
}

OPWELD_EXPORT int aclGetScalarListSize(const aclScalarList* list, uint64_t* size) {
    return size_of("aclGetScalarListSize", list, ObjectType::scalar_list, size,
                   [](const auto& a) { return a.items().size(); });
}

OPWELD_EXPORT int aclDestroyScalarList(const aclScalarList* list) {
    return destroy("aclDestroyScalarList", list, ObjectType::scalar_list);
}

}  // extern "C"
}  // namespace opweld::npu::aclnn
