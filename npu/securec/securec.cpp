#include "npu/securec/securec.h"

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "npu/runtime/interface.h"

namespace {

constexpr size_t kMaxSize = 0x7fffffff;  // larger sizes are taken for a negative number gone wrong
constexpr int kInvalid = 22;
constexpr int kRange = 34;
constexpr int kInvalidAndReset = 150;
constexpr int kRangeAndReset = 162;

}  // namespace

extern "C" {

OPWELD_EXPORT int strcpy_s(char* destination, size_t destination_size, const char* source) {
    if (destination_size == 0 || destination_size > kMaxSize) {
        return kRange;
    }
    if (destination == nullptr) {
        return kInvalid;
    }
    if (source == nullptr) {
        destination[0] = '\0';
        return kInvalidAndReset;
    }
    const size_t length = strnlen(source, destination_size);
    if (length == destination_size) {
        destination[0] = '\0';
        return kRangeAndReset;
    }
    std::memmove(destination, source, length + 1);
    return 0;
}

OPWELD_EXPORT int vsnprintf_s(char* destination, size_t destination_size, size_t count, const char* format,
                              va_list arguments) {
    if (destination == nullptr || destination_size == 0 || destination_size > kMaxSize) {
        return -1;
    }
    const bool count_is_valid = count <= kMaxSize || count == SIZE_MAX;
    if (format == nullptr || !count_is_valid) {
        destination[0] = '\0';
        return -1;
    }
    const bool truncating = count < destination_size;
    const size_t room = truncating ? count + 1 : destination_size;
    const int length = std::vsnprintf(destination, room, format, arguments);
    if (length >= 0 && static_cast<size_t>(length) < room) {
        return length;
    }
    if (length < 0 || !truncating) {
        destination[0] = '\0';
    }
    return -1;
}

OPWELD_EXPORT int snprintf_s(char* destination, size_t destination_size, size_t count, const char* format,
                             ...) {
    va_list arguments;
    va_start(arguments, format);
    const int result = vsnprintf_s(destination, destination_size, count, format, arguments);
    va_end(arguments);
    return result;
}
}
