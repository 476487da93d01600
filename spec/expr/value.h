// Concrete values, and the evaluation of an expression on them.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "opweld/expr/dtype.h"
#include "spec/expr/expression.h"

namespace opweld::spec::expr {

using opweld::expr::DType;

struct TensorValue {
    std::vector<std::int64_t> shape;
    DType dtype = DType::float32;

    friend bool operator==(const TensorValue&, const TensorValue&) = default;
};

struct Value;
using ListValue = std::vector<Value>;

// std::monostate is None. A Scalar is held as the bool, int or float that it is.
struct Value {
    std::variant<std::monostate, bool, std::int64_t, double, std::string, DType, TensorValue, ListValue> data;

    Value() = default;
    template <class T>
        requires(!std::is_same_v<std::remove_cvref_t<T>, Value>)
    // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the line above leaves copies and moves alone
    Value(T&& value) : data(std::forward<T>(value)) {}

    bool is_none() const { return std::holds_alternative<std::monostate>(data); }
    std::string text() const;  // as Python prints it
    friend bool operator==(const Value&, const Value&) = default;
};

// A list of ints as a value, and back.
Value int_list(const std::vector<std::int64_t>& items);
std::vector<std::int64_t> to_int_list(const Value& value);

using Bindings = std::map<std::string, Value, std::less<>>;

// The value does not exist: index out of range, division by zero, overflow, shapes that do not broadcast.
class EvaluationError : public std::runtime_error {
  public:
    EvaluationError(Span span, const std::string& message) : std::runtime_error(message), span_(span) {}
    const Span& span() const { return span_; }

  private:
    Span span_;
};

// `bindings` must have every free name, with a value of its type in the scope. Throws EvaluationError.
Value evaluate(const Expression& expression, const Bindings& bindings);

}  // namespace opweld::spec::expr
