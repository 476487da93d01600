#include "spec/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "spec/rules.h"

namespace opweld::spec {
namespace {

using Json = nlohmann::ordered_json;

std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

std::size_t line_of(const Diagnostic& diagnostic) {
    return std::max<std::size_t>(diagnostic.span.at.line, 1);
}

// Byte range of the span within the line that is shown.
std::pair<std::size_t, std::size_t> range(const Diagnostic& diagnostic) {
    const std::size_t size = diagnostic.source_line.size();
    const std::size_t from = std::min(std::max<std::size_t>(diagnostic.span.at.column, 1) - 1, size);
    return {from, std::min(from + std::max<std::size_t>(diagnostic.span.length, 1), size)};
}

std::string_view color_of(Severity severity) {
    return severity == Severity::Error     ? "\x1b[1;31m"
           : severity == Severity::Warning ? "\x1b[1;33m"
                                           : "\x1b[1;36m";
}

void append_source(std::string& text, const Diagnostic& diagnostic, bool color) {
    if (diagnostic.source_line.empty() || !diagnostic.span.at.known()) {
        return;
    }
    const auto [from, to] = range(diagnostic);
    std::string padding;
    for (const char c : std::string_view(diagnostic.source_line).substr(0, from)) {
        if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80) {
            padding += c == '\t' ? '\t' : ' ';
        }
    }
    const std::size_t width = std::max<std::size_t>(
        characters(std::string_view(diagnostic.source_line).substr(from, to - from)), 1);
    text += fmt::format("{:>6} | {}\n       | {}{}^{}{}\n", line_of(diagnostic), diagnostic.source_line,
                        padding, color ? color_of(diagnostic.severity) : "", std::string(width - 1, '~'),
                        color ? "\x1b[0m" : "");
}

std::string uri(std::string_view path) {
    std::string text = path.starts_with('/') ? "file://" : "";
    for (const char c : path) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                           std::string_view("/._-~").find(c) != std::string_view::npos;
        text += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return text;
}

// Texts may hold bytes that are no UTF-8 (a file in another encoding): JSON must not fail on them.
std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

// `text` with U+FFFD in place of bytes that are no UTF-8.
std::string valid_utf8(const std::string& text) {
    const std::string json = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
    return Json::parse(json).get<std::string>();
}

std::string full_message(const Diagnostic& diagnostic) {
    std::string text = diagnostic.message;
    if (!diagnostic.expected.empty()) {
        text += "; expected: " + diagnostic.expected;
    }
    if (!diagnostic.hint.empty()) {
        text += "; " + diagnostic.hint;
    }
    return text;
}

Json sarif_rule(const Rule& rule) {
    return {{"id", rule.id},
            {"name", rule.name},
            {"shortDescription", {{"text", rule.explanation}}},
            {"fullDescription", {{"text", fmt::format("{} Usual cause: {}", rule.explanation, rule.cause)}}},
            {"help", {{"text", rule.fix}, {"markdown", rule_markdown(rule)}}},
            {"defaultConfiguration", {{"level", name(rule.severity)}}}};
}

}  // namespace

std::size_t start_column(const Diagnostic& diagnostic) {
    if (diagnostic.source_line.empty()) {
        return std::max<std::size_t>(diagnostic.span.at.column, 1);
    }
    return characters(std::string_view(diagnostic.source_line).substr(0, range(diagnostic).first)) + 1;
}

std::size_t end_column(const Diagnostic& diagnostic) {
    return std::max(
        characters(std::string_view(diagnostic.source_line).substr(0, range(diagnostic).second)) + 1,
        start_column(diagnostic) + 1);
}

