// Diagnostics as text, JSON and SARIF. Columns shown count characters (code points) from 1; a diagnostic
// about a whole file is shown at line 1, column 1.
#ifndef OPWELD_SPEC_RENDER_H
#define OPWELD_SPEC_RENDER_H

#include <span>
#include <string>

#include "spec/diagnostics.h"

namespace opweld::spec {

struct TextOptions {
    bool color = false;      // ANSI colours
    bool show_notes = true;  // with false, notes are left out
};

// file:line:col: error[OW101]: message
//     12 |     shape: x.shap
//        |            ^~~~~~
//   expected: ...
//   hint: ...
std::string render_text(std::span<const Diagnostic> diagnostics, const TextOptions& options = {});

// "2 errors, 1 warning in 3 files"
std::string render_summary(std::span<const Diagnostic> diagnostics, std::size_t files);

// {"version": 1, "diagnostics": [...], "summary": {...}}; each with cause and fix of its rule.
std::string render_json(std::span<const Diagnostic> diagnostics);

// SARIF 2.1.0, with the rules that occur.
std::string render_sarif(std::span<const Diagnostic> diagnostics);

// First column and column after the last, in characters.
std::size_t start_column(const Diagnostic& diagnostic);
std::size_t end_column(const Diagnostic& diagnostic);

}  // namespace opweld::spec

#endif
