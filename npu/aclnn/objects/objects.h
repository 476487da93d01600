// The objects of the aclnn interface. They are constant after creation, except for the view shape of an
// output whose size only the kernel knows; who reads that shape must have waited for the stream.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "npu/aclnn/objects/object.h"
#include "opweld/launch.h"

// A view of device memory. Strides and offset count elements; `storage` is where the allocation of the tensor
// begins.
struct OPWELD_EXPORT aclTensor : opweld::npu::aclnn::Object {
    aclTensor(std::span<const int64_t> shape, int32_t dtype, std::span<const int64_t> strides, int64_t offset,
              int32_t format, std::span<const int64_t> storage_shape, void* storage);

    std::span<const int64_t> shape() const noexcept { return {numbers(), rank_}; }
    std::span<const int64_t> strides() const noexcept { return {numbers() + rank_, rank_}; }
    std::span<const int64_t> storage_shape() const noexcept { return {numbers() + 2 * rank_, storage_rank_}; }
    int32_t dtype() const noexcept { return dtype_; }
    int32_t format() const noexcept { return format_; }
    int64_t offset() const noexcept { return offset_; }
    void* storage() const noexcept { return storage_; }
    int64_t elements() const noexcept { return elements_; }

    // Device address of the first element.
    void* first() const noexcept { return first_; }
    // Bytes from the first element to the end of the last one.
    size_t extent() const noexcept { return extent_; }

    // Whether elements surely share memory: a dimension of stride 0 with more than one element.
    bool overlaps_itself() const noexcept;

    // Gives the tensor another, contiguous shape. The rank can't grow.
    void set_shape(std::span<const int64_t> shape);

  private:
    void measure();  // elements_, first_ and extent_ of the present shape; throws where numbers overflow
    const int64_t* numbers() const noexcept { return many_.empty() ? few_.data() : many_.data(); }

    size_t rank_;
    size_t storage_rank_;
    int32_t dtype_;
    int32_t format_;
    int64_t offset_;
    void* storage_;
    void* first_;
    int64_t elements_;
    size_t extent_;
    std::array<int64_t, 20> few_;  // shape, strides, storage shape; in many_ where there are more
    std::vector<int64_t> many_;
};

// A number of any dtype; which field counts is told by `dtype` as in OpweldScalar.
struct OPWELD_EXPORT aclScalar : opweld::npu::aclnn::Object {
    aclScalar(const void* source, int32_t dtype);

    OpweldScalar value;
    int32_t created_as;  // OpweldDType
};

namespace opweld::npu::aclnn {

template <class T, ObjectType kType>
struct Array : Object {
    explicit Array(std::span<const T> values) : Object(kType), values_(values.begin(), values.end()) {}
    std::span<const T> values() const noexcept { return values_; }

  private:
    std::vector<T> values_;
};

// bool has no vector with addressable elements.
template <>
struct Array<bool, ObjectType::bool_array> : Object {
    explicit Array(std::span<const bool> values)
        : Object(ObjectType::bool_array), values_(values.begin(), values.end()) {}
    std::span<const bool> values() const noexcept {
        static_assert(sizeof(bool) == sizeof(char));
        return {reinterpret_cast<const bool*>(values_.data()), values_.size()};
    }

  private:
    std::vector<char> values_;
};

// Owns one reference of each item, the one its creator had.
template <class T, ObjectType kType>
struct List : Object {
    explicit List(std::span<const T* const> items) : Object(kType), items_(items.begin(), items.end()) {}
    ~List() override {
        for (const T* item : items_) {
            if (item != nullptr) {
                item->release();
            }
        }
    }
    std::span<const T* const> items() const noexcept { return items_; }

  private:
    std::vector<const T*> items_;
};

OPWELD_EXPORT size_t item_size(int32_t dtype) noexcept;  // 0 for an unknown dtype; sub-byte dtypes count 1
OPWELD_EXPORT const char* dtype_name(int32_t dtype) noexcept;

}  // namespace opweld::npu::aclnn

struct aclIntArray : opweld::npu::aclnn::Array<int64_t, opweld::npu::aclnn::ObjectType::int_array> {
    using Array::Array;
};
struct aclFloatArray : opweld::npu::aclnn::Array<float, opweld::npu::aclnn::ObjectType::float_array> {
    using Array::Array;
};
struct aclBoolArray : opweld::npu::aclnn::Array<bool, opweld::npu::aclnn::ObjectType::bool_array> {
    using Array::Array;
};
struct aclTensorList : opweld::npu::aclnn::List<aclTensor, opweld::npu::aclnn::ObjectType::tensor_list> {
    using List::List;
};
struct aclScalarList : opweld::npu::aclnn::List<aclScalar, opweld::npu::aclnn::ObjectType::scalar_list> {
    using List::List;
};