std::string render_text(std::span<const Diagnostic> diagnostics, const TextOptions& options) {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics) {
        if (diagnostic.severity == Severity::Note && !options.show_notes) {
            continue;
        }
        text += fmt::format("{}:{}:{}: {}{}[{}]{}: {}\n", diagnostic.file, line_of(diagnostic),
                            start_column(diagnostic), options.color ? color_of(diagnostic.severity) : "",
                            name(diagnostic.severity), diagnostic.rule, options.color ? "\x1b[0m" : "",
                            diagnostic.message);
        append_source(text, diagnostic, options.color);
        if (!diagnostic.expected.empty()) {
            text += fmt::format("  expected: {}\n", diagnostic.expected);
        }
        const Rule* rule = find_rule(diagnostic.rule);
        const std::string_view hint = !diagnostic.hint.empty() ? std::string_view(diagnostic.hint)
                                      : rule != nullptr        ? rule->fix
                                                               : "";
        if (!hint.empty()) {
            text += fmt::format("  hint: {}\n", hint);
        }
    }
    return valid_utf8(text);
}

std::string render_summary(std::span<const Diagnostic> diagnostics, std::size_t files) {
    const auto count = [&](Severity severity) {
        return std::count_if(diagnostics.begin(), diagnostics.end(),
                             [&](const Diagnostic& item) { return item.severity == severity; });
    };
    std::string text;
    for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Note}) {
        if (const auto number = count(severity); number != 0) {
            text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", number, name(severity),
                                number == 1 ? "" : "s");
        }
    }
    return fmt::format("{} in {} file{}", text.empty() ? "no faults" : text, files, files == 1 ? "" : "s");
}

std::string render_json(std::span<const Diagnostic> diagnostics) {
    Json items = Json::array();
    std::map<Severity, std::size_t> counts;
    for (const Diagnostic& diagnostic : diagnostics) {
        const Rule* rule = find_rule(diagnostic.rule);
        ++counts[diagnostic.severity];
        items.push_back({{"rule", diagnostic.rule},
                         {"name", rule != nullptr ? rule->name : ""},
                         {"severity", name(diagnostic.severity)},
                         {"file", diagnostic.file},
                         {"line", line_of(diagnostic)},
                         {"column", start_column(diagnostic)},
                         {"end_column", end_column(diagnostic)},
                         {"message", diagnostic.message},
                         {"expected", diagnostic.expected},
                         {"hint", diagnostic.hint},
                         {"cause", rule != nullptr ? rule->cause : ""},
                         {"fix", rule != nullptr ? rule->fix : ""},
                         {"source", diagnostic.source_line}});
    }
    return dump({{"version", 1},
                 {"diagnostics", items},
                 {"summary",
                  {{"errors", counts[Severity::Error]},
                   {"warnings", counts[Severity::Warning]},
                   {"notes", counts[Severity::Note]}}}});
}

std::string render_sarif(std::span<const Diagnostic> diagnostics) {
    Json rules_used = Json::array();
    std::map<std::string, std::size_t> index;
    Json results = Json::array();
    for (const Diagnostic& diagnostic : diagnostics) {
        const auto [position, fresh] = index.emplace(diagnostic.rule, rules_used.size());
        if (fresh) {
            const Rule* rule = find_rule(diagnostic.rule);
            rules_used.push_back(rule != nullptr ? sarif_rule(*rule) : Json{{"id", diagnostic.rule}});
        }
        const Json region = {{"startLine", line_of(diagnostic)},
                             {"startColumn", start_column(diagnostic)},
                             {"endColumn", end_column(diagnostic)}};
        const Json location = {{"physicalLocation",
                                {{"artifactLocation", {{"uri", uri(diagnostic.file)}}}, {"region", region}}}};
        results.push_back({{"ruleId", diagnostic.rule},
                           {"ruleIndex", position->second},
                           {"level", name(diagnostic.severity)},
                           {"message", {{"text", full_message(diagnostic)}}},
                           {"locations", Json::array({location})}});
    }
    const Json driver = {{"name", "opweld"}, {"version", OPWELD_VERSION}, {"rules", rules_used}};
    const Json run = {
        {"tool", {{"driver", driver}}}, {"columnKind", "unicodeCodePoints"}, {"results", results}};
    return dump({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                 {"version", "2.1.0"},
                 {"runs", Json::array({run})}});
}

}  // namespace opweld::spec
