#include "spec/expr/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "opweld/expr/common.h"
#include "spec/expr/builtins.h"

namespace opweld::spec::expr {
namespace {

namespace detail = opweld::expr::detail;

// Loops within loops could run for years; every list item and every node costs a step.
constexpr std::int64_t max_steps = 5'000'000;

template <class T>
T& as(Value& value) {
    return std::get<T>(value.data);
}

class Evaluator {
  public:
    explicit Evaluator(const Bindings& bindings) : bindings_(bindings) {}

    Value visit(const Node& node) {
        spend(node, 1);
        try {
            return compute(node);
        } catch (const opweld::expr::Error& error) {
            throw EvaluationError(node.span, error.what());
        }
    }

  private:
    void spend(const Node& node, std::size_t steps) {
        steps_ += static_cast<std::int64_t>(steps);
        if (steps_ > max_steps) {
            throw EvaluationError(node.span, fmt::format("this takes more than {} steps", max_steps));
        }
    }

    std::int64_t integer(const Node& node) {
        Value value = visit(node);
        return as<std::int64_t>(value);
    }
    bool boolean(const Node& node) {
        Value value = visit(node);
        return as<bool>(value);
    }
    ListValue list(const Node& node) {
        Value value = visit(node);
        spend(node, as<ListValue>(value).size());
        return std::move(as<ListValue>(value));
    }
    TensorValue tensor(const Node& node) {
        Value value = visit(node);
        return std::move(as<TensorValue>(value));
    }

    Value compute(const Node& node) {
        switch (node.kind) {
            case NodeKind::integer:
                return node.integer;
            case NodeKind::floating:
                return node.floating;
            case NodeKind::boolean:
                return node.boolean;
            case NodeKind::string:
                return node.text;
            case NodeKind::none:
                return {};
            case NodeKind::dtype:
                return node.dtype;
            case NodeKind::name:
                return lookup(node);
            case NodeKind::shape:
                return int_list(tensor(node.child(0)).shape);
            case NodeKind::ndim:
                return static_cast<std::int64_t>(tensor(node.child(0)).shape.size());
            case NodeKind::dtype_of_tensor:
                return tensor(node.child(0)).dtype;
            case NodeKind::index: {
                ListValue items = list(node.child(0));
                return std::move(items[detail::wrap_index(integer(node.child(1)), items.size())]);
            }
            case NodeKind::slice:
                return slice(node);
            case NodeKind::negate:
                return negate(visit(node.child(0)));
            case NodeKind::logical_not:
                return !boolean(node.child(0));
            case NodeKind::arithmetic:
                return arithmetic(node);
            case NodeKind::compare:
                return compare(node);
            case NodeKind::logical_and:
                return boolean(node.child(0)) && boolean(node.child(1));
            case NodeKind::logical_or:
                return boolean(node.child(0)) || boolean(node.child(1));
            case NodeKind::conditional:
                return visit(boolean(node.child(0)) ? node.child(1) : node.child(2));
            case NodeKind::is_none:
                return visit(node.child(0)).is_none() != node.boolean;
            case NodeKind::list:
                return list_display(node);
            case NodeKind::comprehension:
                return comprehension(node);
            case NodeKind::call:
                return call(node);
            case NodeKind::to_float:
                return to_float(visit(node.child(0)));
            case NodeKind::unwrap:
            case NodeKind::to_optional:
                return visit(node.child(0));
            case NodeKind::attribute:
            case NodeKind::named_call:
                break;
        }
        throw EvaluationError(node.span, "the expression has not been checked");
    }

    Value lookup(const Node& node) {
        const auto local = std::find_if(locals_.rbegin(), locals_.rend(),
                                        [&](const auto& entry) { return *entry.first == node.text; });
        if (local != locals_.rend()) {
            return *local->second;
        }
        const auto bound = bindings_.find(node.text);
        if (bound == bindings_.end()) {
            throw EvaluationError(node.span, fmt::format("'{}' has no value", node.text));
        }
        return bound->second;
    }

    Value slice(const Node& node) {
        ListValue items = list(node.child(0));
        const std::int64_t start = node.children[1] ? integer(node.child(1)) : 0;
        const std::int64_t stop = node.children[2] ? integer(node.child(2)) : detail::slice_end;
        const auto [first, last] = detail::slice_bounds(start, stop, items.size());
        return ListValue(std::make_move_iterator(items.begin() + static_cast<std::ptrdiff_t>(first)),
                         std::make_move_iterator(items.begin() + static_cast<std::ptrdiff_t>(last)));
    }

