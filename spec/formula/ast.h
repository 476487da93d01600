// The syntax tree of a formula.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "spec/expr/diagnostic.h"

namespace opweld::spec::formula {

using expr::Span;

enum class NodeKind : std::uint8_t {
    number,       // text, as written
    string,       // text: what it says
    boolean,      // text: true or false
    null,         // std::nullopt
    no_tensor,    // Tensor()
    constant,     // text: at::kFloat, at::Reduction::Mean ...
    name,         // text: of the scope
    function,     // text: without at::; children: arguments
    scalar,       // Scalar(x); children: the number
    method,       // text; children: object, arguments
    get,          // std::get<text>(x); children: x
    index,        // children: object, index
    braces,       // children: items
    unary,        // text: - or !; children: operand
    dereference,  // *x; children: an optional value
    binary,       // text: the operator; children: left, right
    conditional   // children: condition, then, else
};

// What is known of a value; enough to tell optional values and whole numbers.
enum class ValueKind : std::uint8_t { other, tensor, optional_tensor, optional, integer };

struct Node;
using NodePtr = std::unique_ptr<Node>;

struct Node {
    NodeKind kind = NodeKind::null;
    Span span;
    std::string text;
    std::vector<NodePtr> children;
    ValueKind value = ValueKind::other;
    bool present = false;  // of a name: optional, and known to be present here
    int depth = 1;

    const Node& child(std::size_t index) const { return *children[index]; }
    // A method without arguments.
    bool is_query(std::string_view name) const {
        return kind == NodeKind::method && text == name && children.size() == 1;
    }
};

// Whether the node says that its object is there: x.has_value(), x.defined().
inline bool is_presence_test(const Node& node) {
    return node.is_query("has_value") || node.is_query("defined");
}

// x.options(), x.options().dtype(...), x.options().device(...): what the TensorOptions of a new tensor are
// made of.
bool is_options(const Node& node);

}  // namespace opweld::spec::formula
