#include "spec/cpp_expression.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <map>
#include <vector>

#include "spec/dtypes.h"

namespace opweld::spec {
namespace {

struct Obstacle {
    std::string text;
};

struct Token {
    enum class Kind { End, Name, Number, Text, Sign } kind = Kind::End;
    std::string text;
};

bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<Token> tokens(std::string_view text) {
    static constexpr std::array<std::string_view, 8> kDouble = {
        "::", "->", "==", "!=", "<=", ">=", "&&", "||"};
    std::vector<Token> result;
    std::size_t at = 0;
    while (at < text.size()) {
        const char c = text[at];
        const std::size_t start = at;
        if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            ++at;
            continue;
        }
        if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
            while (at < text.size() &&
                   (word_char(text[at]) || text[at] == '.' ||
                    ((text[at] == '-' || text[at] == '+') && (text[at - 1] == 'e' || text[at - 1] == 'E')))) {
                ++at;
            }
            std::string number(text.substr(start, at - start));
            while (!number.empty() &&
                   (number.back() == 'L' || number.back() == 'f' || number.back() == 'u')) {
                number.pop_back();
            }
            result.push_back({Token::Kind::Number, number});
        } else if (word_char(c)) {
            while (at < text.size() && word_char(text[at])) {
                ++at;
            }
            result.push_back({Token::Kind::Name, std::string(text.substr(start, at - start))});
        } else if (c == '"') {
            at = text.find('"', at + 1);
            if (at == std::string_view::npos) {
                throw Obstacle{"a text that is not closed"};
            }
            ++at;
            result.push_back({Token::Kind::Text, std::string(text.substr(start + 1, at - start - 2))});
        } else {
            at += 1;
            for (const std::string_view sign : kDouble) {
                if (text.substr(start, 2) == sign) {
                    at = start + 2;
                }
            }
            result.push_back({Token::Kind::Sign, std::string(text.substr(start, at - start))});
        }
    }
    result.push_back({});
    return result;
}

constexpr std::string_view kIntegral = "[uint8, int8, int16, int32, int64]";
constexpr std::string_view kIntegralAndBool = "[bool, uint8, int8, int16, int32, int64]";
constexpr std::string_view kFloating = "[float16, bfloat16, float32, float64]";

class Translator {
  public:
    Translator(std::string_view text, CppPlace place, const expr::Scope& scope)
        : tokens_(tokens(text)), place_(place), scope_(scope) {}

    std::string run() {
        std::string text = conditional(place_);
        if (peek().kind != Token::Kind::End) {
            throw Obstacle{fmt::format("'{}' can't be understood", peek().text)};
        }
        return text;
    }

  private:
    const Token& peek(std::size_t ahead = 0) const {
        return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
    }
    bool is(std::string_view sign, std::size_t ahead = 0) const {
        return peek(ahead).kind == Token::Kind::Sign && peek(ahead).text == sign;
    }
    bool take(std::string_view sign) {
        if (!is(sign)) {
            return false;
        }
        ++at_;
        return true;
    }
    void expect(std::string_view sign) {
        if (!take(sign)) {
            throw Obstacle{fmt::format("'{}' is missing", sign)};
        }
    }

    // Bounds recursion whatever the text is.
    struct Depth {
        explicit Depth(int& depth) : depth_(depth) {
            if (++depth_ > 100) {
                throw Obstacle{"too deeply nested"};
            }
        }
        ~Depth() { --depth_; }
        Depth(const Depth&) = delete;
        Depth& operator=(const Depth&) = delete;
        int& depth_;
    };

    std::string conditional(CppPlace place) {
        const Depth depth(depth_);
        const std::size_t start = at_;
        std::string value = binary(0, place);
        if (!is("?")) {
            return value;
        }
        at_ = start;  // it was a condition: once more as one
        const std::string condition = binary(0, CppPlace::Value);
        expect("?");
        const std::string yes = conditional(place);
        expect(":");
        const std::string no = conditional(place);
        return fmt::format("({} if {} else {})", yes, condition, no);
    }

    std::string binary(std::size_t level, CppPlace place) {
        struct Row {
            std::string_view sign;
            std::string_view text;
        };
        static const std::array<std::vector<Row>, 6> kLevels = {
            std::vector<Row>{{"||", "or"}}, {{"&&", "and"}},
            {{"==", "=="}, {"!=", "!="}},   {{"<", "<"}, {">", ">"}, {"<=", "<="}, {">=", ">="}},
            {{"+", "+"}, {"-", "-"}},       {{"*", "*"}, {"/", "//"}, {"%", "%"}},
        };
        if (level == kLevels.size()) {
            return unary(place);
        }
        std::string left = binary(level + 1, place);
        bool grouped = false;
        while (true) {
            const Row* row = nullptr;
            for (const Row& candidate : kLevels.at(level)) {
                if (is(candidate.sign)) {
                    row = &candidate;
                }
            }
            if (row == nullptr) {
                return grouped && level != 4 ? "(" + left + ")" : left;
            }
            ++at_;
            left = fmt::format("{} {} {}", left, row->text, binary(level + 1, place));
            grouped = true;
        }
    }

