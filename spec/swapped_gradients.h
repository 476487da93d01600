// Whether a backward operator's gradients are given to each other's inputs.
#ifndef OPWELD_SPEC_SWAPPED_GRADIENTS_H
#define OPWELD_SPEC_SWAPPED_GRADIENTS_H

#include <cstddef>
#include <optional>
#include <utility>

#include "spec/model.h"

namespace opweld::spec {

// Two outputs of the backward operator whose shapes are stated as `<argument>.shape`, each of the input that
// the other one is given to; the first such pair. `call` is complete: as many `gives` as outputs.
std::optional<std::pair<std::size_t, std::size_t>> swapped_gradients(const BackwardOp& call,
                                                                     const Operator& callee);

}  // namespace opweld::spec

#endif
