#include "spec/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "spec/rules.h"

namespace opweld::spec {

namespace {

// Longer lines are not shown: no one reads them, and a file of one line would be copied for each of its
// faults.
constexpr std::size_t kLongestLine = 2000;

void printable(std::string& text) {
    for (char& c : text) {
        if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7f') {
            c = '?';
        }
    }
}

}  // namespace

std::string_view name(Severity severity) {
    switch (severity) {
        case Severity::Error:
            return "error";
        case Severity::Warning:
            return "warning";
        case Severity::Note:
            return "note";
    }
    return "error";
}

bool before(const Diagnostic& left, const Diagnostic& right) {
    return std::tie(left.file, left.span.at.line, left.span.at.column, left.rule, left.message) <
           std::tie(right.file, right.span.at.line, right.span.at.column, right.rule, right.message);
}

Diagnostics::Diagnostics(std::string file, std::string_view source) : file_(std::move(file)) {
    while (!source.empty()) {
        const std::size_t end = source.find('\n');
        std::string_view line = source.substr(0, end);
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        lines_.emplace_back(line);
        printable(lines_.back());
        source = end == std::string_view::npos ? std::string_view{} : source.substr(end + 1);
    }
}

void Diagnostics::report(std::string_view rule, Span span, std::string message, std::string expected,
                         std::string hint) {
    const Rule* known = find_rule(rule);
    if (known == nullptr) {
        throw std::logic_error(fmt::format("no rule {}", rule));
    }
    report_as(known->severity, rule, span, std::move(message), std::move(expected), std::move(hint));
}

void Diagnostics::report_as(Severity severity, std::string_view rule, Span span, std::string message,
                            std::string expected, std::string hint) {
    if (find_rule(rule) == nullptr) {
        throw std::logic_error(fmt::format("no rule {}", rule));
    }
    printable(message);
    printable(expected);
    printable(hint);
    errors_seen_ += severity == Severity::Error ? 1 : 0;
    const Position at = span.at;
    if (!messages_.emplace(rule, at.line, at.column, message).second) {
        return;
    }
    places_.emplace(rule, at.line, at.column);
    items_.push_back({std::string(rule), severity, file_, span, std::move(message), std::move(expected),
                      std::move(hint), line(at.line)});
}

bool Diagnostics::reported(std::string_view rule, Position at) const {
    return places_.contains({std::string(rule), at.line, at.column});
}

bool Diagnostics::reported_in_line(std::string_view rule, std::size_t line) const {
    return std::any_of(items_.begin(), items_.end(), [&](const Diagnostic& item) {
        return item.rule == rule && item.span.at.line == line;
    });
}

std::size_t Diagnostics::count(Severity severity) const {
    return static_cast<std::size_t>(std::count_if(
        items_.begin(), items_.end(), [&](const Diagnostic& item) { return item.severity == severity; }));
}

std::string Diagnostics::line(std::size_t number) const {
    return number == 0 || number > lines_.size() || lines_[number - 1].size() > kLongestLine
               ? std::string{}
               : lines_[number - 1];
}

std::vector<Diagnostic> Diagnostics::sorted() const {
    std::vector<Diagnostic> result = items_;
    std::stable_sort(result.begin(), result.end(), before);
    return result;
}

}  // namespace opweld::spec
