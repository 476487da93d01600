#include "spec/expr/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "spec/expr/characters.h"

namespace opweld::spec::expr {
namespace {

constexpr std::array<std::string_view, 11> keywords{"and", "or", "not",  "if",   "else", "for",
                                                    "in",  "is", "None", "True", "False"};

// Two characters before one.
constexpr std::array<std::string_view, 22> symbols{"//", "==", "!=", "<=", ">=", "**", "+", "-",
                                                   "*",  "/",  "%",  "<",  ">",  "(",  ")", "[",
                                                   "]",  ",",  ":",  ".",  "=",  "$"};

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
        token.span = {position_, 0};
        if (position_ == text_.size()) {
            return token;
        }
        if (is_name_start(peek())) {
            token.text = take_name();
            const bool keyword = std::find(keywords.begin(), keywords.end(), token.text) != keywords.end();
            token.kind = keyword ? TokenKind::keyword : TokenKind::name;
        } else if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) {
            take_number(token);
        } else if (peek() == '"' || peek() == '\'') {
            take_string(token);
        } else if (peek() == '$' && is_name_start(peek(1))) {
            ++position_;
            token.text = take_name();
            token.kind = TokenKind::function;
        } else {
            take_symbol(token);
        }
        token.span.length = position_ - token.span.offset;
        return token;
    }

    std::string take_name() {
        const std::size_t start = position_;
        while (is_name_part(peek())) {
            ++position_;
        }
        return std::string(text_.substr(start, position_ - start));
    }

    void take_number(Token& token) {
        const std::size_t start = position_;
        bool floating = false;
        const auto take_digits = [this] {
            while (is_digit(peek()) || (peek() == '_' && is_digit(peek(1)))) {
                ++position_;
            }
        };
        take_digits();
        if (peek() == '.') {
            floating = true;
            ++position_;
            take_digits();
        }
        const bool exponent =
            (peek() == 'e' || peek() == 'E') &&
            (is_digit(peek(1)) || ((peek(1) == '+' || peek(1) == '-') && is_digit(peek(2))));
        if (exponent) {
            floating = true;
            position_ += 2;
            take_digits();
        }
        if (is_name_part(peek())) {
            while (is_name_part(peek())) {
                ++position_;
            }
            fail({start, position_ - start},
                 fmt::format("'{}' is not a number", text_.substr(start, position_ - start)),
                 "integers are decimal; floats are written as 0.5 or 1e-5");
        }
        std::string digits(text_.substr(start, position_ - start));
        std::erase(digits, '_');
        const Span span{start, position_ - start};
        const bool leading_zero =
            digits.size() > 1 && digits[0] == '0' && digits.find_first_not_of('0') != std::string::npos;
        if (!floating && leading_zero) {
            fail(span, fmt::format("the integer {} starts with a zero", digits), "leave the zeros out");
        }
        token.kind = floating ? TokenKind::floating : TokenKind::integer;
        const char* const last = digits.data() + digits.size();
        const auto result = floating ? std::from_chars(digits.data(), last, token.floating)
                                     : std::from_chars(digits.data(), last, token.integer);
        if (result.ec != std::errc{}) {
            fail(span, fmt::format("the number {} is too large", digits),
                 "integers have 64 bits, floats too");
        }
        token.text = digits;
    }

    void take_string(Token& token) {
        const std::size_t start = position_;
        const char quote = peek();
        ++position_;
        token.kind = TokenKind::string;
        while (peek() != quote) {
            if (position_ == text_.size() || peek() == '\n') {
                fail({start, position_ - start}, "a string without an end",
                     fmt::format("end it with {}", quote));
            }
            if (peek() == '\\') {
                ++position_;
                token.text += unescape(position_ - 1);
            } else {
                token.text += peek();
            }
            ++position_;
        }
        ++position_;
    }

    char unescape(std::size_t start) const {
        switch (peek()) {
            case '\\':
            case '\'':
            case '"':
                return peek();
            case 'n':
                return '\n';
            case 't':
                return '\t';
            default:
                break;
        }
        fail({start, std::min<std::size_t>(2, text_.size() - start)}, "an unknown escape in a string",
             "known are \\\\, \\', \\\", \\n and \\t");
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
        refuse_character();
    }

    [[noreturn]] void refuse_character() const {
        const char c = peek();
        const std::string_view two = text_.substr(position_, 2);
        if (two == "&&" || two == "||") {
            fail({position_, 2}, fmt::format("'{}' is not an operator here", two),
                 two == "&&" ? "write 'and'" : "write 'or'");
        }
        if (c == '!') {
            fail({position_, 1}, "'!' is not an operator here", "write 'not'");
        }
        if (c == '?') {
            fail({position_, 1}, "'?' is not an operator here", "write 'a if condition else b'");
        }
        const auto byte = static_cast<unsigned char>(c);
        std::size_t length = 1;
        while (byte >= 0x80 && (static_cast<unsigned char>(peek(length)) & 0xC0U) == 0x80U) {
            ++length;
        }
        const bool printable = byte >= 0x20 && byte != 0x7F;
        fail({position_, length},
             printable ? fmt::format("unexpected character '{}'", text_.substr(position_, length))
                       : fmt::format("unexpected byte 0x{:02x}", static_cast<unsigned>(byte)));
    }

    std::string_view text_;
    std::size_t position_ = 0;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) { return Lexer(text).run(); }

}  // namespace opweld::spec::expr
