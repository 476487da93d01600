// What holds for calls of an operator: `let`, constraints, reference, tags, autocast, batching.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "spec/expression.h"
#include "spec/names.h"
#include "spec/python_text.h"
#include "spec/sections.h"

namespace opweld::spec {
namespace {

bool has_floating_input(const Operator& op) {
    return std::any_of(op.inputs.begin(), op.inputs.end(), [](const InputDesc& input) {
        return input.types.dtypes.empty() || std::any_of(input.types.dtypes.begin(), input.types.dtypes.end(),
                                                         [](DType dtype) { return info(dtype).floating; });
    });
}

void add_constraint(OperatorContext& context, const Node& item, const expr::Scope& scope) {
    NodeReader& reader = context.reader;
    Constraint constraint;
    const Node* text = &item;
    if (item.is_scalar()) {
        constraint.expr = Expression{item.text, item.position_of(0), nullptr};
        context.out().report("OW309", item.span(), "a constraint without a message",
                             "{expr: ..., message: ...}");
    } else {
        if (!reader.check_map(item, constraint_keys(), item.at)) {
            return;
        }
        auto expression = reader.expression(item, constraint_keys(), "expr");
        if (!expression) {
            return;
        }
        constraint.expr = std::move(*expression);
        text = item.find("expr")->value.get();
        if (const auto message = reader.text(item, constraint_keys(), "message");
            message && !message->value.empty()) {
            constraint.message = message->value;
            constraint.message_given = true;
        } else if (item.find("message") == nullptr) {
            context.out().report("OW309", {constraint.expr.at, 1}, "a constraint without a message",
                                 "'message': what the caller reads");
        }
    }
    if (!constraint.message_given) {
        constraint.message = constraint.expr.text + " does not hold";
    }
    compile(constraint.expr, text, scope, expr::Type::boolean(), context.out());
    context.op.constraints.push_back(std::move(constraint));
}

void check_reference_names(OperatorContext& context, const Node& node) {
    const Operator& op = context.op;
    std::set<std::string, std::less<>> known = {"torch"};
    for (const InputDesc& input : op.inputs) {
        known.insert(input.name);
    }
    for (const AttrDesc& attr : op.attrs) {
        known.insert(attr.name);
    }
    const std::vector<std::string> names(known.begin(), known.end());
    for (const PythonName& item : undefined_names(op.reference, known)) {
        context.out().report("OW418", {node.position_of(item.offset), item.name.size()},
                             fmt::format("nothing here is called '{}'", item.name), join_words(names, "or"),
                             suggestion(item.name, names));
    }
}

}  // namespace

void read_lets(OperatorContext& context, expr::Scope& scope) {
    const NodePtr lets = context.reader.mapping(context.node, operator_keys(), "let");
    if (!lets) {
        return;
    }
    for (const MapEntry& entry : lets->entries) {
        const bool named = check_name(context.out(), {entry.key, entry.at}, "a let value");
        if (!entry.value->is_scalar()) {
            context.reader.wrong_kind(
                *entry.value, entry.key, "an expression",
                entry.value->is_sequence() ? "put the expression in double quotes" : "");
            scope.insert_or_assign(entry.key, expr::Type::error());
            continue;
        }
        Let let{entry.key, entry.at, Expression{entry.value->text, entry.value->position_of(0), nullptr}};
        const auto type = compile(let.expr, entry.value.get(), scope, std::nullopt, context.out());
        if (named) {
            scope.insert_or_assign(entry.key, type.value_or(expr::Type::error()));
        }
        context.op.lets.push_back(std::move(let));
    }
}

void read_constraints(OperatorContext& context, const expr::Scope& scope) {
    const NodePtr list = context.reader.sequence(context.node, operator_keys(), "constraints");
    if (!list) {
        return;
    }
    for (const NodePtr& item : list->items) {
        add_constraint(context, *item, scope);
    }
}

void read_reference(OperatorContext& context) {
    const auto reference = context.reader.text(context.node, operator_keys(), "reference");
    if (!reference) {
        return;
    }
    context.op.reference = reference->value;
    context.op.reference_at = reference->at;
    if (const auto at = unbalanced(reference->value)) {
        const Node& node = *context.node.find("reference")->value;
        context.out().report("OW418", {node.position_of(*at), 1},
                             fmt::format("'{}' has no counterpart", reference->value[*at]),
                             "a Python expression");
    } else if (reference->value.find_first_not_of(" \n") == std::string::npos) {
        context.out().report("OW418", {reference->at, 1}, "the reference is empty", "a Python expression");
    } else {
        check_reference_names(context, *context.node.find("reference")->value);
    }
}

void read_tags(OperatorContext& context) {
    const std::vector<std::string> known(torch_tags().begin(), torch_tags().end());
    for (const Located<std::string>& tag : context.reader.names(context.node, operator_keys(), "tags")) {
        if (std::find(known.begin(), known.end(), tag.value) == known.end()) {
            context.out().report("OW224", {tag.at, std::max<std::size_t>(tag.value.size(), 1)},
                                 fmt::format("there is no tag '{}'", tag.value), join_words(known, "or"),
                                 suggestion(tag.value, known));
        } else {
            context.op.tags.push_back(tag.value);
        }
    }
}

void read_autocast(OperatorContext& context) {
    const auto word = context.reader.word(context.node, operator_keys(), "autocast");
    if (!word) {
        return;
    }
    context.op.autocast = word->value == "lower"     ? Autocast::Lower
                          : word->value == "fp32"    ? Autocast::Fp32
                          : word->value == "promote" ? Autocast::Promote
                                                     : Autocast::None;
    if (context.op.autocast != Autocast::None && !has_floating_input(context.op)) {
        context.out().report("OW417", {word->at, word->value.size()}, "autocast has nothing to cast here",
                             "an input that can be a float");
    }
}

void read_batching(OperatorContext& context) {
    const MapEntry* entry = context.node.find("batching");
    if (entry == nullptr || (entry->value->is_scalar() && entry->value->text == "none")) {
        return;
    }
    const NodePtr map = context.reader.mapping(context.node, operator_keys(), "batching");
    if (!map) {
        return;
    }
    context.op.batching_given = true;
    for (const MapEntry& item : map->entries) {
        const auto input = context.op.find_input(item.key);
        const Span span{item.at, std::max<std::size_t>(item.key.size(), 1)};
        if (!input) {
            std::vector<std::string> names;
            for (const InputDesc& other : context.op.inputs) {
                names.push_back(other.name);
            }
            context.out().report("OW416", span, fmt::format("there is no input '{}'", item.key),
                                 names.empty() ? "a tensor input" : join_words(names, "or"),
                                 suggestion(item.key, names));
            continue;
        }
        const auto dim = context.reader.integer(*item.value);
        if (!dim) {
            context.out().report("OW416", item.value->span(),
                                 fmt::format("the batch dimension of '{}' is no whole number", item.key),
                                 "a dimension such as 0");
            continue;
        }
        context.op.batching.push_back({*input, *dim, item.at});
    }
}

}  // namespace opweld::spec
