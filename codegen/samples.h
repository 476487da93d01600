// Arguments that an operator accepts, found by search: for generated tests and documentation.
#ifndef OPWELD_CODEGEN_SAMPLES_H
#define OPWELD_CODEGEN_SAMPLES_H

#include <cstddef>
#include <vector>

#include "spec/expr/value.h"
#include "spec/model.h"

namespace opweld::codegen {

// One call. A tensor is a TensorValue (shape and dtype), an absent one None, a list a list of these.
struct Sample {
    std::vector<spec::expr::Value> inputs;  // parallel to Operator::inputs
    std::vector<spec::expr::Value> attrs;   // parallel to Operator::attrs; bound ones have their value
};

// Up to `wanted` different samples that satisfy all constraints and whose output shapes exist; the same ones
// for the same seed. Empty where none was found (the constraints may have no small solution).
std::vector<Sample> find_samples(const spec::Operator& op, std::size_t wanted, unsigned seed = 1);

}  // namespace opweld::codegen

#endif
