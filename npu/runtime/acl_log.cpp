#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "npu/runtime/acl_api.h"
#include "npu/runtime/error.h"

using namespace opweld::npu;

void aclAppLog(int level, const char* function, const char* file, uint32_t line, const char* format, ...) {
    const auto wanted = static_cast<LogLevel>(level);
    if (level < 0 || level >= static_cast<int>(LogLevel::none) || !log_enabled(wanted) || format == nullptr) {
        return;
    }
    std::array<char, 4096> text{};
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text.data(), text.size(), format, arguments);
    va_end(arguments);
    const char* slash = file == nullptr ? nullptr : std::strrchr(file, '/');
    const char* name = slash != nullptr ? slash + 1 : file;
    try {
        write_log(wanted, "APP",
                  fmt::format("{}:{} {}: {}", name == nullptr ? "?" : name, line,
                              function == nullptr ? "?" : function, text.data()));
    } catch (const std::exception&) {
        write_log(wanted, "APP", text.data());
    }
}
