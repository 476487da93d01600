// Emitted text with how tightly it binds: what the emitters of expressions and formulas share.
#pragma once

#include <cstdint>
#include <string>

namespace opweld::spec::expr {

// From loose to tight, for C++ and Python alike: Python's comparisons are C++'s equality, and what is not in
// a language is a level that its texts don't have.
enum class Binds : std::uint8_t {
    conditional,
    disjunction,
    conjunction,
    negation,
    comparison,
    equality = comparison,
    relation,
    sum,
    product,
    unary,
    postfix
};

struct Text {
    std::string text;
    Binds binds = Binds::postfix;
};

inline std::string in_brackets_below(const Text& text, Binds least) {
    return text.binds < least ? "(" + text.text + ")" : text.text;
}

inline Binds tighter(Binds binds) { return static_cast<Binds>(static_cast<std::uint8_t>(binds) + 1); }

}  // namespace opweld::spec::expr
