#include "spec/expr/checker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "spec/expr/calls.h"
#include "spec/expr/constants.h"
#include "spec/expr/conversion.h"
#include "spec/expr/expression.h"

namespace opweld::spec::expr {
namespace {

using Facts =
    std::map<std::string, bool, std::less<>>;  // canonical text of an optional value -> is it present

// What is known about optional values after a condition.
struct Outcome {
    Facts when_true;
    Facts when_false;
};

Facts both(Facts a, const Facts& b) {
    a.insert(b.begin(), b.end());
    return a;
}

Facts common(const Facts& a, const Facts& b) {
    Facts result;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(result, result.end()));
    return result;
}

constexpr std::array<std::string_view, 21> python_keywords{
    "as",   "assert", "async",  "await",   "break",  "class", "continue", "def",   "del",   "elif", "except",
    "from", "global", "import", "finally", "lambda", "pass",  "nonlocal", "raise", "while", "with"};

class Checker {
  public:
    Checker(const Scope& scope, Report& report) : scope_(scope), report_(report) {}

    Outcome visit(NodePtr& node) {
        switch (node->kind) {
            case NodeKind::integer:
                return literal(*node, Type::integer());
            case NodeKind::floating:
                return literal(*node, Type::floating());
            case NodeKind::boolean:
                return literal(*node, Type::boolean());
            case NodeKind::string:
                return literal(*node, Type::string());
            case NodeKind::none:
                node->type = Type::none();
                return {};
            case NodeKind::name:
                visit_name(*node);
                narrow(node, node->text);
                return {};
            case NodeKind::attribute:
                visit_attribute(node);
                return {};
            case NodeKind::index: {
                const std::string path = canonical_text(*node);
                visit_index(node);
                narrow(node, path);
                return {};
            }
            case NodeKind::slice:
                visit_slice(*node);
                return {};
            case NodeKind::negate:
            case NodeKind::arithmetic:
                visit_arithmetic(node);
                return {};
            case NodeKind::compare:
                visit_comparison(node);
                return {};
            case NodeKind::logical_not:
            case NodeKind::logical_and:
            case NodeKind::logical_or:
                return visit_logic(node);
            case NodeKind::conditional:
                return visit_conditional(node);
            case NodeKind::is_none:
                return visit_none_test(*node);
            case NodeKind::list:
                visit_list(*node);
                return {};
            case NodeKind::comprehension:
                visit_comprehension(*node);
                return {};
            case NodeKind::named_call:
                visit_call(node);
                return {};
            default:
                return {};  // the checker's own nodes are complete
        }
    }

  private:
    static Outcome literal(Node& node, Type type) {
        node.type = std::move(type);
        node.folded = true;
        return {};
    }

    Outcome visit_knowing(NodePtr& node, const Facts& more) {
        Facts saved = facts_;
        for (const auto& [path, present] : more) {
            facts_[path] = present;
        }
        Outcome outcome = visit(node);
        facts_ = std::move(saved);
        return outcome;
    }

    // ---- names
    // ---------------------------------------------------------------------------------------------------

    void visit_name(Node& node) {
        if (const auto local = locals_.find(node.text); local != locals_.end()) {
            node.type = local->second;
            return;
        }
        if (const auto entry = scope_.find(node.text); entry != scope_.end()) {
            node.type = entry->second;
            return;
        }
        if (const auto dtype = opweld::expr::dtype_from_name(node.text)) {
            node.kind = NodeKind::dtype;
            node.dtype = *dtype;
            literal(node, Type::dtype());
            return;
        }
        report_unknown_name(node);
    }

    void report_unknown_name(Node& node) {
        node.type = Type::error();
        if (find_function(node.text)) {
            report_(node.span, fmt::format("'{}' is a function", node.text),
                    fmt::format("call it: {}", info(*find_function(node.text)).usage));
            return;
        }
        std::vector<std::string> candidates;
        for (const auto& [name, type] : scope_) {
            candidates.push_back(name);
        }
        for (const auto& [name, type] : locals_) {
            candidates.push_back(name);
        }
        for (const auto& dtype : opweld::expr::dtype_table) {
            candidates.emplace_back(dtype.name);
        }
        const std::optional<std::string> near = nearest_name(node.text, candidates);
        std::string hint = near ? fmt::format("did you mean '{}'?", *near) : std::string{};
        if (node.text == "true" || node.text == "false" || node.text == "null" || node.text == "nullopt") {
            hint = "write True, False or None";
        }
        report_(node.span, fmt::format("nothing here is called '{}'", node.text), std::move(hint));
    }

