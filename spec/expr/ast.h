// The syntax tree of an expression. The parser makes it, the checker completes it (types, conversions,
// unwrapping of optional values), evaluation and emitters read it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "opweld/expr/dtype.h"
#include "spec/expr/diagnostic.h"
#include "spec/expr/functions.h"
#include "spec/expr/type.h"

namespace opweld::spec::expr {

enum class NodeKind : std::uint8_t {
    integer,   // integer
    floating,  // floating
    boolean,   // boolean
    string,    // text
    none,
    dtype,            // dtype
    name,             // text
    shape,            // children: tensor
    ndim,             // children: tensor
    dtype_of_tensor,  // children: tensor
    index,            // children: list, index
    slice,            // children: list, start (may be null), stop (may be null)
    negate,           // children: number
    logical_not,      // children: bool
    arithmetic,       // op; children: left, right
    compare,          // op; children: left, right
    logical_and,      // children: left, right
    logical_or,       // children: left, right
    conditional,      // children: condition, then, else
    is_none,          // children: value; boolean: true for `is not None`
    list,             // children: items
    comprehension,    // text: loop variable; children: item, list
    call,             // function; children: arguments
    attribute,        // text; children: value. Between parser and checker only
    named_call,       // text, boolean: written with `$`; children: arguments. Between parser and checker only
    // What only the checker inserts; the span is that of the child.
    unwrap,      // children: an optional value that is present here
    to_float,    // children: an int or a Scalar
    to_optional  // children: a value or None
};

enum class Op : std::uint8_t {
    none,
    add,
    subtract,
    multiply,
    divide,
    floor_div,
    mod,
    eq,
    ne,
    lt,
    le,
    gt,
    ge,
    in,
    not_in
};

// As it is written, in Python.
std::string_view op_text(Op op);

struct Node;
using NodePtr = std::unique_ptr<Node>;

struct Node {
    NodeKind kind = NodeKind::none;
    Op op = Op::none;
    Function function = Function::len;
    bool boolean = false;
    bool folded = false;   // a literal, or computed from literals only
    bool chained = false;  // has a < b < c in it
    int depth = 1;         // of the tree from here on
    Span span;
    Type type;
    std::int64_t integer = 0;
    double floating = 0;
    opweld::expr::DType dtype = opweld::expr::DType::float32;
    std::string text;
    std::vector<NodePtr> children;

    const Node& child(std::size_t index) const { return *children[index]; }
};

// Expressions nested deeper, or longer, than this are refused.
inline constexpr int max_depth = 200;
inline constexpr std::size_t max_text_length = 16 * 1024;

NodePtr clone(const Node& node);

// The tree as text with every group in brackets: two trees are equal exactly if their texts are.
std::string canonical_text(const Node& node);

}  // namespace opweld::spec::expr
