#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "spec/expr/ast.h"
#include "spec/expr/binding.h"
#include "spec/expr/emit.h"

namespace opweld::spec::expr {
namespace {

std::string python_string(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
            result += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
        } else {
            result += c;
        }
    }
    return result + '"';
}

class Emitter {
  public:
    explicit Emitter(const EmitOptions& options) : options_(options) {}

    // torch.Size is a tuple: where it is not just read, it is made a list.
    Text emit(const Node& node) {
        switch (node.kind) {
            case NodeKind::integer:
                return {fmt::format("{}", node.integer), node.integer < 0 ? Binds::unary : Binds::postfix};
            case NodeKind::floating: {
                std::string text = fmt::format("{}", node.floating);
                text += text.find_first_not_of("-0123456789") == std::string::npos ? ".0" : "";
                return {text, node.floating < 0 ? Binds::unary : Binds::postfix};
            }
            case NodeKind::boolean:
                return {node.boolean ? "True" : "False"};
            case NodeKind::string:
                return {python_string(node.text)};
            case NodeKind::none:
                return {"None"};
            case NodeKind::dtype:
                return {fmt::format("torch.{}", opweld::expr::dtype_name(node.dtype))};
            case NodeKind::name:
                return {name(node.text)};
            case NodeKind::shape:
                return {fmt::format("list({})", shape(node))};
            case NodeKind::ndim:
                return {operand(node.child(0), Binds::postfix) + ".ndim"};
            case NodeKind::dtype_of_tensor:
                return {operand(node.child(0), Binds::postfix) + ".dtype"};
            case NodeKind::index:
                return {fmt::format("{}[{}]", read_only(node.child(0), Binds::postfix), text(node.child(1)))};
            case NodeKind::slice:
                return slice(node);
            case NodeKind::negate:
                return {"-" + operand(node.child(0), Binds::postfix), Binds::unary};
            case NodeKind::logical_not:
                return {"not " + operand(node.child(0), Binds::negation), Binds::negation};
            case NodeKind::arithmetic: {
                const bool is_sum = node.op == Op::add || node.op == Op::subtract;
                return infix(node, op_text(node.op), is_sum ? Binds::sum : Binds::product);
            }
            case NodeKind::compare:
                return comparison(node);
            case NodeKind::logical_and:
                return infix(node, "and", Binds::conjunction);
            case NodeKind::logical_or:
                return infix(node, "or", Binds::disjunction);
            case NodeKind::conditional:
                return {fmt::format("{} if {} else {}", operand(node.child(1), Binds::disjunction),
                                    operand(node.child(0), Binds::disjunction), text(node.child(2))),
                        Binds::conditional};
            case NodeKind::is_none:
                return {fmt::format("{} {} None", operand(node.child(0), Binds::sum),
                                    node.boolean ? "is not" : "is"),
                        Binds::comparison};
            case NodeKind::list:
                return {fmt::format("[{}]", arguments(node))};
            case NodeKind::comprehension:
                return {fmt::format("[{} for {} in {}]", text(node.child(0)), node.text,
                                    loop_source(node.child(1)))};
            case NodeKind::call:
                return call(node);
            case NodeKind::unwrap:
            case NodeKind::to_float:
            case NodeKind::to_optional:
                return emit(node.child(0));
            case NodeKind::attribute:
            case NodeKind::named_call:
                break;
        }
        throw std::logic_error("an expression that was not checked cannot be emitted");
    }

  private:
    std::string text(const Node& node) { return emit(node).text; }
    std::string operand(const Node& node, Binds least) { return in_brackets_below(emit(node), least); }

    std::string name(const std::string& text) const {
        const auto renamed = options_.names.find(text);
        return renamed == options_.names.end() ? text : renamed->second;
    }

    std::string shape(const Node& node) { return operand(node.child(0), Binds::postfix) + ".shape"; }

    std::string read_only(const Node& node, Binds least) {
        return node.kind == NodeKind::shape ? shape(node) : operand(node, least);
    }

    std::string loop_source(const Node& node) {
        const bool is_range = node.kind == NodeKind::call && node.function == Function::range;
        return is_range ? plain_call(node) : read_only(node, Binds::disjunction);
    }

    Text slice(const Node& node) {
        const std::string start = node.children[1] ? text(node.child(1)) : "";
        const std::string stop = node.children[2] ? text(node.child(2)) : "";
        const std::string all =
            fmt::format("{}[{}:{}]", read_only(node.child(0), Binds::postfix), start, stop);
        return {node.child(0).kind == NodeKind::shape ? fmt::format("list({})", all) : all};
    }

