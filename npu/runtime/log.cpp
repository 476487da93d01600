#include "npu/runtime/log.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>

namespace opweld::npu {
namespace {

struct LogConfig {
    int level;
    int descriptor;
};

LogConfig read_config() noexcept {
    const char* level = std::getenv("ASCEND_GLOBAL_LOG_LEVEL");
    const char* to_stdout = std::getenv("ASCEND_SLOG_PRINT_TO_STDOUT");
    const bool asked = to_stdout != nullptr && std::string_view(to_stdout) == "1";
    LogConfig config{.level = static_cast<int>(asked ? LogLevel::error : LogLevel::none),
                     .descriptor = asked ? STDOUT_FILENO : STDERR_FILENO};
    if (const char* own = std::getenv("OPWELD_LOG"); own != nullptr && *own != '\0') {
        const auto wanted = parse_log_level(own);
        return {.level = static_cast<int>(wanted.value_or(LogLevel::warning)), .descriptor = STDERR_FILENO};
    }
    if (level != nullptr && level[0] >= '0' && level[0] <= '4' && level[1] == '\0') {
        config.level = level[0] - '0';
    }
    return config;
}

const LogConfig& log_config() noexcept {
    static const LogConfig config = read_config();
    return config;
}

}  // namespace

const char* level_name(LogLevel level) noexcept {
    switch (level) {
        case LogLevel::debug:
            return "DEBUG";
        case LogLevel::info:
            return "INFO";
        case LogLevel::warning:
            return "WARNING";
        case LogLevel::error:
            return "ERROR";
        case LogLevel::none:
            break;
    }
    return "NULL";
}

std::optional<LogLevel> parse_log_level(std::string_view text) noexcept {
    constexpr std::pair<std::string_view, LogLevel> kLevels[] = {{"debug", LogLevel::debug},
                                                                 {"info", LogLevel::info},
                                                                 {"warning", LogLevel::warning},
                                                                 {"error", LogLevel::error},
                                                                 {"off", LogLevel::none}};
    for (const auto& [name, level] : kLevels) {
        if (name == text) {
            return level;
        }
    }
    return std::nullopt;
}

bool log_enabled(LogLevel level) noexcept { return static_cast<int>(level) >= log_config().level; }

void write_log(LogLevel level, std::string_view module, std::string_view text) noexcept {
    if (!log_enabled(level) || level >= LogLevel::none) {
        return;
    }
    try {
        const std::string line = fmt::format("[{}] {}({},{}): {}\n", level_name(level), module, getpid(),
                                             syscall(SYS_gettid), text);
        // A log that can't be written must not disturb the program.
        [[maybe_unused]] const auto written = write(log_config().descriptor, line.data(), line.size());
    } catch (...) {
        return;
    }
}

void write_always(std::string_view text) noexcept {
    try {
        const std::string line = fmt::format("opweld: {}\n", text);
        [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
    } catch (...) {
        return;
    }
}

}  // namespace opweld::npu
