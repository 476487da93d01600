// What the checks report. A diagnostic is plain data; how it is shown is the renderers' business (render.h).
#ifndef OPWELD_SPEC_DIAGNOSTICS_H
#define OPWELD_SPEC_DIAGNOSTICS_H

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "spec/position.h"

namespace opweld::spec {

// Errors make a check fail; warnings do so with `--strict` only; notes never do.
enum class Severity { Error, Warning, Note };

std::string_view name(Severity severity);

struct Diagnostic {
    std::string rule;  // "OW101"; the table is in rules.h
    Severity severity = Severity::Error;
    std::string file;         // as it was given to the check
    Span span;                // line 0: the fault is about the file as a whole
    std::string message;      // what is wrong, one sentence without a full stop
    std::string expected;     // what was expected there; may be empty
    std::string hint;         // what to do, concretely ("did you mean 'input_desc'?"); may be empty
    std::string source_line;  // the line's text, for the caret display; empty for very long lines
};

// The order of reports: file, line, column, rule.
bool before(const Diagnostic& left, const Diagnostic& right);

// Collects the diagnostics of one file. Control characters in texts become '?', so that a file can't reach
// the terminal with them. Not thread-safe; one per check.
class Diagnostics {
  public:
    // `source` is the file's text: lines shown with the faults are cut from it.
    Diagnostics(std::string file, std::string_view source);

    // Reports under a rule's own severity. An unknown rule id is a fault of the caller and throws
    // std::logic_error. The same rule at the same place with the same message is kept once.
    void report(std::string_view rule, Span span, std::string message, std::string expected = {},
                std::string hint = {});
    void report_as(Severity severity, std::string_view rule, Span span, std::string message,
                   std::string expected = {}, std::string hint = {});

    // Whether the rule was reported at this place already.
    [[nodiscard]] bool reported(std::string_view rule, Position at) const;
    [[nodiscard]] bool reported_in_line(std::string_view rule, std::size_t line) const;
    [[nodiscard]] std::size_t count(Severity severity) const;
    // Errors reported so far, those that were dropped as repetitions included: whether a piece of reading
    // went well.
    [[nodiscard]] std::size_t errors_seen() const { return errors_seen_; }
    [[nodiscard]] bool has_errors() const { return count(Severity::Error) != 0; }
    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] std::string line(std::size_t number) const;

    // The diagnostics in the order of `before`.
    [[nodiscard]] std::vector<Diagnostic> sorted() const;

  private:
    std::string file_;
    std::vector<std::string> lines_;
    std::vector<Diagnostic> items_;
    std::set<std::tuple<std::string, std::size_t, std::size_t>> places_;                 // rule, line, column
    std::set<std::tuple<std::string, std::size_t, std::size_t, std::string>> messages_;  // and message
    std::size_t errors_seen_ = 0;
};

}  // namespace opweld::spec

#endif
