// The rows of the function table as libopapi.so sees them, and the two phases that every row shares.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "npu/aclnn/objects/executor.h"
#include "npu/aclnn/objects/objects.h"

#define OPWELD_HIDDEN __attribute__((visibility("hidden")))

namespace opweld::npu::kernels {
struct Kernel;
}

namespace opweld::npu::aclnn {

enum class Kind : uint8_t {
    Tensor,
    TensorList,
    Scalar,
    ScalarList,
    IntArray,
    FloatArray,
    BoolArray,
    Integer,
    Real,
    Bool,
    DType,
    String
};

// What limits the dtypes of a parameter beside its own list: nothing, or a unit of the SoC.
enum class Unit : uint8_t { any, vector, cube };

constexpr uint64_t bit(int32_t dtype) noexcept { return uint64_t{1} << static_cast<unsigned>(dtype); }

struct Parameter {
    std::string_view name;
    Kind kind;
    std::string_view c_type;  // "const aclTensor*"
    bool read = false;
    bool written = false;
    bool optional = false;
    bool same_everywhere = false;  // written: with the same value in each place, so elements may share one
    uint64_t dtypes = 0;           // tensors: bit n set means OpweldDType n is taken
    Unit unit = Unit::any;
};

// One argument as it crosses the C boundary; which member counts is told by the parameter's kind.
union Slot {
    const Object* object;
    int64_t integer;
    double real;
    const char* string;

    Slot() : integer(0) {}
    Slot(const Object* value) : object(value) {}
    Slot(int64_t value) : integer(value) {}
    Slot(int32_t value) : integer(value) {}
    Slot(int8_t value) : integer(value) {}
    Slot(uint64_t value) : integer(static_cast<int64_t>(value)) {}
    Slot(bool value) : integer(value ? 1 : 0) {}
    Slot(double value) : real(value) {}
    Slot(float value) : real(static_cast<double>(value)) {}
    Slot(const char* value) : string(value) {}
};

class Arguments;

// A row. Constant after load but for the last failure.
struct Function {
    std::string_view name;  // "aclnnAdd"
    std::span<const Parameter> parameters;
    void (*check)(
        const Arguments&);  // throws AclException(161002); null: nothing to check beside the parameters
    const kernels::Kernel& kernel;
    bool pointwise;  // each output element needs only the input elements of its own place
    bool dynamic;    // the kernel decides the shapes of the outputs
    LastFailure last_failure{};
};

std::span<Function* const> all_functions() noexcept;

// First phase: checks and makes the executor. Returns an aclnn status.
int prepare(Function& function, std::span<const Slot> slots, uint64_t* workspace_size,
            aclOpExecutor** executor) noexcept;

// Second phase: puts the kernel on the stream.
int launch(Function& function, aclOpExecutor* executor, void* stream) noexcept;

// What a name returns that torch_npu knows and this library doesn't: an error with the name and with what is
// near.
int not_implemented(std::string_view name) noexcept;

}  // namespace opweld::npu::aclnn
