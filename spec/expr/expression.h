// Parsing and type checking of the spec's expressions: the way in.
//
//     Scope scope{{"x", Type::tensor()}, {"bias", Type::optional(Type::tensor())}};
//     CompileResult result = compile("x.shape[:-1] + [4]", scope, Type::list(Type::integer()));
//     if (result.expression) { emit_cpp(*result.expression, Flavour::sym); }
//
// Compiling never throws on bad text, whatever the text is: every fault becomes a diagnostic. Not
// thread-bound: expressions are immutable and may be shared between threads.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "spec/expr/diagnostic.h"
#include "spec/expr/type.h"

namespace opweld::spec::expr {

struct Node;

// A well-typed expression.
class Expression {
  public:
    Expression(std::string text, std::shared_ptr<const Node> root);

    const std::string& text() const { return text_; }
    const Node& root() const { return *root_; }
    const Type& type() const;

    // The names of the scope that the expression uses.
    std::set<std::string> free_names() const;

  private:
    std::string text_;
    std::shared_ptr<const Node> root_;
};

struct CompileResult {
    std::optional<Expression> expression;  // absent exactly when there are errors
    std::vector<Diagnostic> errors;        // in the order of their positions
};

// `expected`: the type that the place demands; an int is taken where a float is wanted, a value where an
// optional one is, and anything else is reported. Without it any type is accepted.
CompileResult compile(std::string_view text, const Scope& scope,
                      const std::optional<Type>& expected = std::nullopt);

// The name of `candidates` that is closest to `word`, if any is close enough for a "did you mean".
std::optional<std::string> nearest_name(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace opweld::spec::expr
