#include "spec/formula/formula.h"

#include <algorithm>
#include <utility>

#include "spec/formula/ast.h"
#include "spec/formula/checker.h"
#include "spec/formula/parser.h"

namespace opweld::spec::formula {
namespace {

void collect(const Node& node, NodeKind kind, std::set<std::string>& texts) {
    if (node.kind == kind) {
        texts.insert(node.text);
    }
    for (const NodePtr& child : node.children) {
        collect(*child, kind, texts);
    }
}

}  // namespace

bool is_options(const Node& node) {
    if (node.is_query("options")) {
        return true;
    }
    const bool changes = node.kind == NodeKind::method && (node.text == "dtype" || node.text == "device");
    return changes && node.children.size() == 2 && is_options(node.child(0));
}

Formula::Formula(std::string text, Scope scope, std::shared_ptr<const Node> root)
    : text_(std::move(text)), scope_(std::move(scope)), root_(std::move(root)) {}

std::set<std::string> Formula::free_names() const {
    std::set<std::string> names;
    collect(*root_, NodeKind::name, names);
    return names;
}

std::set<std::string> Formula::functions() const {
    std::set<std::string> names;
    collect(*root_, NodeKind::function, names);
    return names;
}

FormulaResult compile_formula(std::string_view text, const Scope& scope) {
    FormulaResult result;
    try {
        NodePtr root = parse(text);
        check(*root, text, scope, result.errors);
        if (result.errors.empty()) {
            result.formula.emplace(std::string(text), scope, std::shared_ptr<const Node>(std::move(root)));
        }
    } catch (const SyntaxError& error) {
        result.errors.push_back(error.diagnostic);
    }
    std::stable_sort(result.errors.begin(), result.errors.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return a.span.offset < b.span.offset; });
    return result;
}

}  // namespace opweld::spec::formula
