#include "spec/expr/expression.h"

#include <algorithm>
#include <utility>

#include "spec/expr/ast.h"
#include "spec/expr/checker.h"
#include "spec/expr/lexer.h"
#include "spec/expr/parser.h"

namespace opweld::spec::expr {
namespace {

void collect_names(const Node& node, std::set<std::string>& bound, std::set<std::string>& names) {
    if (node.kind == NodeKind::name && !bound.contains(node.text)) {
        names.insert(node.text);
    }
    if (node.kind == NodeKind::comprehension) {
        collect_names(node.child(1), bound, names);
        bound.insert(node.text);
        collect_names(node.child(0), bound, names);
        bound.erase(node.text);
        return;
    }
    for (const NodePtr& child : node.children) {
        if (child) {
            collect_names(*child, bound, names);
        }
    }
}

// Letters put in, left out, exchanged, or two neighbours swapped.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            const std::size_t replaced = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            table[i][j] = std::min({replaced, table[i - 1][j] + 1, table[i][j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
            }
        }
    }
    return table[a.size()][b.size()];
}

}  // namespace

Expression::Expression(std::string text, std::shared_ptr<const Node> root)
    : text_(std::move(text)), root_(std::move(root)) {}

const Type& Expression::type() const { return root_->type; }

std::set<std::string> Expression::free_names() const {
    std::set<std::string> bound;
    std::set<std::string> names;
    collect_names(*root_, bound, names);
    return names;
}

CompileResult compile(std::string_view text, const Scope& scope, const std::optional<Type>& expected) {
    CompileResult result;
    try {
        NodePtr root = parse(text);
        check(root, text, scope, expected, result.errors);
        if (result.errors.empty()) {
            result.expression.emplace(std::string(text), std::shared_ptr<const Node>(std::move(root)));
        }
    } catch (const SyntaxError& error) {
        result.errors.push_back(error.diagnostic);
    }
    std::stable_sort(result.errors.begin(), result.errors.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return a.span.offset < b.span.offset; });
    return result;
}

std::optional<std::string> nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
    constexpr std::size_t longest_word = 64;
    constexpr std::size_t shortest_beginning = 5;
    if (word.size() > longest_word) {
        return std::nullopt;
    }
    std::optional<std::string> best;
    std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(word, candidate);
        // A word that was cut off (bfloat for bfloat16) is nearer than one that is misspelt.
        const bool cut_off = word.size() >= shortest_beginning && candidate.starts_with(word);
        if (cut_off && candidate.size() > word.size()) {
            return candidate;
        }
        if (distance < best_distance && distance < candidate.size()) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

}  // namespace opweld::spec::expr
