#include "spec/expr/constants.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "spec/expr/evaluator.h"

namespace opweld::spec::expr {
namespace {

bool is_foldable(const Node& node) {
    const Kind kind = node.type.kind();
    const bool scalar = kind == Kind::integer || kind == Kind::floating || kind == Kind::boolean ||
                        kind == Kind::string || kind == Kind::dtype;
    return scalar && std::all_of(node.children.begin(), node.children.end(), [](const NodePtr& child) {
               return child->folded || (child->kind == NodeKind::to_float && child->child(0).folded);
           });
}

NodePtr literal(const Node& node, const Value& value) {
    auto result = std::make_unique<Node>();
    result->span = node.span;
    result->type = node.type.as_symbolic(false);
    result->folded = true;
    if (const auto* integer = std::get_if<std::int64_t>(&value.data)) {
        result->kind = NodeKind::integer;
        result->integer = *integer;
    } else if (const auto* floating = std::get_if<double>(&value.data)) {
        result->kind = NodeKind::floating;
        result->floating = *floating;
    } else if (const auto* boolean = std::get_if<bool>(&value.data)) {
        result->kind = NodeKind::boolean;
        result->boolean = *boolean;
    } else if (const auto* string = std::get_if<std::string>(&value.data)) {
        result->kind = NodeKind::string;
        result->text = *string;
    } else {
        result->kind = NodeKind::dtype;
        result->dtype = std::get<DType>(value.data);
    }
    return result;
}

}  // namespace

void fold(NodePtr& node, Report& report) {
    if (!is_foldable(*node)) {
        return;
    }
    try {
        const Value value = evaluate_tree(*node, {});
        const auto* floating = std::get_if<double>(&value.data);
        if (floating != nullptr && !std::isfinite(*floating)) {
            throw EvaluationError(node->span, "it is too large for a float");
        }
        node = literal(*node, value);
    } catch (const EvaluationError& error) {
        report(node->span, std::string("this has no value: ") + error.what());
        node->type = Type::error();
    }
}

}  // namespace opweld::spec::expr
