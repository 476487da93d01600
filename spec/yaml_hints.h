// What a syntax error of YAML most probably comes from: texts that should have been quoted, forgotten colons.
#ifndef OPWELD_SPEC_YAML_HINTS_H
#define OPWELD_SPEC_YAML_HINTS_H

#include <optional>
#include <string>
#include <string_view>

#include "spec/position.h"

namespace opweld::spec {

struct SyntaxCause {
    Span span;
    std::string message;
    std::string hint;
};

// The cause of a syntax error that the YAML parser met at `at`, which may be far behind it. Nothing where the
// text gives no sign of a known one. Thread-safe.
std::optional<SyntaxCause> syntax_cause(std::string_view source, Position at);

}  // namespace opweld::spec

#endif
