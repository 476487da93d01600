// The log. OPWELD_LOG (debug, info, warning, error, off) is the one switch, also of opweld's Python; without
// it CANN's switches count: ASCEND_GLOBAL_LOG_LEVEL (0 debug, 1 info, 2 warning, 3 error, 4 nothing; default
// 3) and ASCEND_SLOG_PRINT_TO_STDOUT (1: standard output, otherwise standard error; errors of the runtime are
// returned to the caller anyway, so they are printed only where one of the two variables is set).
//
// Safe from any thread; a line is written by one system call.
#pragma once

#include <optional>
#include <string_view>

namespace opweld::npu {

enum class LogLevel : int { debug = 0, info = 1, warning = 2, error = 3, none = 4 };

const char* level_name(LogLevel level) noexcept;

// The level that a value of OPWELD_LOG means; nothing where it is none.
std::optional<LogLevel> parse_log_level(std::string_view text) noexcept;

bool log_enabled(LogLevel level) noexcept;

// Writes "[ERROR] ACL(pid,thread): text" if the level is enabled.
void write_log(LogLevel level, std::string_view module, std::string_view text) noexcept;

// Writes to standard error whatever the level: for what would otherwise get lost.
void write_always(std::string_view text) noexcept;

}  // namespace opweld::npu
