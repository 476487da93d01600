#include "spec/formula/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "spec/formula/lexer.h"

namespace opweld::spec::formula {
namespace {

[[noreturn]] void fail(Span span, std::string message, std::string hint = {}) {
    throw SyntaxError{{span, std::move(message), std::move(hint)}};
}

std::string describe(const Token& token) {
    if (token.kind == TokenKind::end) {
        return "the end";
    }
    return token.kind == TokenKind::string ? "a string" : "'" + token.text + "'";
}

// Binary operators by precedence, the loosest first.
constexpr std::array<std::array<std::string_view, 4>, 6> operator_levels{
    {{"||"}, {"&&"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"+", "-"}, {"*", "/", "%"}}};

class Parser {
  public:
    explicit Parser(std::string_view text) : tokens_(tokenize(text)) {}

    NodePtr run() {
        NodePtr node = expression();
        if (current().kind != TokenKind::end) {
            fail(current().span, fmt::format("{} where the formula should end", describe(current())),
                 current().is(";") ? "a formula is one expression, without a semicolon" : "");
        }
        return node;
    }

  private:
    class Nesting {
      public:
        explicit Nesting(Parser& parser) : parser_(parser) {
            if (++parser_.nesting_ > max_depth) {
                fail(parser_.current().span, "the formula is nested too deeply");
            }
        }
        ~Nesting() { --parser_.nesting_; }
        Nesting(const Nesting&) = delete;
        Nesting& operator=(const Nesting&) = delete;

      private:
        Parser& parser_;
    };

    const Token& current() const { return tokens_[position_]; }
    const Token& take() { return tokens_[position_ + 1 < tokens_.size() ? position_++ : position_]; }
    bool accept(std::string_view symbol) {
        if (!current().is(symbol)) {
            return false;
        }
        take();
        return true;
    }
    void expect(std::string_view symbol, std::string_view where) {
        if (!accept(symbol)) {
            fail(current().span,
                 fmt::format("expected '{}' {}, found {}", symbol, where, describe(current())));
        }
    }

    NodePtr make(NodeKind kind, std::size_t start, std::string text = {},
                 std::vector<NodePtr> children = {}) {
        auto node = std::make_unique<Node>();
        node->kind = kind;
        node->text = std::move(text);
        node->children = std::move(children);
        node->span = {start, (position_ == 0 ? 0 : tokens_[position_ - 1].span.end()) - start};
        for (const NodePtr& child : node->children) {
            node->depth = std::max(node->depth, child->depth + 1);
        }
        if (node->depth > max_depth) {
            fail(node->span, "the formula has too many operations in a row");
        }
        return node;
    }

    static std::vector<NodePtr> nodes(NodePtr a) {
        std::vector<NodePtr> result;
        result.push_back(std::move(a));
        return result;
    }
    static std::vector<NodePtr> nodes(NodePtr a, NodePtr b) {
        std::vector<NodePtr> result = nodes(std::move(a));
        result.push_back(std::move(b));
        return result;
    }

    NodePtr expression() {
        const Nesting nesting(*this);
        const std::size_t start = current().span.offset;
        NodePtr condition = binary(0);
        if (!accept("?")) {
            return condition;
        }
        NodePtr then = expression();
        expect(":", "between the two values of '?'");
        NodePtr otherwise = expression();
        std::vector<NodePtr> children = nodes(std::move(condition), std::move(then));
        children.push_back(std::move(otherwise));
        return make(NodeKind::conditional, start, {}, std::move(children));
    }

    NodePtr binary(std::size_t level) {
        if (level == operator_levels.size()) {
            return unary();
        }
        const std::size_t start = current().span.offset;
        NodePtr left = binary(level + 1);
        const auto& operators = operator_levels[level];
        while (current().kind == TokenKind::symbol &&
               std::find(operators.begin(), operators.end(), current().text) != operators.end()) {
            std::string symbol = take().text;
            NodePtr right = binary(level + 1);
            left = make(NodeKind::binary, start, std::move(symbol), nodes(std::move(left), std::move(right)));
        }
        return left;
    }

    NodePtr unary() {
        const Nesting nesting(*this);
        const std::size_t start = current().span.offset;
        for (const std::string_view symbol : {"-", "!"}) {
            if (accept(symbol)) {
                NodePtr operand = unary();
                return make(NodeKind::unary, start, std::string(symbol), nodes(std::move(operand)));
            }
        }
        if (accept("*")) {
            NodePtr operand = unary();
            return make(NodeKind::dereference, start, {}, nodes(std::move(operand)));
        }
        return postfix();
    }

