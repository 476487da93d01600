// Expressions and formulas of one operator as text of one language, with the `let` values and bound constants
// that they use declared before them.
#ifndef OPWELD_CODEGEN_EXPRESSIONS_H
#define OPWELD_CODEGEN_EXPRESSIONS_H

#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/plan.h"
#include "spec/expr/emit.h"
#include "spec/model.h"

namespace opweld::codegen {

class Expressions {
  public:
    explicit Expressions(const OperatorPlan& plan);

    // Extra names: what a name of the spec is called where the text stands.
    void rename(const std::string& name, const std::string& text) { names_[name] = text; }

    [[nodiscard]] std::string cpp(const spec::Expression& expression, spec::expr::Flavour flavour) const;
    [[nodiscard]] std::string cpp(const spec::Formula& formula) const;
    [[nodiscard]] std::string python(const spec::Expression& expression) const;

    // Names of inputs and attributes that these use, also by way of `let` values.
    [[nodiscard]] std::set<std::string> used(const std::vector<const spec::Expression*>& expressions) const;
    [[nodiscard]] std::set<std::string> used(const spec::Formula& formula) const;

    // Declarations of the `let` values among `names` and of those they use, in order.
    [[nodiscard]] std::string declare_lets(std::set<std::string> names, spec::expr::Flavour flavour) const;
    // Declarations of the bound attributes and inputs among `names`, and of inputs that are optional in the
    // prototype only.
    [[nodiscard]] std::string declare_bound(const std::set<std::string>& names) const;

  private:
    void follow_lets(std::set<std::string>& names) const;

    const OperatorPlan& plan_;
    std::map<std::string, std::string, std::less<>> names_;
};

// Whether the expression's value may depend on symbolic sizes.
bool is_symbolic(const spec::Expression& expression);
// All expressions that describe an output.
std::vector<const spec::Expression*> expressions_of(const spec::OutputDesc& output);

}  // namespace opweld::codegen

#endif
