// ATen formulas: expressions in the C++ syntax of PyTorch's derivatives file, such as
//     at::linear(x, weight, use_bias ? bias : Tensor())
//     grad * weight.t()
// They become C++ (what was given, normalised) and Python. Calls are not typed here: PyTorch's compiler, or
// its dispatcher, has the last word on arguments. What is checked is syntax, that every free name is in
// scope, and that an optional tensor is not used as a tensor without a test for its presence; unknown_calls.h
// says whether ATen has what is called.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "spec/expr/diagnostic.h"
#include "spec/expr/type.h"

namespace opweld::spec::formula {

using expr::Diagnostic;
using expr::Scope;

struct Node;

class Formula {
  public:
    Formula(std::string text, Scope scope, std::shared_ptr<const Node> root);

    const std::string& text() const { return text_; }
    const Scope& scope() const { return scope_; }
    const Node& root() const { return *root_; }

    // The names of the scope that the formula uses.
    std::set<std::string> free_names() const;
    // The ATen functions it calls, without `at::`: the headers it needs are ATen/ops/<name>.h.
    std::set<std::string> functions() const;

  private:
    std::string text_;
    Scope scope_;
    std::shared_ptr<const Node> root_;
};

struct FormulaResult {
    std::optional<Formula> formula;  // absent exactly when there are errors
    std::vector<Diagnostic> errors;
};

// Never throws on bad text.
FormulaResult compile_formula(std::string_view text, const Scope& scope);

// Name of the scope -> what stands for it in the emitted text; names that are missing stand for themselves.
using Names = std::map<std::string, std::string, std::less<>>;

// C++ for a place where names are bound to what a schema's C++ signature has: an optional tensor to
// std::optional<at::Tensor>, a tensor to at::Tensor. The text is an at::Tensor (or the number that the
// formula is); an optional tensor that may be absent, as the result or as a branch beside a tensor, becomes
// an undefined tensor.
std::string emit_cpp(const Formula& formula, const Names& names = {});

// Python over torch; an absent tensor is None. README.md has the mapping of names.
std::string emit_python(const Formula& formula, const Names& names = {});

}  // namespace opweld::spec::formula