    static Value negate(Value value) {
        if (auto* floating = std::get_if<double>(&value.data)) {
            return -*floating;
        }
        return detail::subtract(0, as<std::int64_t>(value));
    }

    static Value to_float(Value value) {
        if (auto* integer = std::get_if<std::int64_t>(&value.data)) {
            return static_cast<double>(*integer);
        }
        if (auto* boolean = std::get_if<bool>(&value.data)) {
            return *boolean ? 1.0 : 0.0;
        }
        return value;
    }

    Value arithmetic(const Node& node) {
        Value left = visit(node.child(0));
        Value right = visit(node.child(1));
        if (auto* items = std::get_if<ListValue>(&left.data)) {
            ListValue& more = as<ListValue>(right);
            spend(node, items->size() + more.size());
            items->insert(items->end(), std::make_move_iterator(more.begin()),
                          std::make_move_iterator(more.end()));
            return left;
        }
        if (std::holds_alternative<double>(left.data)) {
            return float_arithmetic(node.op, as<double>(left), as<double>(right));
        }
        return int_arithmetic(node.op, as<std::int64_t>(left), as<std::int64_t>(right));
    }

    static Value float_arithmetic(Op op, double a, double b) {
        switch (op) {
            case Op::add:
                return a + b;
            case Op::subtract:
                return a - b;
            case Op::multiply:
                return a * b;
            default:
                return detail::divide(a, b);
        }
    }

    static Value int_arithmetic(Op op, std::int64_t a, std::int64_t b) {
        switch (op) {
            case Op::add:
                return detail::add(a, b);
            case Op::subtract:
                return detail::subtract(a, b);
            case Op::multiply:
                return detail::multiply(a, b);
            case Op::mod:
                return detail::mod(a, b);
            default:
                return detail::floor_div(a, b);
        }
    }

    template <class T>
    static bool ordered(Op op, const T& a, const T& b) {
        switch (op) {
            case Op::lt:
                return a < b;
            case Op::le:
                return a <= b;
            case Op::gt:
                return a > b;
            default:
                return a >= b;
        }
    }

    Value compare(const Node& node) {
        Value left = visit(node.child(0));
        Value right = visit(node.child(1));
        switch (node.op) {
            case Op::eq:
                return left == right;
            case Op::ne:
                return !(left == right);
            case Op::in:
            case Op::not_in: {
                const ListValue& items = as<ListValue>(right);
                spend(node, items.size());
                return (std::find(items.begin(), items.end(), left) != items.end()) == (node.op == Op::in);
            }
            default:
                break;
        }
        if (std::holds_alternative<double>(left.data)) {
            return ordered(node.op, as<double>(left), as<double>(right));
        }
        return ordered(node.op, as<std::int64_t>(left), as<std::int64_t>(right));
    }

    Value list_display(const Node& node) {
        ListValue items;
        for (const NodePtr& child : node.children) {
            items.push_back(visit(*child));
        }
        return items;
    }

    Value comprehension(const Node& node) {
        ListValue items = list(node.child(1));
        for (Value& item : items) {
            const Value variable = std::move(item);
            locals_.emplace_back(&node.text, &variable);
            item = visit(node.child(0));
            locals_.pop_back();
        }
        return items;
    }

    Value call(const Node& node) {
        std::vector<Value> arguments;
        for (const NodePtr& child : node.children) {
            arguments.push_back(visit(*child));
            if (const auto* items = std::get_if<ListValue>(&arguments.back().data)) {
                spend(*child, items->size());
            }
        }
        Value result = call_builtin(node.function, arguments);
        return node.type.is(Kind::floating) ? to_float(std::move(result))
                                            : result;  // of an empty list of floats
    }

    const Bindings& bindings_;
    std::vector<std::pair<const std::string*, const Value*>> locals_;
    std::int64_t steps_ = 0;
};

}  // namespace

Value evaluate_tree(const Node& root, const Bindings& bindings) { return Evaluator(bindings).visit(root); }

Value evaluate(const Expression& expression, const Bindings& bindings) {
    return evaluate_tree(expression.root(), bindings);
}

}  // namespace opweld::spec::expr
