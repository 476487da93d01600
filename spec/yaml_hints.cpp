#include "spec/yaml_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "spec/keys.h"

namespace opweld::spec {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<std::string_view> lines_of(std::string_view source) {
    std::vector<std::string_view> lines;
    while (!source.empty()) {
        const std::size_t end = std::min(source.find('\n'), source.size());
        lines.push_back(source.substr(0, end));
        source.remove_prefix(std::min(end + 1, source.size()));
    }
    return lines;
}

std::size_t indentation(std::string_view line) { return std::min(line.find_first_not_of(" -"), line.size()); }

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

// Whether a line's value is a block of text below it: `doc: |`.
bool begins_block(std::string_view line) {
    const std::size_t last = line.find_last_not_of(" \r+-0123456789");
    return last != std::string_view::npos && (line[last] == '|' || line[last] == '>') &&
           (last == 0 || line[last - 1] == ' ');
}

// The end of the expression whose brackets `text` begins with or contains: the first character behind it that
// belongs to the flow collection around it.
std::size_t expression_length(std::string_view text) {
    std::size_t depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '[' || c == '(' || c == '{') {
            ++depth;
        } else if (c == ']' || c == ')' || c == '}') {
            if (depth == 0) {
                return at;
            }
            --depth;
        } else if (depth == 0 && (c == ',' || c == '#')) {
            return at;
        }
    }
    return text.size();
}

// Follows flow collections through the text and finds the first bracket or `?` that ends an unquoted text
// there.
class FlowScanner {
  public:
    explicit FlowScanner(const std::vector<std::string_view>& lines) : lines_(lines) {}

    std::optional<SyntaxCause> scan(std::size_t last_line) {
        std::optional<std::size_t> block;  // indentation of the key of a block of text
        for (number_ = 0; number_ < std::min(last_line, lines_.size()); ++number_) {
            const std::string_view line = lines_[number_];
            if (block && (is_blank(line) || indentation(line) > *block)) {
                continue;
            }
            block.reset();
            if (scan_line(line)) {
                return cause_;
            }
            if (open_.empty() && quote_ == 0 && begins_block(line)) {
                block = indentation(line);
            }
        }
        return std::nullopt;
    }

  private:
    struct Open {
        char bracket;
        std::size_t line;
        std::size_t column;  // from 0
        bool value;          // the value of a key: perhaps a whole expression
    };

    // Whether an unquoted text that starts in this line is cut off by a bracket; the cause is then in cause_.
    bool scan_line(std::string_view line) {
        std::size_t start = 0;  // of the token
        bool fresh = true;      // no character of a token yet
        bool value = false;
        for (std::size_t at = 0; at < line.size(); ++at) {
            const char c = line[at];
            if (quote_ != 0) {
                if (c == '\\' && quote_ == '"') {
                    ++at;
                } else if (c == quote_) {
                    quote_ = 0;
                }
                continue;
            }
            if (c == ' ' || c == '\r') {
                continue;
            }
            if (c == '#' && (at == 0 || line[at - 1] == ' ')) {
                return false;
            }
            const bool separated = at + 1 == line.size() || line[at + 1] == ' ';
            if ((c == ':' && (separated || !open_.empty())) || (c == '-' && fresh && separated)) {
                if (separated) {
                    fresh = true;
                    value = c == ':';
                }
            } else if (fresh && (c == '"' || c == '\'')) {
                quote_ = c;
                fresh = false;
            } else if ((c == '[' || c == '{') && fresh) {
                open_.push_back({c, number_, at, value});
                value = false;
            } else if (!open_.empty() && c == '[' && at > 0 &&
                       (is_word(line[at - 1]) || line[at - 1] == ')')) {
                tell(line, start, at);
                return true;
            } else if (!open_.empty() && !fresh && c == '?' && is_word(line[at - 1])) {
                tell_question_mark(line, start, at);
                return true;
            } else if (!open_.empty() && (c == ']' || c == '}')) {
                open_.pop_back();
                fresh = false;
            } else if (!open_.empty() && c == ',') {
                fresh = true;
                value = false;
            } else if (fresh) {
                fresh = false;
                start = at;
            }
        }
        return false;
    }

