// The bounds-checked string functions that torchair's libraries take from CANN.
//
// Each keeps the destination terminated, also after an error, as long as there is a destination of at least
// one byte. Safe to call from any thread.
#pragma once

#include <cstdarg>
#include <cstddef>

extern "C" {

// Copies `source` with its end. Returns 0, or an error number, after which the destination is the empty
// string: 22 or 150 for a null argument, 34 for an impossible size, 162 where `source` does not fit.
int strcpy_s(char* destination, size_t destination_size, const char* source);

// Prints at most `count` characters. Returns how many were printed, or -1 where the text does not fit into
// `count` or into the destination; the destination then holds its beginning (`count` too small) or nothing.
int snprintf_s(char* destination, size_t destination_size, size_t count, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
int vsnprintf_s(char* destination, size_t destination_size, size_t count, const char* format,
                va_list arguments) __attribute__((format(printf, 4, 0)));
}
