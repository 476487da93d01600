// What the opaque objects of the aclnn interface have in common: a count of who uses them. A create function
// gives the caller one reference, the destroy function takes it back, and an executor holds its own: so a
// program may destroy an argument as soon as the first phase has returned, as a captured graph needs.
//
// Handles come from foreign code, so each object says what it is: a number that is no object, an object of
// another type or one that was destroyed is found before it is used (the last as far as its memory has not
// been given to another object since).
#pragma once

#include <atomic>
#include <cstdint>

#include "npu/runtime/interface.h"

namespace opweld::npu::aclnn {

// What an object is. The values are unlikely to be found in memory by chance.
enum class ObjectType : uint32_t {
    destroyed = 0x0dead0b7,
    tensor = 0x7e50a001,
    tensor_list = 0x7e50a002,
    scalar = 0x7e50a003,
    scalar_list = 0x7e50a004,
    int_array = 0x7e50a005,
    float_array = 0x7e50a006,
    bool_array = 0x7e50a007,
    executor = 0x7e50a008,
};

// The C name, "aclTensor"; null for a value that is no type.
OPWELD_EXPORT const char* type_name(ObjectType type) noexcept;

// Thread-safe count; the object deletes itself with the last reference.
class OPWELD_EXPORT Object {
  public:
    explicit Object(ObjectType type) noexcept : type_(type) {}
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;
    // Atomic, so that the compiler keeps the last write to memory that is given back.
    virtual ~Object() { type_.store(ObjectType::destroyed, std::memory_order_relaxed); }

    ObjectType type() const noexcept { return type_.load(std::memory_order_relaxed); }

    void retain() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
    void release() const noexcept {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            delete this;
        }
    }

  private:
    std::atomic<ObjectType> type_;
    mutable std::atomic<uint32_t> references_{1};
};

// Throws AclException(161002) that names the argument, unless `object` is a living object of this type. A
// null pointer passes.
OPWELD_EXPORT void refuse_handle(const Object* object, ObjectType type, std::string_view argument);
inline void check_handle(const Object* object, ObjectType type, std::string_view argument) {
    constexpr uintptr_t kLowest = 1 << 16;  // no object lies below
    const auto address = reinterpret_cast<uintptr_t>(object);
    if (object != nullptr && (address < kLowest || address % alignof(Object) != 0 || object->type() != type))
        [[unlikely]] {
        refuse_handle(object, type, argument);
    }
}

}  // namespace opweld::npu::aclnn
