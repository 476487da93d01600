#include "codegen/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace opweld::codegen {

namespace {

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view find_field(std::string_view name, Fields fields) {
    for (const auto& [field, value] : fields) {
        if (field == name) {
            return value;
        }
    }
    throw std::logic_error(fmt::format("a template has no field '{}'", name));
}

// The `@name@` that starts at `at`; empty if none does.
std::string_view placeholder(std::string_view line, std::size_t at) {
    std::size_t end = at + 1;
    while (end < line.size() && is_name_character(line[end])) {
        ++end;
    }
    return end > at + 1 && end < line.size() && line[end] == '@' ? line.substr(at + 1, end - at - 1)
                                                                 : std::string_view();
}

std::string fill_line(std::string_view line, Fields fields) {
    std::string result;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const std::string_view name = line[i] == '@' ? placeholder(line, i) : std::string_view();
        if (name.empty()) {
            result += line[i];
        } else {
            result += find_field(name, fields);
            i += name.size() + 1;
        }
    }
    return result;
}

std::string literal(std::string_view text, bool cpp) {
    std::string result = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (c == '\n') {
            result += "\\n";
        } else if (c == '\t') {
            result += "\\t";
        } else if (byte < 0x20 || byte == 0x7F) {
            result += cpp ? fmt::format("\\{:03o}", byte) : fmt::format("\\x{:02x}", byte);
        } else if (cpp && c == '?' && !result.empty() && result.back() == '?') {
            result += "\\?";  // no trigraphs
        } else {
            result += c;
        }
    }
    return result + '"';
}

}  // namespace

std::string fill(std::string_view text, Fields fields) {
    std::string result;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
        const std::string_view name =
            start < line.size() && line[start] == '@' ? placeholder(line, start) : std::string_view();
        if (!name.empty() && start + name.size() + 2 == line.size()) {  // the field has the line to itself
            std::string_view value = find_field(name, fields);
            while (value.ends_with('\n')) {
                value.remove_suffix(1);
            }
            if (!value.empty()) {
                result += indent(value, start);
                result += '\n';
            }
        } else {
            result += fill_line(line, fields);
            if (end != std::string_view::npos) {
                result += '\n';
            }
        }
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return result;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
    return fmt::format("{}", fmt::join(parts, separator));
}

std::string wrap(std::string_view head, const std::vector<std::string>& items, std::string_view tail,
                 std::size_t indentation) {
    std::string one_line = fmt::format("{}{}{}", head, join(items), tail);
    const std::size_t first_line = std::min(one_line.find('\n'), one_line.size());
    if (indentation + first_line <= line_limit || items.empty()) {
        return one_line;
    }
    const std::size_t last_break = head.rfind('\n');
    const std::size_t head_width =
        last_break == std::string_view::npos ? head.size() : head.size() - last_break - 1;
    const bool aligned = head_width <= line_limit / 2;
    const std::size_t column = aligned ? head_width : 8;
    std::string result(head);
    std::size_t width = indentation + head_width;
    if (!aligned) {
        result += '\n' + std::string(column, ' ');
        width = indentation + column;
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        const bool last = i + 1 == items.size();
        const std::string item = items[i] + (last ? std::string(tail) : std::string(","));
        const std::size_t length = std::min(item.find('\n'), item.size());
        if (i != 0) {
            if (width + 1 + length > line_limit) {
                result += '\n' + std::string(column, ' ');
                width = indentation + column;
            } else {
                result += ' ';
                ++width;
            }
        }
        result += item;
        width += length;
    }
    return result;
}

std::string indent(std::string_view text, std::size_t columns) {
    std::string result;
    bool at_start = true;
    for (const char c : text) {
        if (at_start && c != '\n') {
            result.append(columns, ' ');
        }
        result += c;
        at_start = c == '\n';
    }
    return result;
}

std::string paragraph(std::string_view text, std::string_view prefix, std::size_t limit) {
    std::string result;
    std::string line;
    const auto flush = [&] {
        std::string full = std::string(prefix) + line;
        full.erase(full.find_last_not_of(' ') + 1);
        result += full + '\n';
        line.clear();
    };
    while (!text.empty()) {
        const std::size_t newline = text.find('\n');
        std::string_view rest = text.substr(0, newline);
        while (!rest.empty()) {
            const std::size_t space = rest.find(' ');
            const std::string_view word = rest.substr(0, space);
            if (!line.empty() && prefix.size() + line.size() + 1 + word.size() > limit) {
                flush();
            }
            if (!word.empty()) {
                line += line.empty() ? "" : " ";
                line += word;
            }
            rest = space == std::string_view::npos ? std::string_view() : rest.substr(space + 1);
        }
        flush();
        text = newline == std::string_view::npos ? std::string_view() : text.substr(newline + 1);
    }
    return result;
}

std::string cpp_string(std::string_view text) { return literal(text, true); }
std::string python_string(std::string_view text) { return literal(text, false); }

std::string camel_case(std::string_view snake) {
    std::string result;
    bool upper = true;
    for (const char c : snake) {
        if (c == '_' || c == '.') {
            upper = true;
        } else {
            result += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
            upper = false;
        }
    }
    return result;
}

std::string snake_case(std::string_view camel) {
    const auto upper = [&](std::size_t i) {
        return i < camel.size() && std::isupper(static_cast<unsigned char>(camel[i])) != 0;
    };
    std::string result;
    for (std::size_t i = 0; i < camel.size(); ++i) {
        const bool next_is_lower =
            i + 1 < camel.size() && std::islower(static_cast<unsigned char>(camel[i + 1])) != 0;
        if (i != 0 && upper(i) && camel[i - 1] != '_' && (!upper(i - 1) || next_is_lower)) {
            result += '_';
        }
        result += static_cast<char>(std::tolower(static_cast<unsigned char>(camel[i])));
    }
    return result;
}

}  // namespace opweld::codegen
