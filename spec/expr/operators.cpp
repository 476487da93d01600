#include <fmt/format.h>

#include "spec/expr/calls.h"

namespace opweld::spec::expr {
namespace {

bool require_number(NodePtr& node, Op op, Report& report) {
    if (!report.require_present(*node)) {
        return false;
    }
    if (node->type.is(Kind::scalar)) {
        convert(node, Type::floating());
    }
    if (node->type.is_number()) {
        return true;
    }
    std::string hint;
    if (op == Op::multiply && node->type.is(Kind::list)) {
        hint = "to repeat an item write [item for i in range(n)]";
    } else if (node->type.is(Kind::boolean)) {
        hint = "write '1 if ... else 0'";
    } else if (op == Op::mod && node->type.is(Kind::string)) {
        hint = "strings can only be compared";
    }
    const std::string_view name = op == Op::none ? "-" : op_text(op);
    report(node->span,
           fmt::format("'{}' needs numbers, '{}' is {}", name, report.text_of(*node), node->type.described()),
           std::move(hint));
    return false;
}

void check_concatenation(Node& node, Report& report) {
    NodePtr& left = node.children[0];
    NodePtr& right = node.children[1];
    node.type = Type::error();
    if (!report.require_present(*left) || !report.require_present(*right)) {
        return;
    }
    if (!left->type.is(Kind::list) || !right->type.is(Kind::list)) {
        const NodePtr& other = left->type.is(Kind::list) ? right : left;
        report(other->span,
               fmt::format("a list can only be joined with a list, '{}' is {}", report.text_of(*other),
                           other->type.described()),
               fmt::format("write [{}]", report.text_of(*other)));
        return;
    }
    const std::optional<Type> type = common_type(left->type, right->type);
    if (!type || !is_plain(*type)) {
        report(node.span,
               fmt::format("{} cannot be joined with {}", left->type.described(), right->type.described()));
        return;
    }
    convert(left, *type);
    convert(right, *type);
    node.type = *type;
}

bool needs_order(Op op) { return op == Op::lt || op == Op::le || op == Op::gt || op == Op::ge; }

bool check_membership(Node& node, Report& report) {
    NodePtr& value = node.children[0];
    NodePtr& list = node.children[1];
    if (!report.require_present(*value) || !report.require_present(*list)) {
        return false;
    }
    if (!list->type.is(Kind::list)) {
        report(list->span,
               fmt::format("'{}' needs a list, '{}' is {}", op_text(node.op), report.text_of(*list),
                           list->type.described()),
               list->type.is(Kind::string) ? "strings can only be compared with '=='" : "");
        return false;
    }
    if (value->type.is(Kind::scalar)) {
        convert(value, Type::floating());
    }
    if (value->type.is(Kind::floating) && list->kind == NodeKind::list &&
        list->type.is_list_of(Kind::integer)) {
        convert(list, Type::list(Type::floating()));
    }
    if (list->type.is_list_of(Kind::never) && is_plain(value->type)) {
        convert(list, Type::list(value->type));
    }
    if (!is_plain(list->type) || !convert(value, list->type.element())) {
        report(node.span, fmt::format("{} cannot be in {}", value->type.described(), list->type.described()));
        return false;
    }
    return true;
}

}  // namespace

void check_arithmetic(Node& node, Report& report) {
    if (node.op == Op::add &&
        (node.children[0]->type.is(Kind::list) || node.children[1]->type.is(Kind::list))) {
        check_concatenation(node, report);
        return;
    }
    bool good = true;
    bool floating = false;
    for (NodePtr& child : node.children) {
        good = require_number(child, node.op, report) && good;
        floating = floating || child->type.is(Kind::floating);
    }
    node.type = Type::error();
    if (!good) {
        return;
    }
    if (node.op == Op::divide && !floating) {
        report(node.span, "'/' divides floats, these are ints",
               "write '//' to round down or ceil_div(a, b) to round up");
        return;
    }
    if ((node.op == Op::floor_div || node.op == Op::mod) && floating) {
        report(node.span, fmt::format("'{}' divides ints, one of these is a float", op_text(node.op)));
        return;
    }
    if (!floating) {
        node.type = Type::integer().as_symbolic(any_symbolic(node));
        return;
    }
    node.type = Type::floating();
    for (NodePtr& child : node.children) {
        convert(child, node.type);
    }
}

void check_comparison(Node& node, Report& report) {
    node.type = Type::error();
    if (node.op == Op::in || node.op == Op::not_in) {
        if (check_membership(node, report)) {
            node.type = Type::boolean().as_symbolic(any_symbolic(node));
        }
        return;
    }
    NodePtr& left = node.children[0];
    NodePtr& right = node.children[1];
    for (const NodePtr* side : {&left, &right}) {
        if ((*side)->kind == NodeKind::none) {
            report(node.span, fmt::format("'{}' does not compare with None", op_text(node.op)),
                   node.op == Op::ne ? "write 'is not None'" : "write 'is None'");
            return;
        }
    }
    const bool left_present = report.require_present(*left);
    if (!report.require_present(*right) || !left_present) {
        return;
    }
    std::optional<Type> type = common_type(left->type, right->type);
    if (type && type->is(Kind::scalar)) {
        type = Type::floating();
    }
    if (!type || !(needs_order(node.op) ? type->is_number() : is_plain(*type))) {
        const bool tensors = left->type.is(Kind::tensor) || right->type.is(Kind::tensor);
        report(node.span,
               fmt::format("'{}' does not compare {} with {}", op_text(node.op), left->type.described(),
                           right->type.described()),
               tensors ? "compare their .shape, .ndim or .dtype" : "");
        return;
    }
    convert(left, *type);
    convert(right, *type);
    node.type = Type::boolean().as_symbolic(any_symbolic(node));
}

}  // namespace opweld::spec::expr
