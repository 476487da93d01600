#include "npu/aclnn/objects/object.h"

#include <fmt/format.h>

#include "npu/aclnn/objects/boundary.h"

namespace opweld::npu::aclnn {

const char* type_name(ObjectType type) noexcept {
    switch (type) {
        case ObjectType::tensor:
            return "aclTensor";
        case ObjectType::tensor_list:
            return "aclTensorList";
        case ObjectType::scalar:
            return "aclScalar";
        case ObjectType::scalar_list:
            return "aclScalarList";
        case ObjectType::int_array:
            return "aclIntArray";
        case ObjectType::float_array:
            return "aclFloatArray";
        case ObjectType::bool_array:
            return "aclBoolArray";
        case ObjectType::executor:
            return "aclOpExecutor";
        case ObjectType::destroyed:
            break;
    }
    return nullptr;
}

void refuse_handle(const Object* object, ObjectType type, std::string_view argument) {
    constexpr uintptr_t kLowest = 1 << 16;
    const auto address = reinterpret_cast<uintptr_t>(object);
    if (address < kLowest || address % alignof(Object) != 0) {
        throw AclException(
            kInvalid, fmt::format("argument '{}' is {}, expected a pointer to an {}; was the return value of "
                                  "its create function checked?",
                                  argument, fmt::ptr(object), type_name(type)));
    }
    const ObjectType found = object->type();
    if (found == ObjectType::destroyed) {
        throw AclException(
            kInvalid, fmt::format("argument '{}' ({}) was destroyed or used up before, expected a living {}",
                                  argument, fmt::ptr(object), type_name(type)));
    }
    const char* name = type_name(found);
    throw AclException(kInvalid,
                       fmt::format("argument '{}' ({}) is {}, expected an {}", argument, fmt::ptr(object),
                                   name == nullptr ? "no object of the aclnn interface, or no longer"
                                                   : fmt::format("an {}", name),
                                   type_name(type)));
}

}  // namespace opweld::npu::aclnn
