#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "spec/expr/ast.h"
#include "spec/expr/binding.h"
#include "spec/expr/cpp_text.h"
#include "spec/expr/emit.h"

namespace opweld::spec::expr {
namespace {

bool is_literal(const Node& node) {
    return node.kind == NodeKind::integer || node.kind == NodeKind::floating ||
           node.kind == NodeKind::boolean || node.kind == NodeKind::string || node.kind == NodeKind::dtype;
}

class Emitter {
  public:
    Emitter(Flavour flavour, const EmitOptions& options, std::set<std::string> free_names)
        : flavour_(flavour), options_(options), used_names_(std::move(free_names)) {}

    std::string result(const Node& root) {
        const bool wanted = sym() && (options_.symbolic_result || root.type.symbolic());
        const bool number = root.type.is(Kind::integer) || root.type.is(Kind::boolean);
        const bool converts = number && wanted == symbolic(root);
        return converts ? text(root) : exactly(root, root.type.as_symbolic(wanted)).text;
    }

  private:
    bool sym() const { return flavour_ == Flavour::sym; }
    bool graph() const { return flavour_ == Flavour::graph; }
    // A value that is more than a plain one in C++: a SymInt, a SymBool.
    bool symbolic(const Node& node) const { return sym() && node.type.symbolic(); }
    std::string type_text(const Type& type) const { return cpp_type(type, flavour_); }

    std::string text(const Node& node) { return emit(node).text; }

    Text emit(const Node& node) {
        switch (node.kind) {
            case NodeKind::integer:
                return integer(node.integer);
            case NodeKind::floating:
                return {cpp_float(node.floating), node.floating < 0 ? Binds::unary : Binds::postfix};
            case NodeKind::boolean:
                return {node.boolean ? "true" : "false"};
            case NodeKind::string:
                return {cpp_string(node.text)};
            case NodeKind::none:
                return {"std::nullopt"};
            case NodeKind::dtype:
                return {cpp_dtype(node.dtype, flavour_)};
            case NodeKind::name:
                return {name(node.text)};
            case NodeKind::shape:
                return member(node.child(0), sym() ? "sym_sizes()" : "shape");
            case NodeKind::ndim:
                return member(node.child(0), sym() ? "dim()" : "ndim()");
            case NodeKind::dtype_of_tensor:
                return member(node.child(0), sym() ? "scalar_type()" : "dtype");
            case NodeKind::index:
                return index(node);
            case NodeKind::slice:
                return slice(node);
            case NodeKind::negate:
                return {"-" + in_brackets_below(emit(node.child(0)), Binds::postfix), Binds::unary};
            case NodeKind::logical_not:
                return negated(emit(node.child(0)), symbolic(node));
            case NodeKind::arithmetic:
                return arithmetic(node);
            case NodeKind::compare:
                return comparison(node);
            case NodeKind::logical_and:
            case NodeKind::logical_or:
                return logic(node);
            case NodeKind::conditional:
                return conditional(node);
            case NodeKind::is_none:
                return presence(node);
            case NodeKind::list:
                return list(node, node.type);
            case NodeKind::comprehension:
                return comprehension(node);
            case NodeKind::call:
                return call(node);
            case NodeKind::unwrap:
                return {"*" + in_brackets_below(emit(node.child(0)), Binds::unary), Binds::unary};
            case NodeKind::to_float:
                return function("to_float", {text(node.child(0))});
            case NodeKind::to_optional:
                return to_optional(node);
            case NodeKind::attribute:
            case NodeKind::named_call:
                break;
        }
        throw std::logic_error("an expression that was not checked cannot be emitted");
    }

    static Text integer(std::int64_t value) {
        if (value == std::numeric_limits<std::int64_t>::min()) {
            return {"(-9223372036854775807 - 1)"};
        }
        return {fmt::format("{}", value), value < 0 ? Binds::unary : Binds::postfix};
    }

    static Text function(std::string_view name, const std::vector<std::string>& arguments) {
        return {fmt::format("expr::{}({})", name, fmt::join(arguments, ", "))};
    }

    static std::string lambda(const std::string& value) { return fmt::format("[&] {{ return {}; }}", value); }

