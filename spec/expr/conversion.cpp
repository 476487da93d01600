#include "spec/expr/conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace opweld::spec::expr {

void Report::operator()(Span span, std::string message, std::string hint) {
    errors_.push_back({span, std::move(message), std::move(hint)});
}

std::string_view Report::text_of(const Node& node) const {
    return text_.substr(node.span.offset, node.span.length);
}

bool Report::require_present(const Node& node) {
    if (node.type.is(Kind::optional)) {
        const std::string_view text = text_of(node);
        (*this)(
            node.span, fmt::format("'{}' may be None here", text),
            fmt::format("test it first: '{0} is None or ...', or '... if {0} is not None else ...'", text));
        return false;
    }
    if (node.type.is(Kind::none)) {
        (*this)(node.span,
                node.kind == NodeKind::none ? "None is not a value to compute with"
                                            : fmt::format("'{}' is None here", text_of(node)),
                "None can be tested for with 'is None' and 'is not None'");
        return false;
    }
    return !node.type.is(Kind::error);
}

NodePtr wrap(NodeKind kind, NodePtr child, Type type) {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->span = child->span;
    node->depth = child->depth + 1;
    node->type = std::move(type);
    node->children.push_back(std::move(child));
    return node;
}

std::optional<Type> common_type(const Type& a, const Type& b) {
    const bool symbolic = a.symbolic() || b.symbolic();
    if (a.is(Kind::error) || b.is(Kind::error)) {
        return Type::error();
    }
    if (a.is(Kind::never) || b.is(Kind::never)) {
        return a.is(Kind::never) ? b : a;
    }
    if (a == b) {
        return a.as_symbolic(symbolic);
    }
    if (a.is_number() && b.is_number()) {
        return Type::floating();
    }
    if (a.is(Kind::none) || b.is(Kind::none)) {
        return Type::optional(a.is(Kind::none) ? b : a);
    }
    if (a.is(Kind::optional) || b.is(Kind::optional)) {
        const std::optional<Type> inner =
            common_type(a.is(Kind::optional) ? a.element() : a, b.is(Kind::optional) ? b.element() : b);
        return inner ? std::optional(Type::optional(*inner)) : std::nullopt;
    }
    if (a.is(Kind::list) && b.is(Kind::list) && !a.element().is_number() && !b.element().is_number()) {
        const std::optional<Type> element = common_type(a.element(), b.element());
        return element ? std::optional(Type::list(*element)) : std::nullopt;
    }
    if (a.is(Kind::list) && b.is(Kind::list) && (a.is_list_of(Kind::never) || b.is_list_of(Kind::never))) {
        return a.is_list_of(Kind::never) ? b : a;
    }
    return std::nullopt;
}

bool convert(NodePtr& node, const Type& type) {
    if (node->type.is(Kind::error) || type.is(Kind::error)) {
        return true;
    }
    if (node->kind == NodeKind::list && type.is(Kind::list)) {
        const bool good = std::all_of(node->children.begin(), node->children.end(),
                                      [&](NodePtr& child) { return convert(child, type.element()); });
        if (good) {
            node->type = type.as_symbolic(type.symbolic() || node->type.symbolic());
        }
        return good;
    }
    if (node->type == type) {
        return true;
    }
    if (type.is(Kind::floating) && node->type.is_number()) {
        if (node->kind == NodeKind::integer) {
            node->kind = NodeKind::floating;
            node->floating = static_cast<double>(node->integer);
            node->type = type;
        } else {
            node = wrap(NodeKind::to_float, std::move(node), type);
        }
        return true;
    }
    if (type.is(Kind::optional) && !node->type.is(Kind::optional)) {
        if (!node->type.is(Kind::none) && !convert(node, type.element())) {
            return false;
        }
        const bool symbolic = node->type.symbolic() || type.symbolic();
        node = wrap(NodeKind::to_optional, std::move(node), type.as_symbolic(symbolic));
        return true;
    }
    return false;
}

bool any_symbolic(const Node& node) {
    return std::any_of(node.children.begin(), node.children.end(),
                       [](const NodePtr& child) { return child && child->type.symbolic(); });
}

bool is_plain(const Type& type) {
    switch (type.kind()) {
        case Kind::integer:
        case Kind::floating:
        case Kind::boolean:
        case Kind::string:
        case Kind::dtype:
        case Kind::never:
            return true;
        case Kind::list:
            return is_plain(type.element());
        default:
            return false;
    }
}

}  // namespace opweld::spec::expr
