// For what a program can do without: records of what it does, which lack of memory may prevent.
#pragma once

#include <exception>

#include "npu/runtime/log.h"

namespace opweld::npu {

// Runs `action`; an exception becomes a line of the log.
template <class Action>
void quietly(const Action& action) noexcept {
    try {
        action();
    } catch (const std::exception& error) {
        write_log(LogLevel::warning, "ACL", error.what());
    }
}

}  // namespace opweld::npu