    std::string name(const std::string& text) const {
        if (const auto variable = variables_.find(text); variable != variables_.end()) {
            return variable->second;
        }
        const auto renamed = options_.names.find(text);
        return renamed == options_.names.end() ? text : renamed->second;
    }

    Text member(const Node& object, std::string_view name) {
        if (object.kind == NodeKind::unwrap) {
            return {in_brackets_below(emit(object.child(0)), Binds::postfix) + "->" + std::string(name)};
        }
        return {in_brackets_below(emit(object), Binds::postfix) + "." + std::string(name)};
    }

    // ---- lists
    // ---------------------------------------------------------------------------------------------------

    Text index(const Node& node) {
        const Node& list = node.child(0);
        const Node& index = node.child(1);
        if (sym() && list.kind == NodeKind::shape && !index.type.symbolic()) {
            return member(list.child(0), fmt::format("sym_size({})", text(index)));
        }
        return function("item", {text(list), text(index)});
    }

    Text slice(const Node& node) {
        std::vector<std::string> arguments{text(node.child(0)), node.children[1] ? text(node.child(1)) : "0"};
        if (node.children[2]) {
            arguments.push_back(text(node.child(2)));
        }
        return function("slice", arguments);
    }

    Text list(const Node& node, const Type& type) {
        if (graph() && node.children.empty()) {
            return {type_text(type) + "::empty()"};
        }
        std::vector<std::string> items;
        for (const NodePtr& child : node.children) {
            items.push_back(is_literal(*child) ? text(*child) : exactly(*child, type.element()).text);
        }
        return {fmt::format("{}{{{}}}", type_text(type), fmt::join(items, ", "))};
    }

    Text comprehension(const Node& node) {
        const Node& source = node.child(1);
        const std::string source_text = text(source);
        std::string variable = cpp_identifier(node.text);
        while (used_names_.contains(variable)) {
            variable += '_';
        }
        used_names_.insert(variable);
        variables_.insert_or_assign(node.text, variable);
        const std::string item =
            graph() ? text(node.child(0)) : exactly(node.child(0), node.type.element()).text;
        variables_.erase(node.text);
        used_names_.erase(variable);
        const std::string parameter = uses(node.child(0), node.text) ? " " + variable : std::string{};
        const std::string result =
            graph() ? fmt::format("<{}>", type_text(node.type.element())) : std::string{};
        return {fmt::format("expr::map{}({}, [&]({}{}) {{ return {}; }})", result, source_text,
                            parameter_type(source.type.element()), parameter, item)};
    }

    std::string parameter_type(const Type& type) const {
        switch (type.kind()) {
            case Kind::integer:
                return graph() || symbolic_type(type) ? fmt::format("const {}&", type_text(type))
                                                      : type_text(type);
            case Kind::floating:
            case Kind::boolean:
            case Kind::dtype:
                return graph() ? fmt::format("const {}&", type_text(type)) : type_text(type);
            default:
                return "const auto&";
        }
    }
    bool symbolic_type(const Type& type) const { return sym() && type.symbolic(); }

    static bool uses(const Node& node, const std::string& variable) {
        return (node.kind == NodeKind::name && node.text == variable) ||
               std::any_of(node.children.begin(), node.children.end(),
                           [&](const NodePtr& child) { return child && uses(*child, variable); });
    }

    // ---- operators
    // -----------------------------------------------------------------------------------------------

    Text infix(const Node& node, std::string_view op, Binds binds) {
        const bool left_to_right = binds == Binds::sum || binds == Binds::product;
        // Compilers ask for brackets around a comparison in a comparison.
        const Binds tighter = left_to_right ? static_cast<Binds>(static_cast<int>(binds) + 1) : Binds::sum;
        const std::string left = in_brackets_below(emit(node.child(0)), left_to_right ? binds : tighter);
        return {fmt::format("{} {} {}", left, op, in_brackets_below(emit(node.child(1)), tighter)), binds};
    }

    Text arithmetic(const Node& node) {
        const std::string_view op = op_text(node.op);
        if (node.type.is(Kind::list)) {
            return function("concat", {text(node.child(0)), text(node.child(1))});
        }
        switch (node.op) {
            case Op::add:
            case Op::subtract:
                return infix(node, op, Binds::sum);
            case Op::multiply:
                return infix(node, op, Binds::product);
            case Op::divide:
                return function("divide", {text(node.child(0)), text(node.child(1))});
            case Op::mod:
                return function("mod", {text(node.child(0)), text(node.child(1))});
            default:
                return function("floor_div", {text(node.child(0)), text(node.child(1))});
        }
    }