    // An optional value that is known to be present is unwrapped, one that is known to be absent is None.
    void narrow(NodePtr& node, const std::string& path) {
        if (!node->type.is(Kind::optional) || keep_optional_ == node.get()) {
            return;
        }
        const auto fact = facts_.find(path);
        if (fact == facts_.end()) {
            return;
        }
        if (fact->second) {
            Type inner = node->type.element();
            node = wrap(NodeKind::unwrap, std::move(node), std::move(inner));
        } else {
            node->type = Type::none();
        }
    }

    Outcome visit_none_test(Node& node) {
        NodePtr& value = node.children[0];
        const std::string path = value->kind == NodeKind::name ? value->text : canonical_text(*value);
        const Node* const saved = std::exchange(keep_optional_, value.get());
        visit(value);
        keep_optional_ = saved;
        node.type = Type::boolean();
        if (value->type.is(Kind::error)) {
            return {};
        }
        if (!value->type.is(Kind::optional)) {
            report_(value->span,
                    fmt::format("'{}' is {}, which is never None", report_.text_of(*value),
                                value->type.described()),
                    "leave the test out, or make it optional");
            return {};
        }
        const bool present_when_true = node.boolean;
        return {{{path, present_when_true}}, {{path, !present_when_true}}};
    }

    // ---- parts of values
    // -----------------------------------------------------------------------------------------

    void visit_attribute(NodePtr& node) {
        visit(node->children[0]);
        NodePtr& value = node->children[0];
        node->type = Type::error();
        if (!report_.require_present(*value)) {
            return;
        }
        if (!value->type.is(Kind::tensor)) {
            const bool tensors =
                value->type.is_list_of(Kind::tensor) || value->type.is_list_of(Kind::optional);
            report_(node->span,
                    fmt::format("'{}' is {}, which has no .{}", report_.text_of(*value),
                                value->type.described(), node->text),
                    tensors ? fmt::format("take one of its tensors: {}[0].{}", report_.text_of(*value),
                                          node->text)
                            : "only tensors have .shape, .ndim and .dtype");
            return;
        }
        if (node->text == "shape") {
            complete(*node, NodeKind::shape, Type::list(Type::sym_int()));
        } else if (node->text == "ndim") {
            complete(*node, NodeKind::ndim, Type::integer());
        } else if (node->text == "dtype") {
            complete(*node, NodeKind::dtype_of_tensor, Type::dtype());
        } else {
            report_(node->span, fmt::format("tensors have no .{} here", node->text),
                    attribute_hint(node->text));
        }
    }

    static std::string attribute_hint(const std::string& name) {
        if (name == "size" || name == "sizes") {
            return "did you mean '.shape'?";
        }
        if (name == "dim" || name == "rank") {
            return "did you mean '.ndim'?";
        }
        const std::optional<std::string> near = nearest_name(name, {"shape", "ndim", "dtype"});
        return near ? fmt::format("did you mean '.{}'?", *near) : "they have .shape, .ndim and .dtype";
    }

    static void complete(Node& node, NodeKind kind, Type type) {
        node.kind = kind;
        node.text.clear();
        node.type = std::move(type);
    }

    bool require_list(Node& node) {
        if (!report_.require_present(node)) {
            return false;
        }
        if (node.type.is(Kind::list)) {
            return true;
        }
        const bool tensor = node.type.is(Kind::tensor);
        report_(node.span,
                fmt::format("expected a list, '{}' is {}", report_.text_of(node), node.type.described()),
                tensor ? fmt::format("its sizes are {}.shape", report_.text_of(node)) : std::string{});
        return false;
    }

    bool require_int(NodePtr& node, std::string_view what) {
        if (!report_.require_present(*node)) {
            return false;
        }
        if (node->type.is(Kind::integer)) {
            return true;
        }
        report_(node->span, fmt::format("{} must be an int, this is {}", what, node->type.described()));
        return false;
    }

    void visit_index(NodePtr& node) {
        visit(node->children[0]);
        visit(node->children[1]);
        const bool is_list = require_list(*node->children[0]);
        const bool is_index = require_int(node->children[1], "an index");
        node->type = is_list && is_index ? node->children[0]->type.element() : Type::error();
        if (node->type.is(Kind::never)) {
            report_(node->span, "an empty list has no items");
            node->type = Type::error();
        }
    }

