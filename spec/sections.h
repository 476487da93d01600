// The parts of an operator, each read from its keys into the model. Internal to the loader; the order of
// calls is in operator_reader.cpp. Every function reports what is wrong and leaves out what can't be used.
#ifndef OPWELD_SPEC_SECTIONS_H
#define OPWELD_SPEC_SECTIONS_H

#include <string>
#include <vector>

#include "spec/expr/type.h"
#include "spec/load.h"
#include "spec/model.h"
#include "spec/node_reader.h"
#include "spec/prototype.h"

namespace opweld::spec {

struct OperatorContext {
    NodeReader& reader;
    const LoadOptions& options;
    const Node& node;  // merged with the prototype's
    Operator& op;
    bool cut_off = false;  // a syntax error ends it: what is missing may come after that

    Diagnostics& out() { return reader.out(); }
};

// OW201, OW202, OW203. `what`: "an input".
bool check_name(Diagnostics& out, const Located<std::string>& name, std::string_view what);

// The dtypes of `type` under an input.
TypeSet read_types(NodeReader& reader, const Node& node);
// One dtype; reports OW206.
std::optional<DType> read_dtype(NodeReader& reader, const Node& node);
// Formats of an input or output with `count` dtypes.
std::vector<std::string> read_formats(NodeReader& reader, const Node& map, const KeyTable& table,
                                      std::size_t count);

void read_inputs(OperatorContext& context);
void read_attrs(OperatorContext& context);
void read_bind(OperatorContext& context);
// Outputs, their expressions compiled in `scope`.
void read_outputs(OperatorContext& context, const expr::Scope& scope);
// Makes the dtype expression of an output whose `type` is a list; `at`: of the list.
void pair_output_types(OperatorContext& context, OutputDesc& output, Position at, const expr::Scope& scope);
// `let` values, which are added to `scope`.
void read_lets(OperatorContext& context, expr::Scope& scope);
void read_constraints(OperatorContext& context, const expr::Scope& scope);
void read_reference(OperatorContext& context);
void read_tags(OperatorContext& context);
void read_kernels(OperatorContext& context, const expr::Scope& scope);
void read_converter(OperatorContext& context);
void read_batching(OperatorContext& context);
void read_autocast(OperatorContext& context);
void check_names(OperatorContext& context);
void assign_alias_sets(Operator& op);

// Everything of an operator but what needs the others (backward). `base`: what it is prototype_of, or null.
Operator read_operator(NodeReader& reader, const LoadOptions& options, const OperatorNode& source,
                       const Operator* base);

// `backward`, once all operators are read. `faulty`: operators that were not read completely; nothing is held
// against them.
void read_backward(NodeReader& reader, const Node& node, Package& package, std::size_t index,
                   const std::vector<bool>& faulty);

}  // namespace opweld::spec

#endif