    Text negated(const Text& value, bool symbolic) const {
        if (symbolic || graph()) {
            return function("negate", {value.text});
        }
        return {"!" + in_brackets_below(value, Binds::postfix), Binds::negation};
    }

    Text comparison(const Node& node) {
        const Node& left = node.child(0);
        const Node& right = node.child(1);
        const bool negative = node.op == Op::ne || node.op == Op::not_in;
        if (node.op == Op::in || node.op == Op::not_in) {
            const Text found = function("contains", {text(right), text(left)});
            return negative ? negated(found, symbolic(node)) : found;
        }
        if (left.type.is(Kind::list)) {
            const Text equal = function("equal", {text(left), text(right)});
            return negative ? negated(equal, symbolic(node)) : equal;
        }
        if (symbolic(node) && left.type.is(Kind::boolean)) {
            const Text same = function("same", {text(left), text(right)});
            return negative ? negated(same, true) : same;
        }
        if (symbolic(node)) {
            return symbolic_comparison(node);
        }
        const bool equality = node.op == Op::eq || node.op == Op::ne;
        return infix(node, op_text(node.op), equality ? Binds::equality : Binds::relation);
    }

    Text symbolic_comparison(const Node& node) {
        static constexpr std::pair<Op, std::string_view> relations[] = {
            {Op::eq, "eq"}, {Op::ne, "ne"}, {Op::lt, "lt"}, {Op::le, "le"}, {Op::gt, "gt"}, {Op::ge, "ge"}};
        const auto* const relation = std::find_if(std::begin(relations), std::end(relations),
                                                  [&](const auto& entry) { return entry.first == node.op; });
        const Text left = emit(node.child(0));
        const std::string right = text(node.child(1));
        if (node.child(0).type.symbolic() && left.binds == Binds::postfix) {
            return {fmt::format("{}.sym_{}({})", left.text, relation->second, right)};
        }
        return function(relation->second, {left.text, right});
    }

    // Whether the left side of an `and` or `or` before the node must be decided first: the node reads an
    // optional value that is there only then, or divides by a symbolic size that may be zero else. All other
    // failures are exceptions, with which `both` and `either` deal.
    static bool needs_decision(const Node& node) {
        const bool divides =
            (node.kind == NodeKind::arithmetic && (node.op == Op::floor_div || node.op == Op::mod)) ||
            (node.kind == NodeKind::call && node.function == Function::ceil_div);
        const bool convolves = node.kind == NodeKind::call && node.function == Function::conv_out;
        if (node.kind == NodeKind::unwrap || (divides && node.child(1).type.symbolic()) ||
            (convolves && node.child(2).type.symbolic())) {
            return true;
        }
        return std::any_of(node.children.begin(), node.children.end(),
                           [](const NodePtr& child) { return child && needs_decision(*child); });
    }

    Text logic(const Node& node) {
        const bool is_and = node.kind == NodeKind::logical_and;
        if (!symbolic(node) && !graph()) {
            const Binds binds = is_and ? Binds::conjunction : Binds::disjunction;
            // Same operators need no brackets; and within or gets them for the reader, as compilers demand.
            const auto side = [&](const Node& child) {
                const Text part = emit(child);
                const bool bare = part.binds == binds || part.binds > Binds::conjunction;
                return bare ? part.text : "(" + part.text + ")";
            };
            return {fmt::format("{} {} {}", side(node.child(0)), is_and ? "&&" : "||", side(node.child(1))),
                    binds};
        }
        std::string left = text(node.child(0));
        if (symbolic(node.child(0)) && needs_decision(node.child(1))) {
            left = function("guard", {left}).text;
        }
        return function(is_and ? "both" : "either", {left, lambda(text(node.child(1)))});
    }