    std::string unary(CppPlace place) {
        const Depth depth(depth_);
        if (++steps_ > 10'000) {  // conditions are read twice, nested ones again and again
            throw Obstacle{"too long"};
        }
        if (take("!")) {
            return "not " + unary(CppPlace::Value);
        }
        if (take("-")) {
            return "-" + unary(CppPlace::Value);
        }
        return postfix(place);
    }

    std::vector<std::string> list(std::string_view end, CppPlace place) {
        std::vector<std::string> items;
        if (take(end)) {
            return items;
        }
        do {
            items.push_back(conditional(place));
        } while (take(","));
        expect(end);
        return items;
    }

    static std::string bracketed(const std::vector<std::string>& items) {
        return fmt::format("[{}]", fmt::join(items, ", "));
    }

    std::string qualified_name() {
        std::string name = peek().text;
        ++at_;
        while (is("::") && peek(1).kind == Token::Kind::Name) {
            name += "::" + peek(1).text;
            at_ += 2;
        }
        return name;
    }

    void skip_template() {
        if (!take("<")) {
            return;
        }
        int depth = 1;
        while (depth > 0) {
            if (peek().kind == Token::Kind::End) {
                throw Obstacle{"'>' is missing"};
            }
            depth += is("<") ? 1 : is(">") ? -1 : 0;
            ++at_;
        }
    }

    std::string postfix(CppPlace place) {
        if (peek().kind == Token::Kind::Number) {
            return tokens_[at_++].text;
        }
        if (peek().kind == Token::Kind::Text) {
            return "'" + tokens_[at_++].text + "'";
        }
        if (take("{")) {
            return bracketed(list("}", CppPlace::Value));
        }
        if (take("(")) {
            if (peek().text == "int64_t" && is(")", 1)) {  // a cast
                at_ += 2;
                return unary(place);
            }
            std::string inner = conditional(place);
            expect(")");
            return suffixes("(" + inner + ")", std::nullopt, place);
        }
        if (peek().kind != Token::Kind::Name) {
            throw Obstacle{peek().kind == Token::Kind::End
                               ? "the expression is cut off"
                               : fmt::format("'{}' can't be understood", peek().text)};
        }
        const std::string name = qualified_name();
        if (name == "true" || name == "false") {
            return name == "true" ? "True" : "False";
        }
        const auto known = scope_.find(name);
        if (known != scope_.end()) {
            return suffixes(name, known->second, place);
        }
        if (auto constant = constant_of(name)) {
            return *constant;
        }
        if (name.ends_with("SmallVector") || name.ends_with("ArrayRef")) {
            skip_template();
            if (take("{")) {
                return bracketed(list("}", CppPlace::Value));
            }
            expect("(");
            return bracketed(list(")", CppPlace::Value));
        }
        if (name == "static_cast") {
            skip_template();
            expect("(");
            std::string inner = conditional(CppPlace::Value);
            expect(")");
            return inner;
        }
        if (name == "const_cast") {
            skip_template();
            expect("(");
            std::string inner = conditional(CppPlace::Value);
            expect(")");
            return inner;
        }
        if (is("(")) {
            return call(name, place);
        }
        throw Obstacle{fmt::format("unknown name '{}'", name)};
    }

    static std::optional<std::string> constant_of(const std::string& name) {
        static const std::map<std::string, std::string, std::less<>> kReductions = {
            {"at::Reduction::None", "0"}, {"at::Reduction::Mean", "1"}, {"at::Reduction::Sum", "2"}};
        if (const auto reduction = kReductions.find(name); reduction != kReductions.end()) {
            return reduction->second;
        }
        for (const DTypeInfo& entry : dtype_table()) {
            const std::string at_name(entry.at_name);
            if (name == "at::" + at_name || name == "at::ScalarType::" + at_name.substr(1)) {
                return std::string(entry.name);
            }
        }
        return std::nullopt;
    }

    // The function of the language; with `$` where the operator has a name like it.
    std::string function(std::string_view name) const {
        return (scope_.find(name) != scope_.end() ? "$" : "") + std::string(name);
    }

