#include "spec/formula/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "spec/expr/expression.h"
#include "spec/formula/constants.h"

namespace opweld::spec::formula {
namespace {

using expr::Kind;

// The optional names that a condition shows to be present.
struct Outcome {
    std::set<std::string> when_true;
    std::set<std::string> when_false;
};

std::set<std::string> united(std::set<std::string> a, const std::set<std::string>& b) {
    a.insert(b.begin(), b.end());
    return a;
}

std::set<std::string> common(const std::set<std::string>& a, const std::set<std::string>& b) {
    std::set<std::string> result;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(result, result.end()));
    return result;
}

bool is_optional(const Node& node) {
    return node.value == ValueKind::optional_tensor || node.value == ValueKind::optional;
}

bool is_tensor_like(const Node& node) {
    return node.value == ValueKind::tensor || node.value == ValueKind::optional_tensor;
}

class Checker {
  public:
    Checker(std::string_view text, const expr::Scope& scope, std::vector<expr::Diagnostic>& errors)
        : text_(text), scope_(scope), errors_(errors) {}

    Outcome visit(Node& node) {
        switch (node.kind) {
            case NodeKind::name:
                visit_name(node);
                return {};
            case NodeKind::constant:
                if (!find_constant(node.text)) {
                    report(node, fmt::format("'{}' is not a constant that formulas know", node.text),
                           "known are at::kFloat and the other dtypes, at::Reduction::..., "
                           "at::MemoryFormat::...");
                }
                return {};
            case NodeKind::no_tensor:
                node.value = ValueKind::tensor;
                return {};
            case NodeKind::function:
            case NodeKind::get:
                visit_arguments(node);
                node.value = ValueKind::tensor;
                return {};
            case NodeKind::method:
                return visit_method(node);
            case NodeKind::index:
                visit_children(node);
                require_present(node.child(0), "indexed");
                node.value = node.child(0).value == ValueKind::tensor ? ValueKind::tensor : ValueKind::other;
                return {};
            case NodeKind::dereference:
                visit_children(node);
                if (!is_optional(node.child(0)) && !node.child(0).present) {
                    report(node, fmt::format("'{}' is not optional", text_of(node.child(0))),
                           "leave the '*' out");
                }
                node.value = inner(node.child(0));
                return {};
            case NodeKind::unary:
                return visit_unary(node);
            case NodeKind::binary:
                return visit_binary(node);
            case NodeKind::conditional:
                return visit_conditional(node);
            default:
                visit_children(node);
                return {};
        }
    }

  private:
    void report(const Node& node, std::string message, std::string hint = {}) {
        errors_.push_back({node.span, std::move(message), std::move(hint)});
    }
    std::string_view text_of(const Node& node) const {
        return text_.substr(node.span.offset, node.span.length);
    }

    void visit_children(Node& node) {
        for (NodePtr& child : node.children) {
            visit(*child);
        }
    }

    void visit_arguments(Node& node) {
        for (NodePtr& child : node.children) {
            options_allowed_ = is_options(*child);
            visit(*child);
        }
        options_allowed_ = false;
    }

    Outcome visit_knowing(Node& node, const std::set<std::string>& more) {
        const std::set<std::string> saved = present_;
        present_.insert(more.begin(), more.end());
        Outcome outcome = visit(node);
        present_ = saved;
        return outcome;
    }

    static ValueKind inner(const Node& node) {
        switch (node.value) {
            case ValueKind::optional_tensor:
                return ValueKind::tensor;
            case ValueKind::optional:
                return ValueKind::other;
            default:
                return node.value;
        }
    }

    void visit_name(Node& node) {
        const auto entry = scope_.find(node.text);
        if (entry == scope_.end()) {
            if (find_constant(node.text)) {
                node.kind = NodeKind::constant;
                return;
            }
            std::vector<std::string> names;
            for (const auto& [name, type] : scope_) {
                names.push_back(name);
            }
            const std::optional<std::string> near = expr::nearest_name(node.text, names);
            report(node, fmt::format("nothing here is called '{}'", node.text),
                   near ? fmt::format("did you mean '{}'?", *near) : std::string{});
            return;
        }
        const expr::Type& type = entry->second;
        if (type.is(Kind::optional)) {
            const bool tensor = type.element().is(Kind::tensor);
            node.present = present_.contains(node.text);
            node.value = tensor ? ValueKind::optional_tensor : ValueKind::optional;
            node.value = node.present ? inner(node) : node.value;
        } else if (type.is(Kind::tensor)) {
            node.value = ValueKind::tensor;
        } else if (type.is(Kind::integer)) {
            node.value = ValueKind::integer;
        }
    }

    void require_present(const Node& node, std::string_view what) {
        if (is_optional(node)) {
            report(node, fmt::format("'{}' may be absent where it is {}", text_of(node), what),
                   fmt::format("test it first: {0}.has_value() ? ... : ...", text_of(node)));
        } else if (node.kind == NodeKind::null) {
            report(node, fmt::format("std::nullopt cannot be {}", what));
        }
    }

