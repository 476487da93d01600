// The characters of names, numbers and white space, for the lexers of expressions and formulas. ASCII only,
// whatever the locale.
#pragma once

namespace opweld::spec::expr {

constexpr bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }
constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace opweld::spec::expr