    NodePtr postfix() {
        const std::size_t start = current().span.offset;
        NodePtr value = primary();
        while (true) {
            if (current().is(".") || current().is("->")) {
                take();
                if (current().kind != TokenKind::name) {
                    fail(current().span, fmt::format("expected a method, found {}", describe(current())));
                }
                std::string method = take().text;
                if (!current().is("(")) {
                    fail(current().span, fmt::format("the method {} is not called", method),
                         fmt::format("write {}()", method));
                }
                std::vector<NodePtr> children = arguments();
                children.insert(children.begin(), std::move(value));
                value = make(NodeKind::method, start, std::move(method), std::move(children));
            } else if (accept("[")) {
                NodePtr index = expression();
                expect("]", "after the index");
                value = make(NodeKind::index, start, {}, nodes(std::move(value), std::move(index)));
            } else {
                return value;
            }
        }
    }

    std::vector<NodePtr> arguments() {
        expect("(", "before the arguments");
        return items(")");
    }

    std::vector<NodePtr> items(std::string_view close) {
        std::vector<NodePtr> result;
        while (!current().is(close)) {
            result.push_back(expression());
            if (!accept(",")) {
                break;
            }
        }
        expect(close, "after the last item");
        return result;
    }

    NodePtr primary() {
        const Token& token = current();
        const std::size_t start = token.span.offset;
        switch (token.kind) {
            case TokenKind::integer:
            case TokenKind::floating: {
                take();
                NodePtr node = make(NodeKind::number, start, token.text);
                node->value = token.kind == TokenKind::integer ? ValueKind::integer : ValueKind::other;
                return node;
            }
            case TokenKind::string:
                take();
                return make(NodeKind::string, start, token.text);
            case TokenKind::name:
                return named();
            default:
                break;
        }
        if (accept("(")) {
            NodePtr value = expression();
            expect(")", "to close the bracket");
            return value;
        }
        if (accept("{")) {
            std::vector<NodePtr> children = items("}");
            return make(NodeKind::braces, start, {}, std::move(children));
        }
        if (token.is("::")) {
            take();
            return named();
        }
        fail(token.span, fmt::format("expected a value, found {}", describe(token)));
    }

    // A name, with or without namespaces, and a call if one follows.
    NodePtr named() {
        const std::size_t start = current().span.offset;
        std::string name;
        do {
            if (current().kind != TokenKind::name) {
                fail(current().span, fmt::format("expected a name, found {}", describe(current())));
            }
            name += (name.empty() ? "" : "::") + take().text;
        } while (accept("::"));
        if (name == "std::get") {
            return tuple_item(start);
        }
        const std::string plain = name.starts_with("at::") ? name.substr(4) : name;
        if (current().is("(")) {
            std::vector<NodePtr> children = arguments();
            return call(start, plain, std::move(children));
        }
        if (plain == "true" || plain == "false") {
            return make(NodeKind::boolean, start, plain);
        }
        if (plain == "nullopt" || plain == "std::nullopt" || plain == "c10::nullopt") {
            return make(NodeKind::null, start);
        }
        const bool constant = name.find("::") != std::string::npos;
        return make(constant ? NodeKind::constant : NodeKind::name, start, plain);
    }

    NodePtr call(std::size_t start, const std::string& name, std::vector<NodePtr> arguments) {
        const Span span{start, tokens_[position_ - 1].span.end() - start};
        if (name == "Tensor") {
            if (!arguments.empty()) {
                fail(span, "Tensor() takes no arguments", "write the tensor itself");
            }
            return make(NodeKind::no_tensor, start);
        }
        if (name == "Scalar" || name == "c10::Scalar") {
            if (arguments.size() != 1) {
                fail(span, "Scalar() takes one number");
            }
            return make(NodeKind::scalar, start, {}, std::move(arguments));
        }
        if (name.find("::") != std::string::npos) {
            fail(span, fmt::format("'{}' is not a function of ATen", name),
                 "formulas call at:: functions and tensor methods");
        }
        if (name == "not_implemented") {
            fail(span, "not_implemented() is no formula",
                 "leave the input out of 'backward', or write 'backward: none'");
        }
        return make(NodeKind::function, start, name, std::move(arguments));
    }

    NodePtr tuple_item(std::size_t start) {
        expect("<", "after std::get");
        if (current().kind != TokenKind::integer) {
            fail(current().span,
                 fmt::format("expected the number of a result, found {}", describe(current())),
                 "write std::get<0>(...)");
        }
        std::string index = take().text;
        expect(">", "after the number");
        std::vector<NodePtr> children = arguments();
        if (children.size() != 1) {
            fail({start, tokens_[position_ - 1].span.end() - start}, "std::get takes one value");
        }
        return make(NodeKind::get, start, std::move(index), std::move(children));
    }

    std::vector<Token> tokens_;
    std::size_t position_ = 0;
    int nesting_ = 0;
};

}  // namespace

NodePtr parse(std::string_view text) {
    if (text.size() > max_text_length) {
        fail({0, max_text_length}, fmt::format("the formula has more than {} bytes", max_text_length));
    }
    return Parser(text).run();
}

}  // namespace opweld::spec::formula
