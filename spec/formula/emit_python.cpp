#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "spec/expr/binding.h"
#include "spec/formula/ast.h"
#include "spec/formula/constants.h"
#include "spec/formula/formula.h"
#include "spec/formula/python_names.h"

namespace opweld::spec::formula {
namespace {

using expr::Binds;
using expr::in_brackets_below;
using expr::Text;

struct Operator {
    std::string_view cpp;
    std::string_view python;
    Binds binds;
};

constexpr Operator operators[] = {
    {"||", "or", Binds::disjunction}, {"&&", "and", Binds::conjunction}, {"==", "==", Binds::comparison},
    {"!=", "!=", Binds::comparison},  {"<", "<", Binds::comparison},     {"<=", "<=", Binds::comparison},
    {">", ">", Binds::comparison},    {">=", ">=", Binds::comparison},   {"+", "+", Binds::sum},
    {"-", "-", Binds::sum},           {"*", "*", Binds::product},        {"/", "/", Binds::product},
    {"%", "%", Binds::product}};

class Emitter {
  public:
    explicit Emitter(const Names& names) : names_(names) {}

    Text emit(const Node& node) {
        switch (node.kind) {
            case NodeKind::number:
                return {node.text};
            case NodeKind::boolean:
                return {node.text == "true" ? "True" : "False"};
            case NodeKind::string:
                return {'"' + node.text + '"'};
            case NodeKind::null:
            case NodeKind::no_tensor:
                return {"None"};
            case NodeKind::constant:
                return {std::string(find_constant(node.text)->python)};
            case NodeKind::name: {
                const auto renamed = names_.find(node.text);
                return {renamed == names_.end() ? node.text : renamed->second};
            }
            case NodeKind::function:
                return {fmt::format("{}({})", python_function(node.text), arguments(node, 0))};
            case NodeKind::scalar:
            case NodeKind::dereference:
                return emit(node.child(0));
            case NodeKind::method:
                return method(node);
            case NodeKind::get:
                return {fmt::format("{}[{}]", operand(node.child(0), Binds::postfix), node.text)};
            case NodeKind::index:
                return {fmt::format("{}[{}]", operand(node.child(0), Binds::postfix), text(node.child(1)))};
            case NodeKind::braces:
                return {fmt::format("[{}]", arguments(node, 0))};
            case NodeKind::unary:
                if (node.text == "!") {
                    return {"not " + operand(node.child(0), Binds::negation), Binds::negation};
                }
                return {"-" + operand(node.child(0), Binds::postfix), Binds::unary};
            case NodeKind::binary:
                return binary(node);
            case NodeKind::conditional:
                return {fmt::format("{} if {} else {}", operand(node.child(1), Binds::disjunction),
                                    operand(node.child(0), Binds::disjunction), text(node.child(2))),
                        Binds::conditional};
        }
        throw std::logic_error("a formula of an unknown kind");
    }

  private:
    std::string text(const Node& node) { return emit(node).text; }
    std::string operand(const Node& node, Binds least) { return in_brackets_below(emit(node), least); }

    // TensorOptions as keyword arguments.
    std::string options(const Node& node) {
        std::string dtype;
        std::string device;
        const Node* part = &node;
        for (; part->text != "options"; part = &part->child(0)) {
            std::string& target = part->text == "dtype" ? dtype : device;
            target = target.empty() ? text(part->child(1)) : target;
        }
        const std::string tensor = operand(part->child(0), Binds::postfix);
        return fmt::format("dtype={}, device={}", dtype.empty() ? tensor + ".dtype" : dtype,
                           device.empty() ? tensor + ".device" : device);
    }

    // The children from `first` on.
    std::string arguments(const Node& node, std::size_t first) {
        std::optional<KeywordArguments> keywords;
        if (node.kind == NodeKind::function || node.kind == NodeKind::method) {
            keywords = keyword_arguments(node.text);
        }
        std::vector<std::string> items;
        for (std::size_t i = first; i < node.children.size(); ++i) {
            const Node& child = node.child(i);
            if (is_options(child)) {
                items.push_back(options(child));
            } else if (keywords && i >= keywords->first && i - keywords->first < keywords->names.size()) {
                items.push_back(fmt::format("{}={}", keywords->names[i - keywords->first], text(child)));
            } else {
                items.push_back(text(child));
            }
        }
        return fmt::format("{}", fmt::join(items, ", "));
    }

    Text method(const Node& node) {
        const Node& object = node.child(0);
        if (is_presence_test(node)) {
            return {operand(object, Binds::sum) + " is not None", Binds::comparison};
        }
        if (node.text == "value" && node.children.size() == 1) {
            return emit(object);
        }
        if (node.text == "value_or" && node.children.size() == 2) {
            const std::string value = operand(object, Binds::sum);
            return {fmt::format("{0} if {0} is not None else {1}", value, text(node.child(1))),
                    Binds::conditional};
        }
        const std::string target = operand(object, Binds::postfix);
        if (const auto query = python_query(node.text); query && node.children.size() == 1) {
            return {target + std::string(*query)};
        }
        if (node.text == "slice") {
            return {fmt::format("torch.ops.aten.slice({}, {})", target, arguments(node, 1))};
        }
        return {fmt::format("{}.{}({})", target, python_method(node.text), arguments(node, 1))};
    }

    Text binary(const Node& node) {
        const Operator& op = *std::find_if(std::begin(operators), std::end(operators),
                                           [&](const Operator& entry) { return entry.cpp == node.text; });
        const auto tighter = static_cast<Binds>(static_cast<int>(op.binds) + 1);
        const bool whole = node.text == "/" && node.value == ValueKind::integer;  // as C++ divides ints
        const Binds left = op.binds == Binds::comparison ? tighter : op.binds;
        return {fmt::format("{} {} {}", operand(node.child(0), left), whole ? "//" : op.python,
                            operand(node.child(1), tighter)),
                op.binds};
    }

    const Names& names_;
};

}  // namespace

std::string emit_python(const Formula& formula, const Names& names) {
    return Emitter(names).emit(formula.root()).text;
}

}  // namespace opweld::spec::formula
