// The compiled expressions and formulas of the model, and how the loader compiles them.
#ifndef OPWELD_SPEC_EXPRESSION_H
#define OPWELD_SPEC_EXPRESSION_H

#include <string_view>

#include "spec/diagnostics.h"
#include "spec/expr/expression.h"
#include "spec/expr/type.h"
#include "spec/formula/formula.h"
#include "spec/model.h"
#include "spec/yaml_tree.h"

namespace opweld::spec {

// What Expression::checked and Formula::checked point to. spec/expr/emit.h and spec/formula/formula.h turn
// them into C++ and Python.
struct CheckedExpression {
    expr::Expression expression;
};
struct CheckedFormula {
    formula::Formula formula;
};

// The types that an operator's parts have in expressions.
expr::Type expression_type(InputKind kind);
expr::Type expression_type(const OutputDesc& output);

// Inputs (as in the prototype) and attributes of the operator, bound ones included.
expr::Scope argument_scope(const Operator& op);

// Compiles `target` in place and reports OW301, OW302, OW303. `node` is where the text stands in the file,
// for the places of faults; null for a text that was made up. `prefix`: bytes of the node's text before the
// expression. The type of the expression, or nothing if it has faults.
std::optional<expr::Type> compile(Expression& target, const Node* node, const expr::Scope& scope,
                                  const std::optional<expr::Type>& expected, Diagnostics& out,
                                  std::size_t prefix = 0);

// Likewise; reports OW406 and OW420.
bool compile(Formula& target, const Node* node, const expr::Scope& scope, Diagnostics& out);

}  // namespace opweld::spec

#endif
