// Reports of the checker, and the implicit conversions of the language.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/expr/ast.h"

namespace opweld::spec::expr {

// Collects faults; keeps the text for their messages.
class Report {
  public:
    Report(std::string_view text, std::vector<Diagnostic>& errors) : text_(text), errors_(errors) {}

    void operator()(Span span, std::string message, std::string hint = {});
    std::string_view text_of(const Node& node) const;

    // False, with a report, where the value may be None or is; false without one where it has been reported.
    bool require_present(const Node& node);

  private:
    std::string_view text_;
    std::vector<Diagnostic>& errors_;
};

// A node around `child`, with its span.
NodePtr wrap(NodeKind kind, NodePtr child, Type type);

// The type both convert to. An int beside a float becomes a float, a value beside None an optional one.
std::optional<Type> common_type(const Type& a, const Type& b);

// Makes `node` one of `type`, if the language converts it by itself; else leaves it and returns false.
bool convert(NodePtr& node, const Type& type);

bool any_symbolic(const Node& node);  // of the children

// What a list may hold and `==` may compare: numbers, bools, strings, dtypes, lists of these.
bool is_plain(const Type& type);

}  // namespace opweld::spec::expr
