// What is wrong with an expression or a formula, and where.
#pragma once

#include <cstddef>
#include <string>

namespace opweld::spec::expr {

// A range of bytes in the text that was compiled. The caller knows where that text stands in its file.
struct Span {
    std::size_t offset = 0;
    std::size_t length = 0;

    std::size_t end() const { return offset + length; }
    friend bool operator==(const Span&, const Span&) = default;
};

struct Diagnostic {
    Span span;
    std::string message;  // what is wrong and what was expected; no position, no full stop
    std::string hint;     // what to write instead; may be empty
};

}  // namespace opweld::spec::expr
