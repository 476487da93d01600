// Words of a formula.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "spec/formula/ast.h"

namespace opweld::spec::formula {

enum class TokenKind : std::uint8_t { name, integer, floating, string, symbol, end };

struct Token {
    TokenKind kind = TokenKind::end;
    Span span;
    std::string text;  // of a string: what it says

    bool is(std::string_view symbol) const { return kind == TokenKind::symbol && text == symbol; }
};

// All words, the last one of kind `end`. Throws SyntaxError (parser.h).
std::vector<Token> tokenize(std::string_view text);

}  // namespace opweld::spec::formula
