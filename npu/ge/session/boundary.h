// The C++ boundary of the graph engine: no exception leaves it, each becomes a status and this thread's error
// text.
#pragma once

#include <exception>

#include "npu/ge/session/ge_api.h"

namespace opweld::npu::graph {

constexpr ge::Status kSuccess = 0;
constexpr ge::Status kFailed = 0xFFFFFFFF;

template <class F>
ge::Status bounded(const char* function, F&& action) noexcept {
    try {
        action();
        return kSuccess;
    } catch (const std::exception& error) {
        fail(static_cast<int>(kFailed), std::string(function) + ": " + error.what());
    } catch (...) {
        fail(static_cast<int>(kFailed), std::string(function) + ": an unknown error");
    }
    return kFailed;
}

}  // namespace opweld::npu::graph
