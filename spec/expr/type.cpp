#include "spec/expr/type.h"

#include <utility>

namespace opweld::spec::expr {

Type Type::opaque(std::string name) {
    Type type(Kind::opaque);
    type.opaque_name_ = std::move(name);
    return type;
}

Type Type::list(Type element) {
    Type type(Kind::list);
    type.element_ = std::make_shared<const Type>(std::move(element));
    return type;
}

Type Type::optional(Type element) {
    if (element.is(Kind::optional) || element.is(Kind::none) || element.is(Kind::error)) {
        return element;
    }
    Type type(Kind::optional);
    type.element_ = std::make_shared<const Type>(std::move(element));
    return type;
}

bool Type::is_number() const {
    return kind_ == Kind::integer || kind_ == Kind::floating || kind_ == Kind::scalar;
}

bool Type::symbolic() const { return element_ ? element_->symbolic() : symbolic_; }

Type Type::as_symbolic(bool symbolic) const {
    Type type = *this;
    if (element_) {
        type.element_ = std::make_shared<const Type>(element_->as_symbolic(symbolic));
    } else if (kind_ == Kind::integer || kind_ == Kind::boolean) {
        type.symbolic_ = symbolic;
    }
    return type;
}

std::string Type::name() const {
    switch (kind_) {
        case Kind::integer:
            return "int";
        case Kind::floating:
            return "float";
        case Kind::boolean:
            return "bool";
        case Kind::string:
            return "str";
        case Kind::dtype:
            return "dtype";
        case Kind::scalar:
            return "Scalar";
        case Kind::none:
            return "None";
        case Kind::never:
            return "nothing";
        case Kind::tensor:
            return "Tensor";
        case Kind::list:
            return element_->is(Kind::never) ? "empty list" : "list[" + element_->name() + "]";
        case Kind::optional:
            return element_->name() + "?";
        case Kind::opaque:
            return opaque_name_;
        case Kind::error:
            break;
    }
    return "error";
}

std::string Type::described() const {
    if (kind_ == Kind::none || kind_ == Kind::never) {
        return name();
    }
    const std::string text = name();
    constexpr std::string_view vowels = "aeioAEIO";
    return (vowels.find(text.front()) == std::string_view::npos ? "a " : "an ") + text;
}

bool operator==(const Type& a, const Type& b) {
    if (a.kind_ != b.kind_ || a.opaque_name_ != b.opaque_name_) {
        return false;
    }
    return !a.element_ || *a.element_ == *b.element_;
}

}  // namespace opweld::spec::expr
