// Text templates and layout: small pieces that all generators use. Pure functions.
#ifndef OPWELD_CODEGEN_TEXT_H
#define OPWELD_CODEGEN_TEXT_H

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opweld::codegen {

// The longest line of generated text, where it can be helped.
inline constexpr std::size_t line_limit = 110;

using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// Replaces every `@name@` by its field. A field of several lines that stands alone on its line gets the
// line's indentation on each of them; if it is empty, the line goes. A name without a field throws
// std::logic_error.
std::string fill(std::string_view text, Fields fields);

// "a, b, c"
std::string join(const std::vector<std::string>& parts, std::string_view separator = ", ");

// `head` + items + `tail` on one line if it fits at this indentation, else the items on lines of their own,
// filled up and aligned behind `head` (or indented by 8 where `head` is long).
std::string wrap(std::string_view head, const std::vector<std::string>& items, std::string_view tail,
                 std::size_t indentation = 0);

// Every line that is not empty moved to the right.
std::string indent(std::string_view text, std::size_t columns = 4);

// `text` broken at spaces, each line after `prefix`.
std::string paragraph(std::string_view text, std::string_view prefix, std::size_t limit = line_limit);

// A string literal of C++ or of Python and JSON (double quotes).
std::string cpp_string(std::string_view text);
std::string python_string(std::string_view text);

// npu_custom_linear -> NpuCustomLinear, CustomLinear -> custom_linear, IFMRHead2D -> ifmr_head2d.
std::string camel_case(std::string_view snake);
std::string snake_case(std::string_view camel);

}  // namespace opweld::codegen

#endif
