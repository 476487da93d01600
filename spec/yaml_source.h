// Checks of the text before YAML sees it, and the way back from a scalar's text to its place in the file.
#ifndef OPWELD_SPEC_YAML_SOURCE_H
#define OPWELD_SPEC_YAML_SOURCE_H

#include <string_view>
#include <vector>

#include "spec/diagnostics.h"

namespace opweld::spec {

// Size, UTF-8, control characters, tabs. False: the text must not be parsed.
bool check_text(std::string_view text, Diagnostics& out);

// `source` starts where the scalar starts in the file, at `at`; `value` is what YAML made of it. The place of
// every byte of `value`, or nothing if these are simply the columns from `at` on (plain one-line scalars).
std::vector<Position> scalar_offsets(std::string_view source, Position at, std::string_view value);

}  // namespace opweld::spec

#endif
