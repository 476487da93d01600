#include "spec/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "spec/attr_types.h"
#include "spec/expr/functions.h"
#include "spec/expr/lexer.h"
#include "spec/expr/parser.h"
#include "spec/formula/unknown_calls.h"
#include "spec/names.h"

namespace opweld::spec {
namespace {

Span place(const Node* node, Position fallback, const expr::Span& span, std::size_t prefix) {
    if (node == nullptr) {
        return {fallback, 1};
    }
    const Position from = node->position_of(prefix + span.offset);
    const Position to = node->position_of(prefix + span.end());
    return {from, to.line == from.line && to.column > from.column ? to.column - from.column : 1};
}

bool parses(std::string_view text) {
    try {
        return expr::parse(text) != nullptr;
    } catch (const expr::SyntaxError&) {
        return false;
    }
}

std::string_view rule_of(std::string_view text, bool syntactic, const expr::Diagnostic& fault,
                         const expr::Scope& scope) {
    if (syntactic) {
        return "OW301";
    }
    std::string_view word = text.substr(std::min(fault.span.offset, text.size()), fault.span.length);
    word = word.substr(0, word.find('('));  // a call stands as a whole
    if (word.starts_with('$')) {
        word.remove_prefix(1);
    }
    const bool unknown = is_identifier(word) && scope.find(word) == scope.end() && !parse_dtype(word) &&
                         !expr::find_function(word);
    return unknown ? "OW302" : "OW303";
}

}  // namespace

expr::Type expression_type(InputKind kind) {
    switch (kind) {
        case InputKind::Tensor:
            return expr::Type::tensor();
        case InputKind::OptionalTensor:
            return expr::Type::optional(expr::Type::tensor());
        case InputKind::TensorList:
            return expr::Type::list(expr::Type::tensor());
        case InputKind::OptionalList:
            return expr::Type::optional(expr::Type::list(expr::Type::tensor()));
        case InputKind::ListOfOptionals:
            return expr::Type::list(expr::Type::optional(expr::Type::tensor()));
    }
    return expr::Type::error();
}

expr::Type expression_type(const OutputDesc& output) {
    switch (output.kind) {
        case OutputKind::Tensor:
            return output.present ? expr::Type::optional(expr::Type::tensor()) : expr::Type::tensor();
        case OutputKind::TensorList:
            return expr::Type::list(expr::Type::tensor());
        case OutputKind::Int:
            return expr::Type::integer();
        case OutputKind::SymInt:
            return expr::Type::sym_int();
        case OutputKind::Float:
            return expr::Type::floating();
        case OutputKind::Bool:
            return expr::Type::boolean();
    }
    return expr::Type::error();
}

expr::Scope argument_scope(const Operator& op) {
    expr::Scope scope;
    for (const InputDesc& input : op.inputs) {
        scope.emplace(input.name, expression_type(input.prototype_kind));
    }
    for (const AttrDesc& attr : op.attrs) {
        scope.emplace(attr.name, expression_type(attr.type));
    }
    return scope;
}

std::optional<expr::Type> compile(Expression& target, const Node* node, const expr::Scope& scope,
                                  const std::optional<expr::Type>& expected, Diagnostics& out,
                                  std::size_t prefix) {
    expr::CompileResult result = expr::compile(target.text, scope, expected);
    if (result.expression) {
        const expr::Type type = result.expression->type();
        target.checked =
            std::make_shared<const CheckedExpression>(CheckedExpression{std::move(*result.expression)});
        return type;
    }
    const bool syntactic = !parses(target.text);
    for (const expr::Diagnostic& fault : result.errors) {
        out.report(rule_of(target.text, syntactic, fault, scope), place(node, target.at, fault.span, prefix),
                   fault.message,
                   expected && !syntactic ? fmt::format("an expression of type {}", expected->name()) : "",
                   fault.hint);
    }
    return std::nullopt;
}

bool compile(Formula& target, const Node* node, const expr::Scope& scope, Diagnostics& out) {
    formula::FormulaResult result = formula::compile_formula(target.text, scope);
    if (result.formula) {
        const std::vector<expr::Diagnostic> unknown = formula::unknown_calls(*result.formula);
        for (const expr::Diagnostic& fault : unknown) {
            out.report("OW420", place(node, target.at, fault.span, 0), fault.message,
                       "a function or method of ATen", fault.hint);
        }
        target.checked = std::make_shared<const CheckedFormula>(CheckedFormula{std::move(*result.formula)});
        return unknown.empty();
    }
    for (const expr::Diagnostic& fault : result.errors) {
        out.report("OW406", place(node, target.at, fault.span, 0), fault.message, "an ATen expression",
                   fault.hint);
    }
    return false;
}

}  // namespace opweld::spec
