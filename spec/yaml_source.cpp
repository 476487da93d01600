#include "spec/yaml_source.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "spec/yaml_tree.h"

namespace opweld::spec {
namespace {

// Length of the UTF-8 sequence that starts at `text[0]`; 0 if it is none.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t index) { return static_cast<std::uint8_t>(text[index]); };
    const std::uint8_t lead = byte(0);
    if (lead < 0x80) {
        return 1;
    }
    const std::size_t length = lead >= 0xF0 && lead < 0xF5   ? 4
                               : lead >= 0xE0 && lead < 0xF0 ? 3
                               : lead >= 0xC2 && lead < 0xE0 ? 2
                                                             : 0;
    if (length == 0 || text.size() < length) {
        return 0;
    }
    for (std::size_t index = 1; index < length; ++index) {
        if ((byte(index) & 0xC0U) != 0x80) {
            return 0;
        }
    }
    const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
    const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
    const bool beyond = lead == 0xF4 && byte(1) >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

// Walks the file's text and keeps line and column.
class Cursor {
  public:
    Cursor(std::string_view source, Position at) : rest_(source), at_(at) {}

    [[nodiscard]] bool done() const { return rest_.empty(); }
    [[nodiscard]] char peek() const { return rest_.front(); }
    [[nodiscard]] bool next_is(char wanted) const { return rest_.size() > 1 && rest_[1] == wanted; }
    [[nodiscard]] Position at() const { return at_; }
    void advance() {
        if (rest_.front() == '\n') {
            ++at_.line;
            at_.column = 1;
        } else {
            ++at_.column;
        }
        rest_.remove_prefix(1);
    }

  private:
    std::string_view rest_;
    Position at_;
};

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

void skip_spaces(Cursor& cursor) {
    while (!cursor.done() && is_space(cursor.peek())) {
        cursor.advance();
    }
}

void skip_line(Cursor& cursor) {
    while (!cursor.done() && cursor.peek() != '\n') {
        cursor.advance();
    }
}

}  // namespace

bool check_text(std::string_view text, Diagnostics& out) {
    if (text.size() > kMaxFileBytes) {
        out.report("OW112", {}, fmt::format("the file has more than {} bytes", kMaxFileBytes),
                   fmt::format("at most {} bytes", kMaxFileBytes));
        return false;
    }
    Position at{1, 1};
    bool indentation = true;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const auto lead = static_cast<std::uint8_t>(text.front());
        if (length == 0) {
            out.report("OW110", {at, 1}, fmt::format("byte 0x{:02x} is not UTF-8", lead), "UTF-8 text");
            return false;
        }
        if ((lead < 0x20 && lead != '\n' && lead != '\r' && lead != '\t') || lead == 0x7F) {
            out.report("OW110", {at, 1}, fmt::format("control character 0x{:02x}", lead), "printable text");
            return false;
        }
        if (lead == '\t' && indentation) {
            out.report("OW105", {at, 1}, "a tab in the indentation", "spaces");
        }
        indentation = lead == '\n' || (indentation && (lead == ' ' || lead == '\t'));
        at = lead == '\n' ? Position{at.line + 1, 1} : Position{at.line, at.column + length};
        text.remove_prefix(length);
    }
    return true;
}

std::vector<Position> scalar_offsets(std::string_view source, Position at, std::string_view value) {
    if (source.starts_with(value) && value.find('\n') == std::string_view::npos) {
        return {};
    }
    Cursor cursor(source, at);
    char quote = 0;
    if (!cursor.done() && (cursor.peek() == '"' || cursor.peek() == '\'')) {
        quote = cursor.peek();
        cursor.advance();
    } else if (!cursor.done() && (cursor.peek() == '|' || cursor.peek() == '>')) {
        skip_line(cursor);
        skip_spaces(cursor);
    }
    std::vector<Position> places;
    places.reserve(value.size() + 1);
    for (const char wanted : value) {
        if (is_space(wanted)) {  // a folded line break and its indentation stand for one character
            places.push_back(cursor.at());
            if (!cursor.done() && is_space(cursor.peek())) {
                const bool folded = cursor.peek() != ' ' || cursor.next_is('\n');
                cursor.advance();
                if (folded) {
                    skip_spaces(cursor);
                }
            }
            continue;
        }
        if (!cursor.done() && cursor.peek() != wanted && is_space(cursor.peek())) {
            skip_spaces(cursor);
        }
        places.push_back(cursor.at());
        if (cursor.done()) {
            continue;
        }
        if (quote == '\'' && cursor.peek() == '\'' && cursor.next_is('\'')) {
            cursor.advance();
        } else if (quote == '"' && cursor.peek() == '\\') {
            cursor.advance();
            if (cursor.done()) {
                continue;
            }
        }
        cursor.advance();
    }
    places.push_back(cursor.at());
    return places;
}

}  // namespace opweld::spec