    void tell(std::string_view line, std::size_t start, std::size_t at) {
        const Open& around = open_.back();
        if (around.bracket == '[' && around.value && around.line == number_) {
            start = around.column;  // [x.shape[0], 1]: the list is part of the expression
        }
        const std::string_view text = line.substr(start, expression_length(line.substr(start)));
        const std::string_view expression = text.substr(0, text.find_last_not_of(" \r") + 1);
        cause_ = {
            {{number_ + 1, start + 1}, std::max<std::size_t>(expression.size(), 1)},
            fmt::format("the '[' in column {} ends the text before it: inside of {} brackets mean lists",
                        at + 1, around.bracket == '[' ? "[ ]" : "{ }"),
            fmt::format("put it in double quotes: \"{}\"", expression)};
    }

    void tell_question_mark(std::string_view line, std::size_t start, std::size_t at) {
        const std::string_view text = line.substr(start, expression_length(line.substr(start)));
        const std::string_view type = text.substr(0, text.find_last_not_of(" \r") + 1);
        cause_ = {
            {{number_ + 1, start + 1}, std::max<std::size_t>(type.size(), 1)},
            fmt::format("the '?' in column {} cannot stand in a text without quotes inside of {} brackets",
                        at + 1, open_.back().bracket == '[' ? "[ ]" : "{ }"),
            fmt::format("put it in double quotes: \"{}\"", type)};
    }

    const std::vector<std::string_view>& lines_;
    std::size_t number_ = 0;
    std::vector<Open> open_;
    char quote_ = 0;
    SyntaxCause cause_;
};

bool is_key(std::string_view word) {
    const std::array tables = {&package_keys(), &operator_keys(), &input_keys(),  &attr_keys(),
                               &output_keys(),  &backward_keys(), &kernel_keys(), &constraint_keys()};
    return std::any_of(tables.begin(), tables.end(),
                       [&](const KeyTable* table) { return table->find(word) != nullptr; });
}

// `op npu_x` or `op:npu_x` instead of `op: npu_x`: the parser fails at the ':' of the next line.
std::optional<SyntaxCause> missing_colon(const std::vector<std::string_view>& lines, Position at) {
    for (std::size_t number = std::min(at.line, lines.size()); number > 0 && number + 3 > at.line; --number) {
        const std::string_view line = lines[number - 1];
        const std::size_t start = indentation(line);
        std::size_t end = start;
        while (end < line.size() && is_word(line[end])) {
            ++end;
        }
        const std::string_view key = line.substr(start, end - start);
        const std::size_t behind = std::min(line.find_first_not_of(" :", end), line.size());
        const std::string_view between = line.substr(end, behind - end);
        const std::string_view value = line.substr(behind, line.find_last_not_of(" \r") + 1 - behind);
        const bool no_colon = between.find(':') == std::string_view::npos && !between.empty();
        if (value.empty() || !is_key(key) || !(no_colon || between == ":") ||
            value.find(": ") != std::string::npos) {
            continue;
        }
        return SyntaxCause{{{number, start + 1}, key.size()},
                           no_colon ? fmt::format("the ':' after '{}' is missing", key)
                                    : fmt::format("the space after '{}:' is missing", key),
                           fmt::format("write {}: {}", key, value)};
    }
    return std::nullopt;
}

}  // namespace

std::optional<SyntaxCause> syntax_cause(std::string_view source, Position at) {
    const std::vector<std::string_view> lines = lines_of(source);
    if (std::optional<SyntaxCause> found = FlowScanner(lines).scan(at.line)) {
        return found;
    }
    return missing_colon(lines, at);
}

}  // namespace opweld::spec
