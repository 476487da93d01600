// Places in a source file.
#ifndef OPWELD_SPEC_POSITION_H
#define OPWELD_SPEC_POSITION_H

#include <cstddef>
#include <string>

namespace opweld::spec {

// Line and column count from 1; the column counts bytes of the UTF-8 line (renderers turn it into
// characters). {0, 0} means "no place": a value that was derived, not written.
struct Position {
    std::size_t line = 0;
    std::size_t column = 0;

    [[nodiscard]] bool known() const { return line != 0; }
};

// A stretch of one line. `length` is in bytes and at least 1 for a known position.
struct Span {
    Position at;
    std::size_t length = 1;
};

// A value with the place where it was written.
template <typename T>
struct Located {
    T value{};
    Position at;
};

}  // namespace opweld::spec

#endif
