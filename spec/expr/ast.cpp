#include "spec/expr/ast.h"

#include <fmt/format.h>

namespace opweld::spec::expr {

std::string_view op_text(Op op) {
    switch (op) {
        case Op::none:
            break;
        case Op::add:
            return "+";
        case Op::subtract:
            return "-";
        case Op::multiply:
            return "*";
        case Op::divide:
            return "/";
        case Op::floor_div:
            return "//";
        case Op::mod:
            return "%";
        case Op::eq:
            return "==";
        case Op::ne:
            return "!=";
        case Op::lt:
            return "<";
        case Op::le:
            return "<=";
        case Op::gt:
            return ">";
        case Op::ge:
            return ">=";
        case Op::in:
            return "in";
        case Op::not_in:
            return "not in";
    }
    return "";
}

NodePtr clone(const Node& node) {
    auto copy = std::make_unique<Node>();
    copy->kind = node.kind;
    copy->op = node.op;
    copy->function = node.function;
    copy->boolean = node.boolean;
    copy->folded = node.folded;
    copy->chained = node.chained;
    copy->depth = node.depth;
    copy->span = node.span;
    copy->type = node.type;
    copy->integer = node.integer;
    copy->floating = node.floating;
    copy->dtype = node.dtype;
    copy->text = node.text;
    for (const NodePtr& child : node.children) {
        copy->children.push_back(child ? clone(*child) : nullptr);
    }
    return copy;
}

std::string canonical_text(const Node& node) {
    std::string text =
        fmt::format("({} {} {} {} {} {}", static_cast<int>(node.kind), static_cast<int>(node.op),
                    static_cast<int>(node.function), node.boolean, node.integer, node.floating);
    text += fmt::format(" {} {}:{}", static_cast<int>(node.dtype), node.text.size(), node.text);
    for (const NodePtr& child : node.children) {
        text += child ? canonical_text(*child) : "()";
    }
    text += ')';
    return text;
}

}  // namespace opweld::spec::expr