    Outcome visit_method(Node& node) {
        if (node.is_query("options") && !options_allowed_) {
            report(node, "options() outside of the arguments of an at:: function",
                   "give it to at::zeros, at::full and the like");
        }
        visit_children(node);
        const Node& object = node.child(0);
        if (is_presence_test(node)) {
            if (node.text == "has_value" && !is_optional(object) && !object.present) {
                report(node, fmt::format("'{}' is not optional", text_of(object)),
                       object.value == ValueKind::tensor ? "write .defined()" : "leave the test out");
            }
            if (object.kind == NodeKind::name) {
                return {{object.text}, {}};
            }
            return {};
        }
        const bool unwraps = node.text == "value" || node.text == "value_or";
        if (unwraps && (is_optional(object) || object.present)) {
            node.value = inner(object);
            return {};
        }
        if (unwraps) {
            report(node, fmt::format("'{}' is not optional and has no {}()", text_of(object), node.text),
                   fmt::format("write {}", text_of(object)));
            return {};
        }
        require_present(object, fmt::format("asked for {}()", node.text));
        node.value = result_of_method(node.text);
        return {};
    }

    static ValueKind result_of_method(std::string_view name) {
        static constexpr std::array<std::string_view, 7> whole{"size",  "sym_size",  "dim",   "ndimension",
                                                               "numel", "sym_numel", "stride"};
        static constexpr std::array<std::string_view, 10> other{
            "sizes",  "sym_sizes", "strides", "scalar_type", "options",
            "device", "dtype",     "item",    "is_complex",  "is_floating_point"};
        if (std::find(whole.begin(), whole.end(), name) != whole.end()) {
            return ValueKind::integer;
        }
        return std::find(other.begin(), other.end(), name) != other.end() ? ValueKind::other
                                                                          : ValueKind::tensor;
    }

    Outcome visit_unary(Node& node) {
        Outcome outcome = visit(*node.children[0]);
        if (node.text == "!") {
            std::swap(outcome.when_true, outcome.when_false);
            if (is_tensor_like(node.child(0))) {
                report(node, "'!' of a tensor",
                       "write x.logical_not(), or !x.has_value() to ask whether it is there");
            }
            return outcome;
        }
        require_present(node.child(0), "negated");
        node.value = node.child(0).value;
        return {};
    }

    Outcome visit_binary(Node& node) {
        const bool is_and = node.text == "&&";
        const bool is_or = node.text == "||";
        const Outcome left = visit(*node.children[0]);
        Outcome right;
        if (is_and || is_or) {
            right = visit_knowing(*node.children[1], is_and ? left.when_true : left.when_false);
        } else {
            visit(*node.children[1]);
        }
        require_present(node.child(0), "computed with");
        require_present(node.child(1), "computed with");
        if (is_and) {
            return {united(left.when_true, right.when_true), common(left.when_false, right.when_false)};
        }
        if (is_or) {
            return {common(left.when_true, right.when_true), united(left.when_false, right.when_false)};
        }
        node.value = result_of_operator(node);
        return {};
    }

    static ValueKind result_of_operator(const Node& node) {
        const ValueKind left = node.child(0).value;
        const ValueKind right = node.child(1).value;
        if (left == ValueKind::tensor || right == ValueKind::tensor) {
            return ValueKind::tensor;
        }
        const bool arithmetic = std::string_view("+-*/%").find(node.text) != std::string_view::npos;
        return arithmetic && left == ValueKind::integer && right == ValueKind::integer ? ValueKind::integer
                                                                                       : ValueKind::other;
    }

    Outcome visit_conditional(Node& node) {
        const Outcome condition = visit(*node.children[0]);
        if (is_tensor_like(node.child(0))) {
            report(node.child(0), fmt::format("'{}' is a tensor, not a condition", text_of(node.child(0))),
                   fmt::format("write {}.has_value() to ask whether it is there", text_of(node.child(0))));
        }
        visit_knowing(*node.children[1], condition.when_true);
        visit_knowing(*node.children[2], condition.when_false);
        const Node& then = node.child(1);
        const Node& otherwise = node.child(2);
        if (is_tensor_like(then) || is_tensor_like(otherwise)) {
            node.value = ValueKind::tensor;  // absent ones become undefined tensors
        } else if (then.value == otherwise.value) {
            node.value = then.value;
        }
        for (const Node* branch : {&then, &otherwise}) {
            if (branch->kind == NodeKind::braces) {
                report(*branch, "braces in a conditional expression",
                       "put the condition around the whole call");
            }
            if (branch->value == ValueKind::optional ||
                (branch->kind == NodeKind::null && node.value != ValueKind::tensor)) {
                report(*branch,
                       fmt::format("'{}' may be absent in a conditional expression", text_of(*branch)),
                       "give a value for its absence: x.has_value() ? x.value() : ...");
            }
        }
        return {};
    }

    std::string_view text_;
    const expr::Scope& scope_;
    std::vector<expr::Diagnostic>& errors_;
    std::set<std::string> present_;
    bool options_allowed_ = false;
};

}  // namespace

void check(Node& root, std::string_view text, const expr::Scope& scope,
           std::vector<expr::Diagnostic>& errors) {
    Checker(text, scope, errors).visit(root);
}

}  // namespace opweld::spec::formula
