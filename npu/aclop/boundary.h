// The C boundary of libacl_op_compiler.so: exceptions become ACL codes and the message of aclGetRecentErrMsg.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <new>
#include <string_view>
#include <utility>

#include "npu/runtime/interface.h"

namespace opweld::npu::aclop {

constexpr int kSuccess = 0;
constexpr int kInvalidParam = 100000;
constexpr int kBadAlloc = 200000;
constexpr int kNotSupported = 207000;
constexpr int kInternalError = 500000;

template <class... Args>
[[noreturn]] void raise(int code, fmt::format_string<Args...> format, Args&&... args) {
    throw AclException(code, fmt::format(format, std::forward<Args>(args)...));
}

// Raises unless the argument is there.
template <class T>
T& required(T* pointer, std::string_view argument) {
    if (pointer == nullptr) {
        raise(kInvalidParam, "argument `{}` is a null pointer", argument);
    }
    return *pointer;
}

// Runs `body` for the entry point `function`; its exceptions become a code.
template <class Body>
int entry(const char* function, Body&& body) noexcept {
    const auto report = [&](int code, std::string_view what) {
        try {
            return fail(code, fmt::format("{}: {}", function, what));
        } catch (const std::exception&) {
            return fail(code, what);
        }
    };
    try {
        std::forward<Body>(body)();
        return kSuccess;
    } catch (const AclException& error) {
        return report(error.code(), error.what());
    } catch (const std::bad_alloc&) {
        return report(kBadAlloc, "the host has no memory left");
    } catch (const std::exception& error) {
        return report(kInternalError, error.what());
    }
}

}  // namespace opweld::npu::aclop
