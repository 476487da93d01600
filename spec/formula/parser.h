// From text to an unchecked tree.
#pragma once

#include <string_view>

#include "spec/formula/ast.h"

namespace opweld::spec::formula {

struct SyntaxError {
    expr::Diagnostic diagnostic;
};

// Formulas nested deeper, or longer, than this are refused.
inline constexpr int max_depth = 200;
inline constexpr std::size_t max_text_length = 16 * 1024;

// Throws SyntaxError at the first fault. Needs a bounded amount of stack, whatever the text.
NodePtr parse(std::string_view text);

}  // namespace opweld::spec::formula
