// The types of the expression language. Values are small and immutable; copies are cheap.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace opweld::spec::expr {

enum class Kind : std::uint8_t {
    integer,
    floating,
    boolean,
    string,
    dtype,
    scalar,  // PyTorch's Scalar: a number whose type is known at run time only
    none,    // the type of `None`
    never,   // the element type of `[]`
    tensor,
    list,
    optional,
    opaque,  // Device, Layout, MemoryFormat, Generator: can only be compared with None
    error    // the type of an expression that has been reported; suppresses further reports
};

class Type {
  public:
    Type() = default;  // the error type

    static Type integer() { return Type(Kind::integer); }
    static Type sym_int() { return Type(Kind::integer).as_symbolic(); }
    static Type floating() { return Type(Kind::floating); }
    static Type boolean() { return Type(Kind::boolean); }
    static Type string() { return Type(Kind::string); }
    static Type dtype() { return Type(Kind::dtype); }
    static Type scalar() { return Type(Kind::scalar); }
    static Type none() { return Type(Kind::none); }
    static Type never() { return Type(Kind::never); }
    static Type tensor() { return Type(Kind::tensor); }
    static Type error() { return Type(Kind::error); }
    static Type opaque(std::string name);
    static Type list(Type element);
    static Type optional(Type element);  // an optional of an optional is that optional

    Kind kind() const { return kind_; }
    bool is(Kind kind) const { return kind_ == kind; }
    bool is_list_of(Kind kind) const { return kind_ == Kind::list && element_->kind_ == kind; }
    bool is_number() const;                            // int, float or Scalar
    const Type& element() const { return *element_; }  // of a list or an optional only

    // True where the value may depend on a symbolic size: such an int is a c10::SymInt in C++ for PyTorch,
    // such a bool a c10::SymBool. A list or an optional is symbolic when its element is. Equality ignores it.
    bool symbolic() const;
    Type as_symbolic(bool symbolic = true) const;

    // As users write it: `int`, `list[float]`, `Tensor?`.
    std::string name() const;
    // The same with its article, for sentences: `an int`, `a list[float]`.
    std::string described() const;

    friend bool operator==(const Type& a, const Type& b);

  private:
    explicit Type(Kind kind) : kind_(kind) {}

    Kind kind_ = Kind::error;
    bool symbolic_ = false;
    std::shared_ptr<const Type> element_;
    std::string opaque_name_;
};

// The names an expression may use: inputs, attributes, outputs and `let:` values of the operator.
using Scope = std::map<std::string, Type, std::less<>>;

}  // namespace opweld::spec::expr