    void visit_slice(Node& node) {
        visit(node.children[0]);
        bool good = require_list(*node.children[0]);
        for (std::size_t i = 1; i < 3; ++i) {
            if (node.children[i]) {
                visit(node.children[i]);
                good = require_int(node.children[i], "a bound of a slice") && good;
            }
        }
        node.type = good ? node.children[0]->type : Type::error();
        if (good && node.type.element().is(Kind::optional)) {
            report_(node.span, "lists of optional tensors cannot be sliced", "index it instead");
            node.type = Type::error();
        }
    }

    // ---- operators
    // -----------------------------------------------------------------------------------------------

    void visit_arithmetic(NodePtr& node) {
        for (NodePtr& child : node->children) {
            visit(child);
        }
        check_arithmetic(*node, report_);
        fold(node, report_);
    }

    void visit_comparison(NodePtr& node) {
        for (NodePtr& child : node->children) {
            visit(child);
        }
        check_comparison(*node, report_);
        fold(node, report_);
    }

    bool require_bool(const Node& node, std::string_view what) {
        if (!report_.require_present(node)) {
            return false;
        }
        if (node.type.is(Kind::boolean)) {
            return true;
        }
        const std::string text(report_.text_of(node));
        std::string hint;
        if (node.type.is(Kind::list)) {
            hint = fmt::format("write len({}) > 0", text);
        } else if (node.type.is_number()) {
            hint = fmt::format("write {} != 0", text);
        } else if (node.type.is(Kind::string)) {
            hint = fmt::format("write {} != \"\"", text);
        }
        report_(node.span, fmt::format("{} must be a bool, '{}' is {}", what, text, node.type.described()),
                std::move(hint));
        return false;
    }

    Outcome visit_logic(NodePtr& node) {
        Outcome result;
        bool good = true;
        if (node->kind == NodeKind::logical_not) {
            result = visit(node->children[0]);
            good = require_bool(*node->children[0], "what 'not' negates");
            std::swap(result.when_true, result.when_false);
        } else {
            const bool is_and = node->kind == NodeKind::logical_and;
            const Outcome left = visit(node->children[0]);
            const Outcome right = visit_knowing(node->children[1], is_and ? left.when_true : left.when_false);
            const std::string_view what = is_and ? "what 'and' joins" : "what 'or' joins";
            good = require_bool(*node->children[0], what);
            good = require_bool(*node->children[1], what) && good;
            if (is_and) {
                result.when_true = both(left.when_true, right.when_true);
                result.when_false = common(left.when_false, both(left.when_true, right.when_false));
            } else {
                result.when_false = both(left.when_false, right.when_false);
                result.when_true = common(left.when_true, both(left.when_false, right.when_true));
            }
        }
        node->type = good ? Type::boolean().as_symbolic(any_symbolic(*node)) : Type::error();
        fold(node, report_);
        return result;
    }

    Outcome visit_conditional(NodePtr& node) {
        const Outcome condition = visit(node->children[0]);
        const Outcome value = visit_knowing(node->children[1], condition.when_true);
        const Outcome otherwise = visit_knowing(node->children[2], condition.when_false);
        const bool is_condition = require_bool(*node->children[0], "a condition");
        NodePtr& a = node->children[1];
        NodePtr& b = node->children[2];
        const std::optional<Type> type = common_type(a->type, b->type);
        if (!type) {
            report_(node->span, fmt::format("the two values of 'if' and 'else' differ in type: {} and {}",
                                            a->type.name(), b->type.name()));
            node->type = Type::error();
        } else {
            convert(a, *type);
            convert(b, *type);
            node->type = is_condition ? *type : Type::error();
        }
        fold(node, report_);
        return {common(both(condition.when_true, value.when_true),
                       both(condition.when_false, otherwise.when_true)),
                common(both(condition.when_true, value.when_false),
                       both(condition.when_false, otherwise.when_false))};
    }

    // ---- lists and calls
    // -----------------------------------------------------------------------------------------

    bool require_storable(NodePtr& node) {
        if (!report_.require_present(*node)) {
            return false;
        }
        if (node->type.is(Kind::scalar)) {
            convert(node, Type::floating());
        }
        if (is_plain(node->type)) {
            return true;
        }
        report_(node->span, fmt::format("a list cannot hold {}", node->type.described()),
                "lists hold numbers, bools, strings, dtypes and lists of these");
        return false;
    }

