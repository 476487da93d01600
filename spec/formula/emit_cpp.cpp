#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "spec/expr/binding.h"
#include "spec/formula/ast.h"
#include "spec/formula/formula.h"

namespace opweld::spec::formula {
namespace {

using expr::Binds;
using expr::in_brackets_below;
using expr::Text;

Binds binds_of(std::string_view op) {
    static constexpr std::pair<std::string_view, Binds> table[] = {
        {"||", Binds::disjunction}, {"&&", Binds::conjunction}, {"==", Binds::equality},
        {"!=", Binds::equality},    {"+", Binds::sum},          {"-", Binds::sum},
        {"*", Binds::product},      {"/", Binds::product},      {"%", Binds::product}};
    const auto* const found = std::find_if(std::begin(table), std::end(table),
                                           [&](const auto& entry) { return entry.first == op; });
    return found == std::end(table) ? Binds::relation : found->second;
}

class Emitter {
  public:
    explicit Emitter(const Names& names) : names_(names) {}

    // Where a tensor is wanted: absent ones become undefined.
    Text tensor(const Node& node) {
        if (node.kind == NodeKind::null) {
            return {"at::Tensor()"};
        }
        if (node.value == ValueKind::optional_tensor) {
            return {in_brackets_below(emit(node), Binds::postfix) + ".value_or(at::Tensor())"};
        }
        return emit(node);
    }

  private:
    std::string text(const Node& node) { return emit(node).text; }
    std::string operand(const Node& node, Binds least) { return in_brackets_below(emit(node), least); }

    std::string name(const Node& node) const {
        const auto renamed = names_.find(node.text);
        return renamed == names_.end() ? node.text : renamed->second;
    }

    std::string join(const Node& node, std::size_t first) {
        std::vector<std::string> items;
        for (std::size_t i = first; i < node.children.size(); ++i) {
            items.push_back(text(node.child(i)));
        }
        return fmt::format("{}", fmt::join(items, ", "));
    }

    Text emit(const Node& node) {
        switch (node.kind) {
            case NodeKind::number:
            case NodeKind::boolean:
                return {node.text};
            case NodeKind::string:
                return {'"' + node.text + '"'};
            case NodeKind::null:
                return {"std::nullopt"};
            case NodeKind::no_tensor:
                return {"at::Tensor()"};
            case NodeKind::constant:
                return {"at::" + node.text};
            case NodeKind::name:
                return node.present ? Text{"*" + name(node), Binds::unary} : Text{name(node)};
            case NodeKind::function:
                return {fmt::format("at::{}({})", node.text, join(node, 0))};
            case NodeKind::scalar:
                return {fmt::format("at::Scalar({})", text(node.child(0)))};
            case NodeKind::method:
                return method(node);
            case NodeKind::get:
                return {fmt::format("std::get<{}>({})", node.text, text(node.child(0)))};
            case NodeKind::index:
                return {fmt::format("{}[{}]", operand(node.child(0), Binds::postfix), text(node.child(1)))};
            case NodeKind::braces:
                return {fmt::format("{{{}}}", join(node, 0))};
            case NodeKind::unary: {
                const Text value = emit(node.child(0));
                return {node.text + in_brackets_below(value, Binds::postfix), Binds::unary};
            }
            case NodeKind::dereference:
                return {"*" + raw(node.child(0)), Binds::unary};
            case NodeKind::binary:
                return binary(node);
            case NodeKind::conditional:
                return conditional(node);
        }
        throw std::logic_error("a formula of an unknown kind");
    }

    // An optional value as such, even where it is known to be present.
    std::string raw(const Node& node) {
        return node.kind == NodeKind::name ? name(node) : operand(node, Binds::postfix);
    }

    Text method(const Node& node) {
        const Node& object = node.child(0);
        const bool optional_name =
            object.kind == NodeKind::name && (object.present || object.value == ValueKind::optional_tensor);
        const bool is_tensor =
            object.value == ValueKind::tensor || object.value == ValueKind::optional_tensor;
        if (is_presence_test(node) && optional_name && is_tensor) {
            // An undefined tensor is an absent one.
            return {fmt::format("{0}.has_value() && {0}->defined()", name(object)), Binds::conjunction};
        }
        const std::string call = fmt::format("{}({})", node.text, join(node, 1));
        if (is_presence_test(node) || node.text == "value" || node.text == "value_or") {
            return {raw(object) + "." + call};
        }
        if (object.present) {
            return {name(object) + "->" + call};
        }
        if (object.kind == NodeKind::dereference) {
            return {raw(object.child(0)) + "->" + call};
        }
        return {operand(object, Binds::postfix) + "." + call};
    }

    Text binary(const Node& node) {
        const Binds binds = binds_of(node.text);
        const auto tighter = static_cast<Binds>(static_cast<int>(binds) + 1);
        const bool logic = binds == Binds::disjunction || binds == Binds::conjunction;
        const bool left_to_right = logic || binds == Binds::sum || binds == Binds::product;
        const auto side = [&](const Node& child, Binds least) {
            const Text part = emit(child);
            // Compilers ask for brackets around && within ||.
            const bool mixed = logic && part.binds != binds && part.binds <= Binds::conjunction;
            return mixed ? "(" + part.text + ")" : in_brackets_below(part, least);
        };
        return {fmt::format("{} {} {}", side(node.child(0), left_to_right ? binds : tighter), node.text,
                            side(node.child(1), tighter)),
                binds};
    }

    Text conditional(const Node& node) {
        const auto branch = [&](const Node& child) {
            return in_brackets_below(node.value == ValueKind::tensor ? tensor(child) : emit(child),
                                     Binds::disjunction);
        };
        return {fmt::format("{} ? {} : {}", operand(node.child(0), Binds::disjunction), branch(node.child(1)),
                            branch(node.child(2))),
                Binds::conditional};
    }

    const Names& names_;
};

}  // namespace

std::string emit_cpp(const Formula& formula, const Names& names) {
    return Emitter(names).tensor(formula.root()).text;
}

}  // namespace opweld::spec::formula
