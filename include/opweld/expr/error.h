// The exception of emitted expressions.
#pragma once

#include <stdexcept>

namespace opweld::expr {

// A value that does not exist: an index out of range, a division by zero, shapes that do not broadcast.
class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace opweld::expr
