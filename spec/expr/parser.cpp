#include "spec/expr/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "spec/expr/lexer.h"

namespace opweld::spec::expr {
namespace {

[[noreturn]] void fail(Span span, std::string message, std::string hint = {}) {
    throw SyntaxError{{span, std::move(message), std::move(hint)}};
}

std::string describe(const Token& token) {
    switch (token.kind) {
        case TokenKind::end:
            return "the end";
        case TokenKind::string:
            return "a string";
        case TokenKind::function:
            return "'$" + token.text + "'";
        default:
            return "'" + token.text + "'";
    }
}

class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text), tokens_(tokenize(text)) {}

    NodePtr run() {
        NodePtr node = expression();
        const Token& rest = current();
        if (rest.kind != TokenKind::end) {
            if (rest.is("=")) {
                fail(rest.span, "'=' is not an operator here", "write '==' to compare");
            }
            fail(rest.span, fmt::format("{} where the expression should end", describe(rest)));
        }
        return node;
    }

  private:
    // Counts nested calls of the grammar's functions.
    class Nesting {
      public:
        explicit Nesting(Parser& parser) : parser_(parser) {
            if (++parser_.nesting_ > max_depth) {
                fail(parser_.current().span, "the expression is nested too deeply",
                     "name parts of it under 'let:'");
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
    std::size_t previous_end() const { return position_ == 0 ? 0 : tokens_[position_ - 1].span.end(); }

    template <class... Children>
    NodePtr make(NodeKind kind, std::size_t start, Children... children) {
        auto node = std::make_unique<Node>();
        node->kind = kind;
        node->span = {start, previous_end() - start};
        (node->children.push_back(std::move(children)), ...);
        return measured(std::move(node));
    }

    static NodePtr measured(NodePtr node) {
        for (const NodePtr& child : node->children) {
            if (child) {
                node->depth = std::max(node->depth, child->depth + 1);
                node->chained = node->chained || child->chained;
            }
        }
        if (node->depth > max_depth) {
            fail(node->span, "the expression has too many operations in a row",
                 "name parts of it under 'let:'");
        }
        return node;
    }

    NodePtr expression() {
        const Nesting nesting(*this);
        const std::size_t start = current().span.offset;
        NodePtr value = disjunction();
        if (!accept("if")) {
            return value;
        }
        NodePtr condition = disjunction();
        expect("else", "after the condition");
        NodePtr otherwise = expression();
        return make(NodeKind::conditional, start, std::move(condition), std::move(value),
                    std::move(otherwise));
    }

    NodePtr disjunction() {
        const std::size_t start = current().span.offset;
        NodePtr left = conjunction();
        while (accept("or")) {
            NodePtr right = conjunction();
            left = make(NodeKind::logical_or, start, std::move(left), std::move(right));
        }
        return left;
    }

    NodePtr conjunction() {
        const std::size_t start = current().span.offset;
        NodePtr left = negation();
        while (accept("and")) {
            NodePtr right = negation();
            left = make(NodeKind::logical_and, start, std::move(left), std::move(right));
        }
        return left;
    }

    NodePtr negation() {
        const Nesting nesting(*this);
        const std::size_t start = current().span.offset;
        if (accept("not")) {
            NodePtr value = negation();
            return make(NodeKind::logical_not, start, std::move(value));
        }
        return comparison();
    }

    std::optional<Op> comparison_operator() {
        static constexpr std::pair<std::string_view, Op> operators[] = {
            {"==", Op::eq}, {"!=", Op::ne}, {"<=", Op::le}, {">=", Op::ge},
            {"<", Op::lt},  {">", Op::gt},  {"in", Op::in}};
        for (const auto& [symbol, op] : operators) {
            if (accept(symbol)) {
                return op;
            }
        }
        if (current().is("not") && tokens_[position_ + 1].is("in")) {
            take();
            take();
            return Op::not_in;
        }
        return std::nullopt;
    }

    // a < b < c means a < b and b < c.
    NodePtr comparison() {
        const std::size_t start = current().span.offset;
        NodePtr left = sum();
        if (current().is("is")) {
            return none_test(start, std::move(left));
        }
        NodePtr all;
        while (const std::optional<Op> op = comparison_operator()) {
            NodePtr right = sum();
            NodePtr next = at_comparison() ? middle_of_chain(*right) : nullptr;
            const std::size_t pair_start = left->span.offset;
            NodePtr pair = make(NodeKind::compare, pair_start, std::move(left), std::move(right));
            pair->op = *op;
            if (all) {
                all = make(NodeKind::logical_and, start, std::move(all), std::move(pair));
            } else {
                all = std::move(pair);
            }
            all->chained = all->chained || next;
            left = std::move(next);
        }
        if (current().is("is")) {
            fail(current().span, "'is' in a chain of comparisons", "put the test for None in brackets");
        }
        return all ? std::move(all) : std::move(left);
    }

    // Text for the middle is emitted twice: chains in chains would grow without bounds.
    static NodePtr middle_of_chain(const Node& node) {
        if (node.chained) {
            fail(node.span, "a chain of comparisons inside a chain of comparisons",
                 "name the inner one under 'let:'");
        }
        return clone(node);
    }

    bool at_comparison() const {
        const Token& token = current();
        return token.is("==") || token.is("!=") || token.is("<") || token.is("<=") || token.is(">") ||
               token.is(">=") || token.is("in") || (token.is("not") && tokens_[position_ + 1].is("in"));
    }

    NodePtr none_test(std::size_t start, NodePtr value) {
        take();
        const bool present = accept("not");
        if (!accept("None")) {
            fail(current().span, fmt::format("expected 'None' after 'is', found {}", describe(current())),
                 "write '==' to compare values");
        }
        NodePtr node = make(NodeKind::is_none, start, std::move(value));
        node->boolean = present;
        if (at_comparison() || current().is("is")) {
            fail(current().span, "a test for None in a chain of comparisons",
                 "put the test for None in brackets");
        }
        return node;
    }

    NodePtr sum() {
        const std::size_t start = current().span.offset;
        NodePtr left = product();
        while (current().is("+") || current().is("-")) {
            const Op op = take().is("+") ? Op::add : Op::subtract;
            NodePtr right = product();
            left = make(NodeKind::arithmetic, start, std::move(left), std::move(right));
            left->op = op;
        }
        return left;
    }

    NodePtr product() {
        static constexpr std::pair<std::string_view, Op> operators[] = {
            {"*", Op::multiply}, {"//", Op::floor_div}, {"/", Op::divide}, {"%", Op::mod}};
        const std::size_t start = current().span.offset;
        NodePtr left = factor();
        while (true) {
            Op op = Op::none;
            for (const auto& [symbol, candidate] : operators) {
                if (accept(symbol)) {
                    op = candidate;
                    break;
                }
            }
            if (op == Op::none) {
                return left;
            }
            NodePtr right = factor();
            left = make(NodeKind::arithmetic, start, std::move(left), std::move(right));
            left->op = op;
        }
    }

    NodePtr factor() {
        const Nesting nesting(*this);
        const std::size_t start = current().span.offset;
        if (accept("-")) {
            NodePtr value = factor();
            return make(NodeKind::negate, start, std::move(value));
        }
        if (accept("+")) {
            return factor();
        }
        NodePtr value = postfix();
        if (current().is("**")) {
            fail(current().span, "'**' is not an operator here", "multiply instead");
        }
        return value;
    }

    NodePtr postfix() {
        const std::size_t start = current().span.offset;
        NodePtr value = primary();
        while (true) {
            if (accept(".")) {
                if (current().kind != TokenKind::name) {
                    fail(current().span,
                         fmt::format("expected a name after '.', found {}", describe(current())),
                         "tensors have .shape, .ndim and .dtype");
                }
                std::string attribute = take().text;
                value = make(NodeKind::attribute, start, std::move(value));
                value->text = std::move(attribute);
            } else if (accept("[")) {
                value = subscript(start, std::move(value));
            } else if (current().is("(")) {
                fail_call(*value);
            } else {
                return value;
            }
        }
    }

    // PyTorch's methods of tensors, which are no part of the language.
    [[noreturn]] void fail_call(const Node& value) const {
        struct Method {
            std::string_view name;
            std::string_view instead;
            bool item;  // with an argument: one item of the list
        };
        static constexpr std::array<Method, 9> methods{{{"size", "{0}.shape", true},
                                                        {"sizes", "{0}.shape", false},
                                                        {"shape", "{0}.shape", true},
                                                        {"dim", "{0}.ndim", false},
                                                        {"ndimension", "{0}.ndim", false},
                                                        {"numel", "prod({0}.shape)", false},
                                                        {"scalar_type", "{0}.dtype", false},
                                                        {"type", "{0}.dtype", false},
                                                        {"dtype", "{0}.dtype", false}}};
        std::string hint = "only the functions of the language can";
        for (const Method& method : methods) {
            if (value.kind != NodeKind::attribute || value.text != method.name) {
                continue;
            }
            const Span object = value.children[0]->span;
            hint = "write " +
                   fmt::format(fmt::runtime(method.instead), text_.substr(object.offset, object.length));
            const std::size_t open = current().span.offset;
            const std::size_t close = text_.find(')', open);
            if (method.item && close != std::string_view::npos && close > open + 1) {
                hint += fmt::format("[{}]", text_.substr(open + 1, close - open - 1));
            }
        }
        fail(current().span, "this cannot be called", std::move(hint));
    }

    NodePtr subscript(std::size_t start, NodePtr value) {
        NodePtr first;
        if (!current().is(":")) {
            if (current().is("]")) {
                fail(current().span, "an index is missing");
            }
            first = expression();
        }
        if (!accept(":")) {
            if (current().is(",")) {
                fail(current().span, "only one index is possible",
                     "index lists of lists step by step: a[i][j]");
            }
            expect("]", "after the index");
            return make(NodeKind::index, start, std::move(value), std::move(first));
        }
        NodePtr last;
        if (!current().is("]") && !current().is(":")) {
            last = expression();
        }
        if (current().is(":")) {
            fail(current().span, "slices have no step here",
                 "write [a[i] for i in range(start, stop, step)]");
        }
        expect("]", "after the slice");
        return make(NodeKind::slice, start, std::move(value), std::move(first), std::move(last));
    }

    NodePtr primary() {
        const Token& token = current();
        const std::size_t start = token.span.offset;
        switch (token.kind) {
            case TokenKind::integer:
                take();
                return literal(NodeKind::integer, token);
            case TokenKind::floating:
                take();
                return literal(NodeKind::floating, token);
            case TokenKind::string:
                take();
                return literal(NodeKind::string, token);
            case TokenKind::name:
            case TokenKind::function:
                return name_or_call();
            default:
                break;
        }
        if (accept("None")) {
            return make(NodeKind::none, start);
        }
        if (token.is("True") || token.is("False")) {
            take();
            NodePtr node = make(NodeKind::boolean, start);
            node->boolean = token.text == "True";
            return node;
        }
        if (accept("(")) {
            NodePtr value = expression();
            if (current().is(",")) {
                fail(current().span, "there are no tuples here", "write a list: [a, b]");
            }
            expect(")", "to close the bracket");
            return value;
        }
        if (accept("[")) {
            return list(start);
        }
        fail(token.span, fmt::format("expected a value, found {}", describe(token)));
    }

    NodePtr literal(NodeKind kind, const Token& token) {
        NodePtr node = make(kind, token.span.offset);
        node->integer = token.integer;
        node->floating = token.floating;
        node->text = token.text;
        return node;
    }

    NodePtr name_or_call() {
        const Token& token = take();
        const std::size_t start = token.span.offset;
        if (!accept("(")) {
            if (token.kind == TokenKind::function) {
                fail(token.span, fmt::format("the function ${} is not called", token.text),
                     fmt::format("write ${}(...)", token.text));
            }
            NodePtr node = make(NodeKind::name, start);
            node->text = token.text;
            return node;
        }
        auto node = std::make_unique<Node>();
        node->kind = NodeKind::named_call;
        node->text = token.text;
        node->boolean = token.kind == TokenKind::function;
        while (!current().is(")")) {
            node->children.push_back(expression());
            if (current().is("=")) {
                fail(current().span, "arguments have no names here", "give them by position");
            }
            if (current().is("for")) {
                fail(current().span, "a loop outside of a list", "put it in brackets: f([e for i in list])");
            }
            if (!accept(",")) {
                break;
            }
        }
        expect(")", "after the arguments");
        node->span = {start, previous_end() - start};
        return measured(std::move(node));
    }

    NodePtr list(std::size_t start) {
        NodePtr node = make(NodeKind::list, start);
        while (!current().is("]")) {
            node->children.push_back(expression());
            if (node->children.size() == 1 && accept("for")) {
                return comprehension(start, std::move(node->children[0]));
            }
            if (!accept(",")) {
                break;
            }
        }
        expect("]", "to close the list");
        node->span.length = previous_end() - start;
        return measured(std::move(node));
    }

    NodePtr comprehension(std::size_t start, NodePtr item) {
        if (current().kind != TokenKind::name) {
            fail(current().span, fmt::format("expected a name after 'for', found {}", describe(current())));
        }
        std::string variable = take().text;
        if (current().is(",")) {
            fail(current().span, "a loop has one variable here");
        }
        expect("in", "after the loop variable");
        NodePtr source = disjunction();
        if (current().is("if") || current().is("for")) {
            fail(current().span, fmt::format("'{}' is not possible in a loop here", current().text),
                 "the form is [e for i in list]");
        }
        expect("]", "to close the list");
        NodePtr node = make(NodeKind::comprehension, start, std::move(item), std::move(source));
        node->text = std::move(variable);
        return node;
    }

    std::string_view text_;
    std::vector<Token> tokens_;
    std::size_t position_ = 0;
    int nesting_ = 0;
};

}  // namespace

NodePtr parse(std::string_view text) {
    if (text.size() > max_text_length) {
        fail({0, max_text_length}, fmt::format("the expression has more than {} bytes", max_text_length),
             "name parts of it under 'let:'");
    }
    return Parser(text).run();
}

}  // namespace opweld::spec::expr
