#include "spec/python_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "spec/names.h"

namespace opweld::spec {
namespace {

constexpr auto kBuiltins = std::to_array<std::string_view>(
    {"abs",    "all",   "any",      "bool",       "complex", "dict",  "divmod", "enumerate",
     "filter", "float", "int",      "len",        "list",    "map",   "max",    "min",
     "pow",    "range", "reversed", "round",      "set",     "slice", "sorted", "str",
     "sum",    "tuple", "zip",      "isinstance", "getattr", "type",  "next",   "iter"});

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_word(char c) { return is_letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Behind the closing quote of the string that begins at `at`; the end where it isn't closed.
std::size_t behind_string(std::string_view text, std::size_t at) {
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != text[at]) {
        end += text[end] == '\\' ? 2 : 1;
    }
    return std::min(end + 1, text.size());
}

char next_character(std::string_view text, std::size_t at) {
    at = std::min(text.find_first_not_of(" \n", at), text.size());
    return at < text.size() ? text[at] : '\0';
}

bool is_assigned(std::string_view text, std::size_t end) {
    end = std::min(text.find_first_not_of(" \n", end), text.size());
    const std::string_view rest = text.substr(end, 2);
    return rest == ":=" || (rest.starts_with('=') && rest != "==");
}

}  // namespace

std::optional<std::size_t> unbalanced(std::string_view text) {
    std::vector<std::pair<char, std::size_t>> open;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '\'' || c == '"') {
            const std::size_t end = behind_string(text, at);
            if (end == at + 1 || text[end - 1] != c) {
                return at;
            }
            at = end - 1;
        } else if (c == '(' || c == '[' || c == '{') {
            open.emplace_back(c == '(' ? ')' : c == '[' ? ']' : '}', at);
        } else if (c == ')' || c == ']' || c == '}') {
            if (open.empty() || open.back().first != c) {
                return at;
            }
            open.pop_back();
        }
    }
    return open.empty() ? std::nullopt : std::optional(open.back().second);
}

std::vector<PythonName> undefined_names(std::string_view text,
                                        const std::set<std::string, std::less<>>& known) {
    std::vector<PythonName> used;
    std::set<std::string, std::less<>> bound;
    bool binding = false;  // between `for` and `in`, or `lambda` and its colon
    char before = '\0';
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '\'' || c == '"') {
            at = behind_string(text, at);
            before = c;
            continue;
        }
        if (!is_word(c)) {
            binding = binding && c != ':';
            before = c == ' ' || c == '\n' ? before : c;
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && is_word(text[end])) {
            ++end;
        }
        const std::string name(text.substr(at, end - at));
        const bool prefix = end < text.size() && (text[end] == '"' || text[end] == '\'');  // f"..."
        if (name == "for" || name == "lambda") {
            binding = true;
        } else if (name == "in") {
            binding = false;
        } else if (!is_letter(c) || before == '.' || prefix || keyword_of(name).ends_with("Python")) {
            // a number, an attribute, a keyword
        } else if (binding || is_assigned(text, end)) {
            if (binding || next_character(text, end) == ':') {
                bound.insert(name);
            }
        } else {
            used.push_back({name, at});
        }
        before = 'a';
        at = end;
    }
    std::erase_if(used, [&](const PythonName& item) {
        return known.contains(item.name) || bound.contains(item.name) ||
               std::find(kBuiltins.begin(), kBuiltins.end(), item.name) != kBuiltins.end();
    });
    return used;
}

}  // namespace opweld::spec
