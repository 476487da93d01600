// Expressions and formulas from arbitrary bytes: nothing may crash, and what compiles can be emitted and
// evaluated.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "spec/expr/emit.h"
#include "spec/formula/formula.h"
#include "tests/cpp/spec/expr/sample_scope.h"

namespace {

using namespace opweld::spec;

void require(bool condition) {
    if (!condition) {
        std::abort();
    }
}

void check_positions(const std::vector<expr::Diagnostic>& errors, std::string_view text) {
    for (const expr::Diagnostic& error : errors) {
        require(error.span.end() <= text.size() && !error.message.empty());
    }
}

void run_expression(std::string_view text, const expr::Scope& scope) {
    const expr::CompileResult result = expr::compile(text, scope);
    require(result.expression.has_value() == result.errors.empty());
    check_positions(result.errors, text);
    if (!result.expression) {
        return;
    }
    for (const expr::Flavour flavour : {expr::Flavour::sym, expr::Flavour::host, expr::Flavour::graph}) {
        require(!expr::emit_cpp(*result.expression, flavour).empty());
    }
    require(!expr::emit_python(*result.expression).empty());
    static const expr::Bindings bindings = expr::sample_bindings(0);
    try {
        expr::evaluate(*result.expression, bindings);
    } catch (const expr::EvaluationError& error) {
        require(error.span().end() <= text.size());
    }
}

void run_formula(std::string_view text, const expr::Scope& scope) {
    const formula::FormulaResult result = formula::compile_formula(text, scope);
    require(result.formula.has_value() == result.errors.empty());
    check_positions(result.errors, text);
    if (result.formula) {
        require(!formula::emit_cpp(*result.formula).empty());
        require(!formula::emit_python(*result.formula).empty());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const expr::Scope scope = expr::sample_scope();
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    run_expression(text, scope);
    run_formula(text, scope);
    return 0;
}
