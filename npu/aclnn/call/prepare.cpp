// The first phase of every function in the table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "npu/aclnn/call/arguments.h"
#include "npu/aclnn/call/check.h"
#include "npu/aclnn/call/function_executor.h"
#include "npu/aclnn/objects/boundary.h"
#include "npu/aclnn/objects/device_check.h"
#include "npu/soc/soc.h"

namespace opweld::npu::aclnn {
namespace {

constexpr size_t kMaxRank = 8;  // of what the operators of the device take

struct Limits {
    uint64_t any = ~uint64_t{0};
    uint64_t vector = ~uint64_t{0};
    uint64_t cube = ~uint64_t{0};
    bool lenient = false;
};

// What the SoC takes, or anything with OPWELD_LENIENT=1. Constant for the life of the process.
const Limits& limits() {
    static const Limits kLimits = [] {
        Limits result;
        const char* lenient = std::getenv("OPWELD_LENIENT");
        result.lenient = lenient != nullptr && std::string_view(lenient) == "1";
        const Soc* soc = find_soc(soc_name());
        if (!result.lenient && soc != nullptr) {
            result.vector = soc->compute_dtypes;
            result.cube = soc->matmul_dtypes;
        }
        return result;
    }();
    return kLimits;
}

uint64_t accepted(const Parameter& parameter) {
    const Limits& limit = limits();
    if (limit.lenient) {
        return limit.any;
    }
    switch (parameter.unit) {
        case Unit::vector:
            return parameter.dtypes & limit.vector;
        case Unit::cube:
            return parameter.dtypes & limit.cube;
        case Unit::any:
            break;
    }
    return parameter.dtypes;
}

std::string names(uint64_t dtypes) {
    std::vector<const char*> result;
    for (int32_t dtype = 0; dtype < 64; ++dtype) {
        if ((dtypes & bit(dtype)) != 0) {
            result.push_back(dtype_name(dtype));
        }
    }
    return fmt::format("{}", fmt::join(result, ", "));
}

// Whether kernels compute with the dtype.
bool is_computed(int64_t dtype) noexcept {
    constexpr uint64_t kComputed = bit(OPWELD_FLOAT32) | bit(OPWELD_FLOAT16) | bit(OPWELD_BFLOAT16) |
                                   bit(OPWELD_FLOAT64) | bit(OPWELD_INT8) | bit(OPWELD_INT16) |
                                   bit(OPWELD_INT32) | bit(OPWELD_INT64) | bit(OPWELD_UINT8) |
                                   bit(OPWELD_UINT16) | bit(OPWELD_UINT32) | bit(OPWELD_UINT64) |
                                   bit(OPWELD_BOOL) | bit(OPWELD_COMPLEX64) | bit(OPWELD_COMPLEX128);
    return dtype >= 0 && dtype < 64 && (kComputed & bit(static_cast<int32_t>(dtype))) != 0;
}

bool base_format(int32_t format) noexcept {
    constexpr int32_t kBaseFormats[] = {-1, 0, 1, 2, 27, 30, 47};  // undefined NCHW NHWC ND NDHWC NCDHW NCL
    return std::find(std::begin(kBaseFormats), std::end(kBaseFormats), format) != std::end(kBaseFormats);
}

void check_tensor(const Parameter& parameter, const aclTensor& tensor) {
    const uint64_t dtypes = accepted(parameter);
    if (tensor.dtype() >= 64 || (dtypes & bit(tensor.dtype())) == 0) {
        check::invalid(fmt::format(
            "argument '{}' has dtype {}, expected one of {} on {} (OPWELD_LENIENT=1 lifts this limit)",
            parameter.name, dtype_name(tensor.dtype()), names(dtypes), soc_name()));
    }
    if (tensor.shape().size() > kMaxRank) {
        check::invalid(fmt::format("argument '{}' has {} dimensions, expected at most {}", parameter.name,
                                   tensor.shape().size(), kMaxRank));
    }
    if (!base_format(tensor.format())) {
        check::invalid(
            fmt::format("argument '{}' has the internal format {} (aclFormat), expected a plain one",
                        parameter.name, tensor.format()));
    }
    if (parameter.written && !parameter.same_everywhere && tensor.overlaps_itself()) {
        check::invalid(
            fmt::format("argument '{}' is written, but several of its elements share one place (a dimension "
                        "of stride 0, as "
                        "expand() makes it); expected a tensor with a place for each element: clone it first",
                        parameter.name));
    }
    if (const size_t bytes = tensor.extent(); bytes != 0) {
        try {
            host_address(tensor.first(), bytes);
        } catch (const AclException& error) {
            check::invalid(fmt::format("argument '{}': {}", parameter.name, error.what()));
        }
        if (const size_t size = item_size(tensor.dtype());
            reinterpret_cast<uintptr_t>(tensor.first()) % size != 0) {
            check::invalid(
                fmt::format("argument '{}' begins at {}, expected a multiple of {}, the size of {}",
                            parameter.name, fmt::ptr(tensor.first()), size, dtype_name(tensor.dtype())));
        }
    }
}

void check_list(const Parameter& parameter, const aclTensorList& list, DeviceCheck& devices) {
    for (const aclTensor* item : list.items()) {
        if (item == nullptr) {
            throw AclException(kNullPointer, fmt::format("argument '{}' has a null tensor", parameter.name));
        }
        check_tensor(parameter, *item);
        devices.add(*item, parameter.name);
    }
}

ObjectType object_type(Kind kind) noexcept {
    constexpr ObjectType kTypes[] = {
        ObjectType::tensor,    ObjectType::tensor_list, ObjectType::scalar,    ObjectType::scalar_list,
        ObjectType::int_array, ObjectType::float_array, ObjectType::bool_array};
    return kTypes[static_cast<size_t>(kind)];
}

bool is_object(Kind kind) noexcept { return kind <= Kind::BoolArray; }

void check_slot(const Parameter& parameter, const Slot& slot, DeviceCheck& devices) {
    if (is_object(parameter.kind) || parameter.kind == Kind::String) {
        const bool absent = is_object(parameter.kind) ? slot.object == nullptr : slot.string == nullptr;
        if (absent) {
            if (!parameter.optional) {
                throw AclException(kNullPointer, fmt::format("argument '{}' is null", parameter.name));
            }
            return;
        }
    }
    if (parameter.kind == Kind::DType && !is_computed(slot.integer)) {
        check::invalid(fmt::format("argument '{}' is {}, which is no aclDataType that a kernel computes with",
                                   parameter.name, slot.integer));
    }
    if (is_object(parameter.kind)) {
        check_handle(slot.object, object_type(parameter.kind), parameter.name);
    }
    if (parameter.kind == Kind::Tensor) {
        const auto& tensor = *static_cast<const aclTensor*>(slot.object);
        check_tensor(parameter, tensor);
        devices.add(tensor, parameter.name);
    } else if (parameter.kind == Kind::TensorList) {
        check_list(parameter, *static_cast<const aclTensorList*>(slot.object), devices);
    } else if (parameter.kind == Kind::ScalarList) {
        const auto items = static_cast<const aclScalarList*>(slot.object)->items();
        if (std::find(items.begin(), items.end(), nullptr) != items.end()) {
            throw AclException(kNullPointer, fmt::format("argument '{}' has a null scalar", parameter.name));
        }
    }
}

}  // namespace

int prepare(Function& function, std::span<const Slot> slots, uint64_t* workspace_size,
            aclOpExecutor** executor) noexcept {
    const auto body = [&] {
        require(workspace_size, "workspaceSize");
        require(executor, "executor");
        DeviceCheck devices;
        for (size_t i = 0; i < slots.size(); ++i) {
            check_slot(function.parameters[i], slots[i], devices);
        }
        if (function.check != nullptr) {
            function.check(Arguments(function, slots));
        }
        *executor = make_function_executor(function, slots, devices.device());
        *workspace_size = 0;
    };
    if (const int code = check_process(function.name); code != kOk) {
        return code;
    }
    const int code = guarded_status(function.name, body, &function.last_failure);
    if (code == kOk) {
        function.last_failure.forget(function.name);
    }
    return code;
}

int launch(Function& function, aclOpExecutor* executor, void* stream) noexcept {
    if (executor == nullptr) {
        return function.last_failure.report_again(function.name);
    }
    return enqueue_executor(function.name, executor, stream);
}

}  // namespace opweld::npu::aclnn
