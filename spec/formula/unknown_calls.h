// Calls of functions and methods that ATen doesn't have.
#pragma once

#include <vector>

#include "spec/expr/diagnostic.h"
#include "spec/formula/formula.h"

namespace opweld::spec::formula {

// In the order of the text. Methods are looked up where the object is a tensor for certain.
std::vector<Diagnostic> unknown_calls(const Formula& formula);

}  // namespace opweld::spec::formula
