#include "spec/formula/unknown_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "spec/expr/expression.h"
#include "spec/formula/ast.h"
#include "spec/formula/aten_names.h"

namespace opweld::spec::formula {
namespace {

// What Python writes as a method and C++ as a conversion.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> conversions{
    {{"float", "at::kFloat"},
     {"double", "at::kDouble"},
     {"half", "at::kHalf"},
     {"bfloat16", "at::kBFloat16"},
     {"int", "at::kInt"},
     {"long", "at::kLong"},
     {"bool", "at::kBool"},
     {"char", "at::kChar"}}};

bool is_surely_tensor(const Node& node) {
    if (node.value != ValueKind::tensor) {
        return false;
    }
    switch (node.kind) {
        case NodeKind::function: {
            const AtenName* function = find_aten_function(node.text);
            return function != nullptr && function->tensor;
        }
        case NodeKind::method: {
            const AtenName* method = find_tensor_method(node.text);
            return method != nullptr && method->tensor;
        }
        case NodeKind::name:
        case NodeKind::unary:
        case NodeKind::binary:
            return true;
        default:
            return false;
    }
}

class Finder {
  public:
    explicit Finder(const Formula& formula) : text_(formula.text()) { visit(formula.root()); }

    std::vector<Diagnostic> found() && {
        std::stable_sort(found_.begin(), found_.end(), [](const Diagnostic& a, const Diagnostic& b) {
            return a.span.offset < b.span.offset;
        });
        return std::move(found_);
    }

  private:
    void visit(const Node& node) {
        if (node.kind == NodeKind::function && find_aten_function(node.text) == nullptr) {
            report_function(node);
        } else if (node.kind == NodeKind::method && is_method_of_tensor(node) &&
                   find_tensor_method(node.text) == nullptr) {
            report_method(node);
        }
        for (const NodePtr& child : node.children) {
            visit(*child);
        }
    }

    static bool is_method_of_tensor(const Node& node) {
        const bool unwraps = node.text == "value" || node.text == "value_or" || node.text == "has_value";
        return !unwraps && is_surely_tensor(node.child(0));
    }

    void report_function(const Node& node) {
        const std::size_t end = text_.find(node.text, node.span.offset) + node.text.size();
        std::string hint;
        if (find_tensor_method(node.text) != nullptr) {
            hint = node.children.empty()
                       ? fmt::format("it is a method: write x.{}()", node.text)
                       : fmt::format("it is a method: write {}.{}(...)", text_of(node.child(0)), node.text);
        } else if (const auto near = expr::nearest_name(node.text, aten_functions())) {
            hint = fmt::format("did you mean 'at::{}'?", *near);
        }
        found_.push_back({{node.span.offset, end - node.span.offset},
                          fmt::format("ATen has no function '{}'", node.text),
                          std::move(hint)});
    }

    void report_method(const Node& node) {
        const std::size_t offset = text_.find(node.text, node.child(0).span.end());
        found_.push_back({{offset, node.text.size()},
                          fmt::format("a tensor has no method '{}'", node.text),
                          hint_for_method(node)});
    }

    std::string hint_for_method(const Node& node) const {
        const auto* conversion = std::find_if(conversions.begin(), conversions.end(),
                                              [&](const auto& row) { return row.first == node.text; });
        if (conversion != conversions.end()) {
            return fmt::format("write .to({})", conversion->second);
        }
        if (find_aten_function(node.text) != nullptr) {
            return fmt::format("it is a function: write at::{}({}{})", node.text, text_of(node.child(0)),
                               node.children.size() > 1 ? ", ..." : "");
        }
        const auto near = expr::nearest_name(node.text, tensor_methods());
        return near ? fmt::format("did you mean '{}'?", *near) : std::string{};
    }

    std::string_view text_of(const Node& node) const {
        return std::string_view(text_).substr(node.span.offset, node.span.length);
    }

    const std::string& text_;
    std::vector<Diagnostic> found_;
};

}  // namespace

std::vector<Diagnostic> unknown_calls(const Formula& formula) { return Finder(formula).found(); }

}  // namespace opweld::spec::formula