    void visit_list(Node& node) {
        Type element = Type::never();
        bool good = true;
        for (NodePtr& child : node.children) {
            visit(child);
            if (!require_storable(child)) {
                good = false;
                continue;
            }
            const std::optional<Type> type = common_type(element, child->type);
            if (!type) {
                report_(child->span, fmt::format("the items of a list differ in type: {} and {}",
                                                 element.name(), child->type.name()));
                good = false;
                continue;
            }
            element = *type;
        }
        node.type = good ? Type::list(element) : Type::error();
        for (NodePtr& child : node.children) {
            if (good) {
                convert(child, element);
            }
        }
    }

    void visit_comprehension(Node& node) {
        visit(node.children[1]);
        const bool is_list = require_list(*node.children[1]);
        Type variable = is_list ? node.children[1]->type.element() : Type::error();
        if (variable.is(Kind::never)) {
            report_(node.children[1]->span, "a loop over an empty list");
            variable = Type::error();
        }
        if (scope_.contains(node.text) || locals_.contains(node.text)) {
            report_(node.span, fmt::format("the loop variable '{}' hides another '{}'", node.text, node.text),
                    "give it a name of its own");
        } else if (std::find(python_keywords.begin(), python_keywords.end(), node.text) !=
                   python_keywords.end()) {
            report_(node.span, fmt::format("'{}' is a keyword of Python", node.text),
                    "give the loop variable another name");
        }
        const auto hidden = locals_.find(node.text);
        const std::optional<Type> saved =
            hidden == locals_.end() ? std::nullopt : std::optional(hidden->second);
        locals_.insert_or_assign(node.text, std::move(variable));
        visit(node.children[0]);
        if (saved) {
            locals_.insert_or_assign(node.text, *saved);
        } else {
            locals_.erase(node.text);
        }
        node.type = require_storable(node.children[0]) ? Type::list(node.children[0]->type) : Type::error();
    }

    void visit_call(NodePtr& node) {
        for (NodePtr& child : node->children) {
            visit(child);
        }
        node->type = Type::error();
        const bool shadowed = !node->boolean && (scope_.contains(node->text) || locals_.contains(node->text));
        const std::optional<Function> function = find_function(node->text);
        if (shadowed) {
            report_(node->span,
                    fmt::format("'{}' is a name of the operator and cannot be called", node->text),
                    function ? fmt::format("the function is ${}", node->text) : std::string{});
            return;
        }
        if (!function) {
            std::vector<std::string> names;
            for (const FunctionInfo& candidate : function_table()) {
                names.emplace_back(candidate.name);
            }
            const std::optional<std::string> near = nearest_name(node->text, names);
            report_(node->span, fmt::format("there is no function '{}'", node->text),
                    near ? fmt::format("did you mean '{}'?", *near)
                         : fmt::format("there are {}", fmt::join(names, ", ")));
            return;
        }
        node->kind = NodeKind::call;
        node->function = *function;
        node->text.clear();
        check_call(*node, report_);
        fold(node, report_);
    }

    const Scope& scope_;
    Report& report_;
    std::map<std::string, Type, std::less<>> locals_;
    Facts facts_;
    const Node* keep_optional_ = nullptr;
};

// What to write where one value stands for a list, or a list for one value.
std::string mismatch_hint(const Node& root, const Type& expected, std::string_view text) {
    if (expected.is(Kind::list) && root.type == expected.element()) {
        return fmt::format("write [{}]: a list with one item", text);
    }
    if (expected.is(Kind::list) && root.type.is(Kind::tensor)) {
        return fmt::format("its sizes are {}.shape", text);
    }
    if (root.type.is(Kind::list) && root.type.element() == expected) {
        return fmt::format("write {}[0], or another of its items",
                           root.kind == NodeKind::arithmetic ? fmt::format("({})", text) : std::string(text));
    }
    if (expected.is(Kind::dtype) && root.type.is(Kind::tensor)) {
        return fmt::format("its dtype is {}.dtype", text);
    }
    return {};
}

}  // namespace

void check(NodePtr& root, std::string_view text, const Scope& scope, const std::optional<Type>& expected,
           std::vector<Diagnostic>& errors) {
    Report report(text, errors);
    Checker(scope, report).visit(root);
    if (!expected || root->type.is(Kind::error)) {
        return;
    }
    const std::string actual = root->type.name();
    if (!convert(root, *expected)) {
        if (!expected->is(Kind::optional) && !report.require_present(*root)) {
            return;
        }
        report(root->span, fmt::format("expected {}, this is {}", expected->name(), actual),
               mismatch_hint(*root, *expected, report.text_of(*root)));
    }
}

}  // namespace opweld::spec::expr