    Text conditional(const Node& node) {
        const Node& condition = node.child(0);
        if (graph()) {
            return {fmt::format("expr::select<{}>({}, {}, {})", type_text(node.type), text(condition),
                                lambda(text(node.child(1))), lambda(text(node.child(2))))};
        }
        const Text test = symbolic(condition) ? function("guard", {text(condition)}) : emit(condition);
        const auto branch = [&](const Node& value) {
            return in_brackets_below(exactly(value, node.type), Binds::disjunction);
        };
        return {fmt::format("{} ? {} : {}", in_brackets_below(test, Binds::disjunction),
                            branch(node.child(1)), branch(node.child(2))),
                Binds::conditional};
    }

    Text presence(const Node& node) {
        const Node& value = node.child(0);
        const Text present = sym() ? function("has_value", {text(value)}) : member(value, "has_value()");
        return node.boolean ? present : Text{"!" + present.text, Binds::negation};
    }

    Text to_optional(const Node& node) {
        const Node& value = node.child(0);
        const std::string inner =
            value.kind == NodeKind::none ? "" : exactly(value, node.type.element()).text;
        return {fmt::format("{}({})", type_text(node.type), inner)};
    }

    // ---- calls
    // ---------------------------------------------------------------------------------------------------

    Text call(const Node& node) {
        const std::string_view name = info(node.function).name;
        std::vector<std::string> arguments;
        for (const NodePtr& child : node.children) {
            const bool optional = child->kind == NodeKind::to_optional;
            arguments.push_back(text(optional ? child->child(0) : *child));
        }
        const bool extreme = node.function == Function::min || node.function == Function::max;
        if (graph() && extreme && arguments.size() > 1) {
            return {fmt::format("expr::{}({}{{{}}})", name, type_text(Type::list(node.type)),
                                fmt::join(arguments, ", "))};
        }
        if (graph() && node.function == Function::broadcast) {
            return {fmt::format("expr::broadcast({{{}}})", fmt::join(arguments, ", "))};
        }
        return function(name, arguments);
    }

    // ---- exact types
    // ---------------------------------------------------------------------------------------------

    // Whether the text of a node is of cpp_type(node.type) already, not only something like it.
    bool is_exact(const Node& node) const {
        switch (node.type.kind()) {
            case Kind::integer:
                return is_exact_int(node);
            case Kind::string:
                return node.kind == NodeKind::conditional;
            case Kind::list:
                return node.kind != NodeKind::name && node.kind != NodeKind::shape &&
                       node.kind != NodeKind::unwrap;
            default:
                return true;
        }
    }

    bool is_exact_int(const Node& node) const {
        switch (node.kind) {
            case NodeKind::integer:
                return false;
            case NodeKind::name:
                return sym() || variables_.contains(node.text);
            case NodeKind::unwrap:
                return sym();
            case NodeKind::negate:
                return is_exact_int(node.child(0));
            case NodeKind::arithmetic: {
                const bool infix = node.op == Op::add || node.op == Op::subtract || node.op == Op::multiply;
                return !infix || is_exact_int(node.child(0)) || is_exact_int(node.child(1));
            }
            default:
                return true;
        }
    }

    // Text whose C++ type is cpp_type(type). The graph's types convert where they are used.
    Text exactly(const Node& node, const Type& type) {
        if (graph()) {
            return emit(node);
        }
        if (node.kind == NodeKind::list) {
            return list(node, type);
        }
        if (is_exact(node) && symbolic(node) == symbolic_type(type)) {
            return emit(node);
        }
        switch (node.type.kind()) {
            case Kind::integer:
            case Kind::string:
            case Kind::boolean:
                return {fmt::format("{}({})", type_text(type), text(node))};
            case Kind::list:
                if (symbolic_type(type) && !symbolic(node) && type.is_list_of(Kind::integer)) {
                    return function("to_sizes", {text(node)});
                }
                return function("to_list", {text(node)});
            default:
                return emit(node);
        }
    }

    Flavour flavour_;
    const EmitOptions& options_;
    std::set<std::string> used_names_;
    std::map<std::string, std::string, std::less<>> variables_;  // loop variable -> its name in C++
};

}  // namespace

std::string emit_cpp(const Expression& expression, Flavour flavour, const EmitOptions& options) {
    std::set<std::string> used_names = expression.free_names();
    for (const auto& [name, text] : options.names) {
        used_names.insert(text);
    }
    return Emitter(flavour, options, std::move(used_names)).result(expression.root());
}

}  // namespace opweld::spec::expr