    Text infix(const Node& node, std::string_view op, Binds binds) {
        return {fmt::format("{} {} {}", operand(node.child(0), binds), op,
                            operand(node.child(1), tighter(binds))),
                binds};
    }

    Text comparison(const Node& node) {
        const bool membership = node.op == Op::in || node.op == Op::not_in;
        const std::string left = operand(node.child(0), Binds::sum);
        const std::string right =
            membership ? read_only(node.child(1), Binds::sum) : operand(node.child(1), Binds::sum);
        return {fmt::format("{} {} {}", left, op_text(node.op), right), Binds::comparison};
    }

    std::string arguments(const Node& node) {
        std::vector<std::string> items;
        for (const NodePtr& child : node.children) {
            items.push_back(node.kind == NodeKind::call ? read_only(*child, Binds::conditional)
                                                        : text(*child));
        }
        return fmt::format("{}", fmt::join(items, ", "));
    }

    std::string plain_call(const Node& node) {
        const bool shadowed = node.boolean;  // written as $name: the plain name may be the operator's
        return fmt::format("{}{}({})", shadowed ? "_functions." : "", info(node.function).name,
                           arguments(node));
    }

    Text call(const Node& node) {
        const std::string text = plain_call(node);
        return {node.function == Function::range ? fmt::format("list({})", text) : text};
    }

    const EmitOptions& options_;
};

constexpr std::string_view prelude = R"(import math
import types

import torch


def prod(values):
    return math.prod(values)


def broadcast(*shapes):
    """The shape that all the shapes broadcast to."""
    return list(torch.broadcast_shapes(*shapes))


def promote(*values):
    """The dtype that tensors, dtypes and numbers come to together (torch.result_type)."""
    numbers = {bool: torch.bool, int: torch.int64, float: torch.get_default_dtype()}
    ranks = [None, None, None]  # tensors with dimensions, 0-d tensors, numbers
    for value in values:
        if isinstance(value, torch.dtype):
            rank, dtype = 0, value
        elif isinstance(value, torch.Tensor):
            rank, dtype = (1 if value.ndim == 0 else 0), value.dtype
        else:
            rank, dtype = 2, numbers[type(value)]
        ranks[rank] = dtype if ranks[rank] is None else torch.promote_types(ranks[rank], dtype)
    result = None
    for dtype in reversed(ranks):
        if result is None or dtype is None:
            result = result if dtype is None else dtype
        else:
            high = torch.empty(1, dtype=dtype, device="meta")
            result = torch.result_type(high, torch.empty((), dtype=result, device="meta"))
    return result


def reduced(shape, dims, keepdim):
    """The shape after a reduction over `dims`; None or [] means all dimensions."""
    for dim in dims or []:
        if not -len(shape) <= dim < len(shape):
            raise IndexError(f"dimension {dim} is out of range for {list(shape)}")
    chosen = [dim % len(shape) for dim in dims] if dims else list(range(len(shape)))
    if len(set(chosen)) != len(chosen):
        raise ValueError(f"a dimension is reduced twice: {dims}")
    if keepdim:
        return [1 if i in chosen else size for i, size in enumerate(shape)]
    return [size for i, size in enumerate(shape) if i not in chosen]


def ceil_div(a, b):
    return -(-a // b)


def conv_out(size, kernel, stride, padding, dilation):
    """The output size of a convolution along one dimension (torch.nn.Conv2d)."""
    return (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def dtype_of(code):
    """The dtype with that ACL data type number."""
    return getattr(torch, _dtypes[code])


@DTYPES@
_functions = types.SimpleNamespace(
    len=len, min=min, max=max, sum=sum, range=range, abs=abs, prod=prod, broadcast=broadcast, promote=promote,
    reduced=reduced, ceil_div=ceil_div, conv_out=conv_out, dtype_of=dtype_of,
)
)";

}  // namespace

std::string emit_python(const Expression& expression, const EmitOptions& options) {
    return Emitter(options).emit(expression.root()).text;
}

std::string_view python_prelude() {
    static const std::string text = [] {
        std::string dtypes = "_dtypes = {\n";
        for (const auto& info : opweld::expr::dtype_table) {
            dtypes += fmt::format("    {}: \"{}\",\n", static_cast<int>(info.dtype), info.name);
        }
        std::string result(prelude);
        constexpr std::string_view mark = "@DTYPES@\n";
        return result.replace(result.find(mark), mark.size(), dtypes + "}\n");
    }();
    return text;
}

}  // namespace opweld::spec::expr
