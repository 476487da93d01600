// From text to an untyped tree.
#pragma once

#include <string_view>

#include "spec/expr/ast.h"

namespace opweld::spec::expr {

// Throws SyntaxError (lexer.h) at the first fault. Needs a bounded amount of stack, whatever the text.
NodePtr parse(std::string_view text);

}  // namespace opweld::spec::expr
