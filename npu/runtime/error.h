// Errors of the calling thread, and the way from an exception to an ACL code at the C boundary.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "npu/runtime/acl_types.h"
#include "npu/runtime/fork.h"
#include "npu/runtime/interface.h"
#include "npu/runtime/log.h"
#include "npu/runtime/trace.h"

namespace opweld::npu {

template <class... Args>
[[noreturn]] void raise(int code, fmt::format_string<Args...> format, Args&&... args) {
    throw AclException(code, fmt::format(format, std::forward<Args>(args)...));
}

// The calling thread's message: null where there is none. The pointer is valid until the thread's next call;
// the message counts as read.
const char* take_message() noexcept;

// The calling thread's last failing code; `clear` forgets it.
int last_error(bool clear) noexcept;

// Keeps code and message for the calling thread, logs them, and returns the code. `function` is the entry
// point.
int report_failure(std::string_view function, int code, std::string_view message) noexcept;

// Which calls a forked child may make that inherited a device in use.
enum class InChild : bool { refused, allowed };

// The C boundary: traces the call, runs `body`, turns exceptions into codes. `traced` are the arguments to
// show.
template <InChild in_child = InChild::refused, class Body, class... Args>
int entry(const char* function, Body&& body, const Args&... traced) noexcept {
    CallSpan span(function);
    try {
        if (Trace::on() || log_enabled(LogLevel::debug)) [[unlikely]] {
            [[maybe_unused]] const char* separator = "";
            ((span.arguments += fmt::format("{}{}", std::exchange(separator, ", "), traced)), ...);
            write_log(LogLevel::debug, "ACL", fmt::format("{}({})", function, span.arguments));
        }
        if (in_child == InChild::refused) {
            refuse_in_child();
        }
        std::forward<Body>(body)();
        return kSuccess;
    } catch (const AclException& error) {
        return report_failure(function, error.code(), error.what());
    } catch (const std::bad_alloc&) {
        return report_failure(function, kBadAlloc, "the host has no memory left");
    } catch (const std::exception& error) {
        return report_failure(function, kInternalError, error.what());
    } catch (...) {
        return report_failure(function, kInternalError, "an exception of unknown type was thrown");
    }
}

// The pointer, which must not be null: raises ACL_ERROR_INVALID_PARAM (or another code) naming the argument
// if it is.
template <class T>
T* required(T* pointer, const char* argument, int code = kInvalidParam) {
    if (pointer == nullptr) {
        raise(code, "argument `{}` is a null pointer", argument);
    }
    return pointer;
}

}  // namespace opweld::npu
