// The graph operators that the engine knows: one table, generated from table/*.yaml and the prototypes.
// Constant after load; safe from any thread.
#pragma once

#include <span>
#include <string_view>

#include "npu/ge/operators/call.h"

namespace opweld::npu::graph {

enum class InputKind : uint8_t { required, optional, dynamic };
enum class AttributeKind : uint8_t {
    integer,
    real,
    boolean,
    text,
    dtype,
    integers,
    reals,
    booleans,
    texts,
    nested_integers,
    constant
};

struct InputSpec {
    std::string_view name;
    InputKind kind;
};

struct OutputSpec {
    std::string_view name;
    bool dynamic;
};

struct AttributeSpec {
    std::string_view name;
    AttributeKind kind;
    bool required;
    Attribute (*make_default)();
};

struct Operator {
    std::string_view type;
    std::span<const InputSpec> inputs;
    std::span<const OutputSpec> outputs;
    std::span<const AttributeSpec> attributes;

    // Computes the results. A result may be a view of an input. Throws for what it can't do.
    Results (*compute)(Call& call);
    // The results' forms from Meta tensors; null: compute() does it.
    Results (*infer)(Call& call);
    // Computes into outputs that have their form already; null: there is compute() only.
    void (*write)(Call& call, std::span<at::Tensor> outputs);

    bool mutates;    // writes into an input, so it runs in the model's order and never twice
    bool random;     // two nodes that look alike give different results
    bool pointwise;  // each element of the result depends on the elements at its place only
};

// All operators, in the order of their types.
std::span<const Operator* const> operators() noexcept;

// The operator of that type, or null.
const Operator* find_operator(std::string_view type) noexcept;

}  // namespace opweld::npu::graph
