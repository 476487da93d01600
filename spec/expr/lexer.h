// Words of an expression.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "spec/expr/diagnostic.h"

namespace opweld::spec::expr {

enum class TokenKind : std::uint8_t { name, function, keyword, integer, floating, string, symbol, end };

struct Token {
    TokenKind kind = TokenKind::end;
    Span span;
    std::string text;  // of a string: what it says; of a function (`$max`): its name
    std::int64_t integer = 0;
    double floating = 0;

    bool is(std::string_view symbol_or_keyword) const {
        return (kind == TokenKind::symbol || kind == TokenKind::keyword) && text == symbol_or_keyword;
    }
};

// A fault that ends parsing.
struct SyntaxError {
    Diagnostic diagnostic;
};

// All words, the last one of kind `end`. Throws SyntaxError.
std::vector<Token> tokenize(std::string_view text);

}  // namespace opweld::spec::expr
