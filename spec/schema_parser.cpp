// Reading PyTorch schema strings.
#include <fmt/format.h>

#include <cctype>

#include "spec/attr_types.h"
#include "spec/schema.h"

namespace opweld::spec {
namespace {

struct Fault {
    std::string message;
    std::size_t offset;
};

class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}

    Schema parse() {
        Schema schema;
        schema.name = identifier("the operator's name");
        if (take("::")) {
            schema.name += "::" + identifier("the operator's name");
        }
        if (take(".")) {
            schema.overload = identifier("the overload's name");
        }
        expect("(");
        parse_arguments(schema);
        expect("->");
        parse_returns(schema);
        skip();
        if (at_ != text_.size()) {
            throw Fault{fmt::format("'{}' after the end", text_.substr(at_)), at_};
        }
        return schema;
    }

  private:
    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
            ++at_;
        }
    }

    bool take(std::string_view token) {
        skip();
        if (text_.substr(at_, token.size()) != token) {
            return false;
        }
        at_ += token.size();
        return true;
    }

    void expect(std::string_view token) {
        if (!take(token)) {
            throw Fault{fmt::format("'{}' is missing", token), at_};
        }
    }

    std::string identifier(std::string_view what) {
        skip();
        const std::size_t start = at_;
        while (at_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
            ++at_;
        }
        if (start == at_) {
            throw Fault{fmt::format("{} is missing", what), at_};
        }
        return std::string(text_.substr(start, at_ - start));
    }

    SchemaType type() {
        SchemaType result;
        result.base = identifier("a type");
        // An alias set stands directly behind the name of the type; a bracket after a space does not belong
        // to it.
        if (at_ < text_.size() && text_[at_] == '(') {
            const std::size_t end = text_.find(')', at_);
            if (end == std::string_view::npos) {
                throw Fault{"a '(' is not closed", at_};
            }
            result.alias = std::string(text_.substr(at_ + 1, end - at_ - 1));
            at_ = end + 1;
        }
        while (at_ < text_.size() && (text_[at_] == '?' || text_[at_] == '[')) {
            const std::size_t end = text_[at_] == '?' ? at_ : text_.find(']', at_);
            if (end == std::string_view::npos) {
                throw Fault{"a '[' is not closed", at_};
            }
            result.suffix += text_.substr(at_, end - at_ + 1);
            at_ = end + 1;
        }
        return result;
    }

    std::string default_text() {
        skip();
        const std::size_t start = at_;
        int depth = 0;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '"' || c == '\'') {
                ++at_;
                while (at_ < text_.size() && text_[at_] != c) {
                    at_ += text_[at_] == '\\' ? 2 : 1;
                }
                at_ = std::min(at_, text_.size());
            } else if (c == '[') {
                ++depth;
            } else if (c == ']') {
                --depth;
            } else if (depth == 0 && (c == ',' || c == ')')) {
                break;
            }
            at_ = std::min(at_ + 1, text_.size());
        }
        std::string_view value = text_.substr(start, at_ - start);
        while (value.ends_with(' ')) {
            value.remove_suffix(1);
        }
        if (value.empty()) {
            throw Fault{"a default value is missing", start};
        }
        return std::string(value);
    }

    void parse_arguments(Schema& schema) {
        bool keyword_only = false;
        if (take(")")) {
            return;
        }
        do {
            if (take("*")) {
                if (keyword_only) {
                    throw Fault{"a second '*'", at_ - 1};
                }
                keyword_only = true;
                continue;
            }
            SchemaArgument argument;
            skip();
            argument.offset = at_;
            argument.keyword_only = keyword_only;
            argument.type = type();
            if (take(":")) {
                throw Fault{"the type stands before the name: 'Tensor x'", argument.offset};
            }
            argument.name = identifier("an argument's name");
            if (take("=")) {
                argument.default_text = default_text();
            }
            schema.arguments.push_back(std::move(argument));
        } while (take(","));
        expect(")");
    }

    void parse_returns(Schema& schema) {
        const auto one = [&] {
            SchemaReturn result;
            skip();
            result.offset = at_;
            result.type = type();
            return result;
        };
        if (!take("(")) {
            schema.returns.push_back(one());
            skip();
            if (at_ < text_.size()) {
                schema.returns.back().name = identifier("a result's name");
            }
            return;
        }
        if (take(")")) {
            return;
        }
        do {
            SchemaReturn result = one();
            skip();
            if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ')') {
                result.name = identifier("a result's name");
            }
            schema.returns.push_back(std::move(result));
        } while (take(","));
        expect(")");
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

// A scalar or list of a schema as a node, so that read_value reads it.
NodePtr value_node(std::string_view text) {
    while (text.starts_with(' ')) {
        text.remove_prefix(1);
    }
    while (text.ends_with(' ')) {
        text.remove_suffix(1);
    }
    auto node = std::make_shared<Node>();
    if (text == "None") {
        return node;
    }
    if (text.starts_with('[') && text.ends_with(']') && text.find('[', 1) == std::string_view::npos) {
        node->kind = Node::Kind::Sequence;
        text = text.substr(1, text.size() - 2);
        while (text.find_first_not_of(' ') != std::string_view::npos) {
            const std::size_t end = text.find(',');
            node->items.push_back(value_node(text.substr(0, end)));
            text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        }
        return node;
    }
    node->kind = Node::Kind::Scalar;
    if (text.size() > 1 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front()) {
        node->quoted = true;
        for (std::size_t at = 1; at + 1 < text.size(); ++at) {
            if (text[at] == '\\' && at + 2 < text.size()) {
                ++at;
                node->text += text[at] == 'n' ? '\n' : text[at] == 't' ? '\t' : text[at];
            } else {
                node->text += text[at];
            }
        }
        return node;
    }
    node->text = std::string(text);
    return node;
}

// Constants that a schema writes as numbers or under names of its own.
std::string spec_word(std::string_view text, AttrKind kind) {
    if (kind == AttrKind::ScalarType) {
        for (const DTypeInfo& entry : dtype_table()) {
            if (std::to_string(entry.scalar_type) == text) {
                return std::string(entry.name);
            }
        }
    }
    if (kind == AttrKind::Layout && text == "0") {
        return "strided";
    }
    if (kind == AttrKind::MemoryFormat && text.size() == 1 && text[0] >= '0' && text[0] <= '3') {
        constexpr std::string_view kNames[] = {"contiguous_format", "preserve_format", "channels_last",
                                               "channels_last_3d"};
        return std::string(kNames[text[0] - '0']);
    }
    if (kind == AttrKind::Int && text == "Mean") {
        return "1";
    }
    if (kind == AttrKind::Device && text.starts_with("privateuseone")) {
        return "npu" + std::string(text.substr(13));
    }
    return std::string(text);
}

}  // namespace

SchemaResult parse_schema(std::string_view text) {
    try {
        return {Parser(text).parse(), {}, 0};
    } catch (const Fault& fault) {
        return {std::nullopt, fault.message, std::min(fault.offset, text.size())};
    }
}

std::optional<Value> schema_value(std::string_view text, const AttrType& type) {
    const NodePtr node = value_node(text);
    Node changed = *node;
    if (changed.is_scalar()) {
        changed.text = spec_word(changed.text, type.kind);
    }
    return read_value(changed, type, type.kind == AttrKind::Device).value;
}

}  // namespace opweld::spec