    std::string call(const std::string& name, CppPlace place) {
        const std::string plain = name.substr(name.rfind(':') == std::string::npos ? 0 : name.rfind(':') + 1);
        expect("(");
        if (plain == "broadcast_ops_npu_output_size" || plain == "infer_size") {
            const auto shapes = list(")", CppPlace::Size);
            return suffixes(fmt::format("{}({})", function("broadcast"), fmt::join(shapes, ", ")),
                            std::nullopt, place);
        }
        if (plain == "input_same_output_size" || plain == "infershape_for_elewise") {
            return only(list(")", CppPlace::Size), plain);
        }
        if (plain == "reduce_ops_npu_output_size") {
            std::vector<std::string> items = {conditional(CppPlace::Size)};
            while (take(",")) {
                items.push_back(conditional(CppPlace::Value));
            }
            expect(")");
            if (items.size() != 3) {
                throw Obstacle{"reduce_ops_npu_output_size with other than three arguments"};
            }
            const auto dims = scope_.find(items[1]);
            if (dims != scope_.end() && dims->second.is(expr::Kind::integer)) {
                items[1] = "[" + items[1] + "]";
            }
            return fmt::format("{}({})", function("reduced"), fmt::join(items, ", "));
        }
        if (plain == "get_dimlist_for_tensor") {
            const std::string shape = only(list(")", CppPlace::Size), plain);
            return fmt::format("[i for i in {}({}({}))]", function("range"), function("len"), shape);
        }
        if (plain == "result_type" || plain == "promoteTypes" || plain == "promote_types") {
            const auto items = list(")", CppPlace::Value);
            return fmt::format("{}({})", function("promote"), fmt::join(items, ", "));
        }
        if (plain == "isIntegralType") {
            std::string dtype = conditional(CppPlace::DType);
            const bool with_bool = take(",") && peek().text == "true";
            at_ += is(")") ? 0 : 1;
            expect(")");
            return fmt::format("({} in {})", dtype, with_bool ? kIntegralAndBool : kIntegral);
        }
        if (plain == "isFloatingType") {
            return fmt::format("({} in {})", only(list(")", CppPlace::DType), plain), kFloating);
        }
        if (plain == "typeMetaToScalarType") {
            return only(list(")", CppPlace::DType), plain);
        }
        if (name == "std::abs" || name == "std::min" || name == "std::max") {
            return fmt::format("{}({})", function(plain), fmt::join(list(")", CppPlace::Value), ", "));
        }
        throw Obstacle{fmt::format("unknown function '{}'", name)};
    }

    static std::string only(const std::vector<std::string>& items, const std::string& name) {
        if (items.size() != 1) {
            throw Obstacle{fmt::format("{} with {} arguments", name, items.size())};
        }
        return items.front();
    }

    static bool tensor(const std::optional<expr::Type>& type) { return type && type->is(expr::Kind::tensor); }

    // Methods and subscripts behind a value; then what a tensor's name alone stands for in this place.
    std::string suffixes(std::string text, std::optional<expr::Type> type, CppPlace place) {
        while (true) {
            if (take("[")) {
                text += "[" + conditional(CppPlace::Value) + "]";
                expect("]");
                type = type && type->is(expr::Kind::list) ? std::optional(type->element()) : std::nullopt;
                continue;
            }
            if (!is(".") && !is("->")) {
                break;
            }
            ++at_;
            const std::string method = peek().text;
            ++at_;
            expect("(");
            text = method_text(std::move(text), method, type);
        }
        if (!tensor(type) || place == CppPlace::Value) {
            return text;
        }
        return text + (place == CppPlace::Size ? ".shape" : ".dtype");
    }

    std::string method_text(std::string text, const std::string& method, std::optional<expr::Type>& type) {
        const std::vector<std::string> arguments = list(")", CppPlace::Value);
        if ((method == "value" || method == "data") && arguments.empty()) {
            type = type && type->is(expr::Kind::optional) ? std::optional(type->element()) : type;
            return text;
        }
        if ((method == "has_value" || method == "defined") && arguments.empty()) {
            type.reset();
            return fmt::format("({} is not None)", text);
        }
        if (method == "value_or" && arguments.size() == 1) {
            type.reset();
            return fmt::format("({0} if {0} is not None else {1})", text, arguments.front());
        }
        type.reset();
        if (method == "sizes" && arguments.empty()) {
            return text + ".shape";
        }
        if (method == "size" && arguments.size() == 1) {
            return fmt::format("{}.shape[{}]", text, arguments.front());
        }
        if (method == "dim" && arguments.empty()) {
            return text + ".ndim";
        }
        if ((method == "scalar_type" || method == "dtype") && arguments.empty()) {
            return text + ".dtype";
        }
        if (method == "numel" && arguments.empty()) {
            return fmt::format("{}({}.shape)", function("prod"), text);
        }
        if (method == "size" && arguments.empty()) {
            return fmt::format("{}({})", function("len"), text);
        }
        throw Obstacle{fmt::format("unknown method '{}'", method)};
    }

    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    int depth_ = 0;
    std::size_t steps_ = 0;
    CppPlace place_;
    const expr::Scope& scope_;
};

}  // namespace

CppTranslation translate_cpp(std::string_view text, CppPlace place, const expr::Scope& scope) {
    try {
        std::string result = Translator(text, place, scope).run();
        if (result.size() > 2 && result.front() == '(' && result.back() == ')') {
            // Brackets around the whole are noise.
            int depth = 0;
            bool whole = true;
            for (std::size_t at = 0; at + 1 < result.size(); ++at) {
                depth += result[at] == '(' ? 1 : result[at] == ')' ? -1 : 0;
                whole = whole && depth > 0;
            }
            result = whole ? result.substr(1, result.size() - 2) : result;
        }
        return {std::move(result), {}};
    } catch (const Obstacle& obstacle) {
        return {std::nullopt, obstacle.text};
    }
}

}  // namespace opweld::spec
