// The edge between C++ and the exported C functions: no exception passes it.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <new>
#include <string>

#include "npu/runtime/interface.h"

namespace opweld::npu::aclnn {

// Status codes of the aclnn interface.
enum Status : int {
    kOk = 0,
    kNullPointer = 161001,      // ACLNN_ERR_PARAM_NULLPTR
    kInvalid = 161002,          // ACLNN_ERR_PARAM_INVALID
    kRuntimeError = 361001,     // ACLNN_ERR_RUNTIME_ERROR
    kInner = 561000,            // ACLNN_ERR_INNER
    kKernelMissing = 561003,    // ACLNN_ERR_INNER_FIND_KERNEL_ERROR
    kInnerNullPointer = 561103  // ACLNN_ERR_INNER_NULLPTR_ERROR
};

class LastFailure;

// Turns the exception that is being handled into a status, with `function` before its text. Notes it in
// `last`.
OPWELD_EXPORT int fail_with_current(std::string_view function, LastFailure* last = nullptr) noexcept;

// Runs `body`, which returns what the C function returns, or `otherwise` after an exception.
template <class F, class R>
R guarded(std::string_view function, R otherwise, F&& body) noexcept {
    try {
        return body();
    } catch (...) {
        fail_with_current(function);
        return otherwise;
    }
}

// The same for functions that return a status.
template <class F>
int guarded_status(std::string_view function, F&& body, LastFailure* last = nullptr) noexcept {
    try {
        body();
        return kOk;
    } catch (...) {
        return fail_with_current(function, last);
    }
}

// Throws AclException(161001) naming the argument if it is null.
inline void require(const void* pointer, const char* argument) {
    if (pointer == nullptr) {
        throw AclException(kNullPointer, fmt::format("argument '{}' is null", argument));
    }
}

}  // namespace opweld::npu::aclnn
