#include "spec/formula/lexer.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "spec/expr/characters.h"
#include "spec/formula/parser.h"

namespace opweld::spec::formula {
namespace {

using expr::is_digit;
using expr::is_name_part;
using expr::is_name_start;
using expr::is_space;

// Two characters before one.
constexpr std::array<std::string_view, 27> symbols{"::", "->", "==", "!=", "<=", ">=", "&&", "||", "+",
                                                   "-",  "*",  "/",  "%",  "<",  ">",  "(",  ")",  "[",
                                                   "]",  "{",  "}",  ",",  ".",  "?",  ":",  "!",  ";"};

[[noreturn]] void fail(Span span, std::string message, std::string hint = {}) {
    throw SyntaxError{{span, std::move(message), std::move(hint)}};
}

class Lexer {
  public:
    explicit Lexer(std::string_view text) : text_(text) {}

    std::vector<Token> run() {
        std::vector<Token> tokens;
        do {
            tokens.push_back(next());
        } while (tokens.back().kind != TokenKind::end);
        return tokens;
    }

  private:
    char peek(std::size_t ahead = 0) const {
        return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
    }

    Token next() {
        while (position_ < text_.size() && is_space(peek())) {
            ++position_;
        }
        Token token;
        const std::size_t start = position_;
        if (position_ == text_.size()) {
            token.span = {start, 0};
            return token;
        }
        if (is_name_start(peek())) {
            while (is_name_part(peek())) {
                ++position_;
            }
            token.kind = TokenKind::name;
            token.text = text_.substr(start, position_ - start);
        } else if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) {
            take_number(token);
        } else if (peek() == '"') {
            take_string(token);
        } else {
            take_symbol(token);
        }
        token.span = {start, position_ - start};
        return token;
    }

    void take_digits() {
        while (is_digit(peek())) {
            ++position_;
        }
    }

    void take_number(Token& token) {
        const std::size_t start = position_;
        token.kind = TokenKind::integer;
        take_digits();
        if (peek() == '.') {
            token.kind = TokenKind::floating;
            ++position_;
            take_digits();
        }
        const bool exponent =
            (peek() == 'e' || peek() == 'E') &&
            (is_digit(peek(1)) || ((peek(1) == '+' || peek(1) == '-') && is_digit(peek(2))));
        if (exponent) {
            token.kind = TokenKind::floating;
            position_ += 2;
            take_digits();
        }
        token.text = text_.substr(start, position_ - start);
        constexpr std::size_t longest_integer = 18;
        const bool leading_zero = token.text.size() > 1 && token.text[0] == '0';
        if (is_name_part(peek()) ||
            (token.kind == TokenKind::integer && (token.text.size() > longest_integer || leading_zero))) {
            while (is_name_part(peek())) {
                ++position_;
            }
            fail({start, position_ - start},
                 fmt::format("'{}' is not a number", text_.substr(start, position_ - start)),
                 "write 2, 0.5 or 1e-5, without a suffix");
        }
    }

    void take_string(Token& token) {
        const std::size_t start = position_++;
        token.kind = TokenKind::string;
        while (peek() != '"') {
            const auto byte = static_cast<unsigned char>(peek());
            if (position_ == text_.size() || byte < 0x20) {
                fail({start, position_ - start}, "a string without an end", "end it with \"");
            }
            if (peek() == '\\') {
                fail({position_, 1}, "escapes in strings are not possible in formulas");
            }
            token.text += peek();
            ++position_;
        }
        ++position_;
    }

    void take_symbol(Token& token) {
        for (const std::string_view symbol : symbols) {
            if (text_.substr(position_).starts_with(symbol)) {
                token.kind = TokenKind::symbol;
                token.text = symbol;
                position_ += symbol.size();
                return;
            }
        }
        const char c = peek();
        if (c == '\'') {
            fail({position_, 1}, "strings stand in double quotes in formulas");
        }
        const auto byte = static_cast<unsigned char>(c);
        fail({position_, 1},
             byte > 0x20 && byte < 0x7F
                 ? fmt::format("unexpected character '{}'", c)
                 : fmt::format("unexpected byte 0x{:02x}", static_cast<unsigned>(byte)),
             c == '=' ? "write == to compare" : "");
    }

    std::string_view text_;
    std::size_t position_ = 0;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) { return Lexer(text).run(); }

}  // namespace opweld::spec::formula
