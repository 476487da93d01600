// Support for expressions emitted for InferShape: a size, a rank, and all that follows from them may be
// unknown. Emitted text reaches it as `expr::`; the file says `namespace expr = opweld::expr::graph;`.
//
// Arithmetic with an unknown gives an unknown; a comparison with one is neither true nor false. What can be
// told in spite of it is told: `False and unknown` is false, sizes 4 and unknown broadcast to 4.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "opweld/expr/common.h"

namespace opweld::expr::graph {

using opweld::expr::DType;
using opweld::expr::Error;
using opweld::expr::Scalar;

// Whether a U makes a known T: numbers and bools are not mixed up.
template <class U, class T>
concept Makes = std::convertible_to<U, T> &&
                (!std::is_arithmetic_v<T> ||
                 (std::integral<U> == std::integral<T> && std::same_as<U, bool> == std::same_as<T, bool>));

// A value that is known or not. Default: unknown.
template <class T>
class Value {
  public:
    Value() = default;
    template <class U>
        requires(!std::same_as<std::remove_cvref_t<U>, Value> && Makes<std::remove_cvref_t<U>, T>)
    Value(U&& value) : value_(T(std::forward<U>(value))) {}

    bool known() const { return value_.has_value(); }
    const T& value() const { return *value_; }  // of a known value only
    T value_or(T other) const { return value_.value_or(std::move(other)); }

    friend Value<bool> operator==(const Value& a, const Value& b) { return compare(a, b, std::equal_to<>{}); }
    friend Value<bool> operator!=(const Value& a, const Value& b) {
        return compare(a, b, std::not_equal_to<>{});
    }
    friend Value<bool> operator<(const Value& a, const Value& b) { return compare(a, b, std::less<>{}); }
    friend Value<bool> operator<=(const Value& a, const Value& b) {
        return compare(a, b, std::less_equal<>{});
    }
    friend Value<bool> operator>(const Value& a, const Value& b) { return compare(a, b, std::greater<>{}); }
    friend Value<bool> operator>=(const Value& a, const Value& b) {
        return compare(a, b, std::greater_equal<>{});
    }

  private:
    template <class Relation>
    static Value<bool> compare(const Value& a, const Value& b, Relation relation) {
        if (!a.known() || !b.known()) {
            return {};
        }
        return static_cast<bool>(relation(a.value(), b.value()));
    }

    std::optional<T> value_;
};

using Int = Value<std::int64_t>;
using Float = Value<double>;
using Bool = Value<bool>;
using String = Value<std::string>;
using DTypeValue = Value<DType>;

inline bool known_true(const Bool& value) { return value.known() && value.value(); }
inline bool known_false(const Bool& value) { return value.known() && !value.value(); }

// A list whose length may be unknown. Default: unknown.
template <class Item>
class List {
  public:
    using value_type = Item;

    List() = default;
    List(std::initializer_list<Item> items) : items_(items) {}
    template <class Container>
        requires(!std::same_as<std::remove_cvref_t<Container>, List> &&
                 requires(const Container& c) {
                     { *c.begin() } -> std::convertible_to<Item>;
                 })
    List(const Container& items) : items_(std::vector<Item>(items.begin(), items.end())) {}

    static List empty() { return std::vector<Item>(); }

    bool known() const { return items_.has_value(); }
    // The rest is for lists of known length only.
    std::size_t size() const { return items_->size(); }
    const Item& operator[](std::size_t index) const { return (*items_)[index]; }
    auto begin() const { return items_->begin(); }
    auto end() const { return items_->end(); }

  private:
    std::optional<std::vector<Item>> items_;
};

using Ints = List<Int>;
using IntLists = List<Ints>;
using Floats = List<Float>;
using Bools = List<Bool>;
using Strings = List<String>;
using DTypes = List<DTypeValue>;

struct Tensor {
    Ints shape;
    DTypeValue dtype;

    Int ndim() const { return shape.known() ? Int(static_cast<std::int64_t>(shape.size())) : Int(); }
};

using Tensors = List<Tensor>;

// A shape from the graph engine's sizes: -1 is an unknown size, [-2] an unknown rank. And back.
inline Ints from_ge(const std::vector<std::int64_t>& dims) {
    if (dims.size() == 1 && dims[0] == -2) {
        return {};
    }
    std::vector<Int> sizes;
    sizes.reserve(dims.size());
    for (const std::int64_t dim : dims) {
        sizes.push_back(dim < 0 ? Int() : Int(dim));
    }
    return sizes;
}

inline std::vector<std::int64_t> to_ge(const Ints& shape) {
    if (!shape.known()) {
        return {-2};
    }
    std::vector<std::int64_t> dims;
    dims.reserve(shape.size());
    for (const Int& size : shape) {
        dims.push_back(size.value_or(-1));
    }
    return dims;
}

// ---- numbers
// -----------------------------------------------------------------------------------------------------

namespace detail {
using namespace opweld::expr::detail;

template <class Result, class Function, class... Values>
Value<Result> apply(const Function& function, const Values&... values) {
    return (values.known() && ...) ? Value<Result>(function(values.value()...)) : Value<Result>();
}

template <class T>
inline constexpr bool is_list = false;
template <class Item>
inline constexpr bool is_list<List<Item>> = true;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

// What an operation on something unknown gives.
template <class T>
T unknown() {
    if constexpr (is_optional<T>) {
        throw Error("whether an optional value is present depends on an unknown size");
    } else {
        return T();
    }
}
}  // namespace detail

inline Int operator+(const Int& a, const Int& b) { return detail::apply<std::int64_t>(detail::add, a, b); }
inline Int operator-(const Int& a, const Int& b) {
    return detail::apply<std::int64_t>(detail::subtract, a, b);
}
inline Int operator*(const Int& a, const Int& b) {
    return detail::apply<std::int64_t>(detail::multiply, a, b);
}
inline Int operator-(const Int& a) { return Int(std::int64_t{0}) - a; }
inline Int floor_div(const Int& a, const Int& b) {
    return detail::apply<std::int64_t>(detail::floor_div, a, b);
}
inline Int mod(const Int& a, const Int& b) { return detail::apply<std::int64_t>(detail::mod, a, b); }
inline Int ceil_div(const Int& a, const Int& b) { return -floor_div(-a, b); }

inline Float operator+(const Float& a, const Float& b) { return detail::apply<double>(std::plus<>{}, a, b); }
inline Float operator-(const Float& a, const Float& b) { return detail::apply<double>(std::minus<>{}, a, b); }
inline Float operator*(const Float& a, const Float& b) {
    return detail::apply<double>(std::multiplies<>{}, a, b);
}
inline Float operator-(const Float& a) { return detail::apply<double>(std::negate<>{}, a); }
inline Float divide(const Float& a, const Float& b) { return detail::apply<double>(detail::divide, a, b); }
inline Float to_float(const Int& value) {
    return detail::apply<double>([](std::int64_t number) { return static_cast<double>(number); }, value);
}
inline Float to_float(const Scalar& value) { return value.value; }

// ---- comparisons and bools
// ---------------------------------------------------------------------------------------

inline Bool negate(const Bool& value) { return detail::apply<bool>(std::logical_not<>{}, value); }

// `a and b`; b is evaluated unless a is known to be false. Where a is unknown, b may fail.
template <class Second>
Bool both(const Bool& first, const Second& second) {
    if (first.known()) {
        return first.value() ? Bool(second()) : Bool(false);
    }
    try {
        return known_false(Bool(second())) ? Bool(false) : Bool();
    } catch (const Error&) {
        return {};
    }
}

// `a or b`, likewise.
template <class Second>
Bool either(const Bool& first, const Second& second) {
    return negate(both(negate(first), [&] { return negate(Bool(second())); }));
}

// Whether two values, or two lists item by item, are equal.
template <class A, class B>
Bool equal(const A& a, const B& b) {
    if constexpr (detail::is_list<A> && detail::is_list<B>) {
        if (!a.known() || !b.known()) {
            return {};
        }
        Bool result = a.size() == b.size();
        for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
            result = both(result, [&] { return equal(a[i], b[i]); });
        }
        return result;
    } else {
        return a == b;
    }
}

template <class Item, class T>
Bool contains(const List<Item>& list, const T& value) {
    if (!list.known()) {
        return {};
    }
    Bool result = false;
    for (const Item& candidate : list) {
        result = either(result, [&] { return equal(candidate, value); });
    }
    return result;
}

namespace detail {
template <class T>
Value<T> merge(const Value<T>& a, const Value<T>& b) {
    return known_true(a == b) ? a : Value<T>();
}
template <class Item>
List<Item> merge(const List<Item>& a, const List<Item>& b) {
    if (!a.known() || !b.known() || a.size() != b.size()) {
        return {};
    }
    std::vector<Item> items;
    for (std::size_t i = 0; i < a.size(); ++i) {
        items.push_back(merge(a[i], b[i]));
    }
    return items;
}
inline Tensor merge(const Tensor& a, const Tensor& b) {
    return {merge(a.shape, b.shape), merge(a.dtype, b.dtype)};
}
template <class T>
std::optional<T> merge(const std::optional<T>& /*a*/, const std::optional<T>& /*b*/) {
    return unknown<std::optional<T>>();
}
}  // namespace detail

// `a if condition else b`. Where the condition is unknown, so is all in which the two differ.
template <class Result, class A, class B>
Result select(const Bool& condition, const A& a, const B& b) {
    if (condition.known()) {
        return condition.value() ? Result(a()) : Result(b());
    }
    try {
        return detail::merge(Result(a()), Result(b()));
    } catch (const Error&) {
        return detail::unknown<Result>();
    }
}

// ---- lists
// -------------------------------------------------------------------------------------------------------

template <class Item>
Int len(const List<Item>& list) {
    return list.known() ? Int(static_cast<std::int64_t>(list.size())) : Int();
}

template <class Item>
Item item(const List<Item>& list, const Int& index) {
    if (!list.known() || !index.known()) {
        return detail::unknown<Item>();
    }
    return list[detail::wrap_index(index.value(), list.size())];
}

template <class Item>
List<Item> slice(const List<Item>& list, const Int& start, const Int& stop = detail::slice_end) {
    if (!list.known() || !start.known() || !stop.known()) {
        return {};
    }
    const auto [first, last] = detail::slice_bounds(start.value(), stop.value(), list.size());
    return std::vector<Item>(list.begin() + static_cast<std::ptrdiff_t>(first),
                             list.begin() + static_cast<std::ptrdiff_t>(last));
}

template <class Item>
List<Item> concat(const List<Item>& a, const List<Item>& b) {
    if (!a.known() || !b.known()) {
        return {};
    }
    std::vector<Item> items(a.begin(), a.end());
    items.insert(items.end(), b.begin(), b.end());
    return items;
}

inline Ints range(const Int& start, const Int& stop, const Int& step = 1) {
    if (!start.known() || !stop.known() || !step.known()) {
        return {};
    }
    const std::int64_t length = detail::range_length(start.value(), stop.value(), step.value());
    std::vector<Int> items;
    for (std::int64_t i = 0; i < length; ++i) {
        items.emplace_back(start.value() + i * step.value());
    }
    return items;
}
inline Ints range(const Int& stop) { return range(0, stop); }

template <class Result, class Item, class Function>
List<Result> map(const List<Item>& list, const Function& function) {
    if (!list.known()) {
        return {};
    }
    std::vector<Result> items;
    for (const Item& value : list) {
        items.push_back(function(value));
    }
    return items;
}

namespace detail {
template <class Item, class Combine>
Item fold(const List<Item>& list, std::optional<Item> start, const char* function, const Combine& combine) {
    if (!list.known()) {
        return {};
    }
    std::optional<Item> result = std::move(start);
    for (const Item& value : list) {
        result = result ? combine(*result, value) : value;
    }
    if (!result) {
        throw Error(std::string(function) + "() of an empty list");
    }
    return *result;
}
}  // namespace detail

// Below, Number is Int or Float.
template <class Number>
Number make_number(int value) {
    if constexpr (std::same_as<Number, Float>) {
        return static_cast<double>(value);
    } else {
        return value;
    }
}
template <class Number>
Number smaller(const Number& a, const Number& b) {
    return a.known() && b.known() ? (b.value() < a.value() ? b : a) : Number();
}
template <class Number>
Number larger(const Number& a, const Number& b) {
    return a.known() && b.known() ? (a.value() < b.value() ? b : a) : Number();
}
template <class Number>
Number min(const List<Number>& list) {
    return detail::fold<Number>(list, std::nullopt, "min", smaller<Number>);
}
template <class Number>
Number max(const List<Number>& list) {
    return detail::fold<Number>(list, std::nullopt, "max", larger<Number>);
}
template <class Number>
Number sum(const List<Number>& list) {
    return detail::fold<Number>(list, make_number<Number>(0), "sum",
                                [](const Number& a, const Number& b) { return a + b; });
}
template <class Number>
Number prod(const List<Number>& list) {
    return detail::fold<Number>(list, make_number<Number>(1), "prod",
                                [](const Number& a, const Number& b) { return a * b; });
}
inline Int abs(const Int& value) { return known_true(value < 0) ? -value : value; }
inline Float abs(const Float& value) {
    return detail::apply<double>([](double number) { return std::fabs(number); }, value);
}

// ---- shapes and dtypes
// -------------------------------------------------------------------------------------------

namespace detail {
// A size that broadcasts with an unknown one is the result unless it is 1.
inline Int broadcast_sizes(const Int& a, const Int& b) {
    if (a.known() && b.known()) {
        return broadcast_size(a.value(), b.value());
    }
    const Int& size = a.known() ? a : b;
    return size.known() && size.value() != 1 ? size : Int();
}
}  // namespace detail

// The shape that all the shapes broadcast to.
inline Ints broadcast(std::initializer_list<Ints> shapes) {
    std::vector<Int> result;
    for (const Ints& shape : shapes) {
        if (!shape.known()) {
            return {};
        }
        if (shape.size() > result.size()) {
            result.insert(result.begin(), shape.size() - result.size(), Int(1));
        }
        const std::size_t lead = result.size() - shape.size();
        for (std::size_t i = 0; i < shape.size(); ++i) {
            result[lead + i] = detail::broadcast_sizes(result[lead + i], shape[i]);
        }
    }
    return result;
}

// The shape of `shape` reduced over `dimensions`; no dimensions at all means every one, as in torch.sum.
inline Ints reduced(const Ints& shape, const Ints& dimensions, const Bool& keepdim) {
    if (!shape.known()) {
        return {};
    }
    const bool dimensions_known =
        dimensions.known() &&
        std::all_of(dimensions.begin(), dimensions.end(), [](const Int& item) { return item.known(); });
    if (!keepdim.known() || !dimensions_known) {
        return known_true(keepdim) ? Ints(std::vector<Int>(shape.size())) : Ints();
    }
    std::vector<bool> is_reduced(shape.size(), dimensions.size() == 0);
    for (const Int& dimension : dimensions) {
        detail::mark_reduced(is_reduced, dimension.value());
    }
    std::vector<Int> sizes;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (!is_reduced[i]) {
            sizes.push_back(shape[i]);
        } else if (keepdim.value()) {
            sizes.emplace_back(1);
        }
    }
    return sizes;
}
inline Ints reduced(const Ints& shape, const std::optional<Ints>& dimensions, const Bool& keepdim) {
    return reduced(shape, dimensions ? *dimensions : Ints::empty(), keepdim);
}

// The output size of a convolution along one dimension, from the page of torch.nn.Conv2d.
inline Int conv_out(const Int& in, const Int& kernel, const Int& stride, const Int& padding,
                    const Int& dilation) {
    return floor_div(in + 2 * padding - dilation * (kernel - 1) - 1, stride) + 1;
}

inline DTypeValue dtype_of(const Int& code) {
    if (!code.known()) {
        return {};
    }
    const std::optional<DType> dtype = dtype_from_code(code.value());
    if (!dtype) {
        throw Error("no dtype has the number " + std::to_string(code.value()));
    }
    return *dtype;
}

// How tensors, dtypes and numbers take part in a promotion; of a tensor, dtype and rank may be unknown.
struct MaybeParticipant {
    DTypeValue dtype;
    Value<Participant::Rank> rank = Participant::Rank::dimensioned;
};

inline MaybeParticipant participant(const Tensor& tensor) {
    if (!tensor.shape.known()) {
        return {tensor.dtype, {}};
    }
    return {tensor.dtype,
            tensor.shape.size() == 0 ? Participant::Rank::zero_dim : Participant::Rank::dimensioned};
}
inline MaybeParticipant participant(const DTypeValue& dtype) { return {dtype}; }
inline MaybeParticipant participant(const Scalar& scalar) {
    return {scalar.dtype == DType::float64 ? DType::float32 : scalar.dtype, Participant::Rank::number};
}
inline MaybeParticipant participant(const Bool& /*number*/) {
    return {DType::boolean, Participant::Rank::number};
}
inline MaybeParticipant participant(const Int& /*number*/) {
    return {DType::int64, Participant::Rank::number};
}
inline MaybeParticipant participant(const Float& /*number*/) {
    return {DType::float32, Participant::Rank::number};
}

// torch.result_type of the arguments, with float32 as the default dtype. Every tensor of unknown rank is
// taken once as 0-d and once as not; the result is known if that makes no difference.
template <class... Arguments>
DTypeValue promote(const Arguments&... arguments) {
    constexpr std::size_t max_unknown_ranks = 6;
    std::vector<Participant> participants;
    std::vector<std::size_t> unknown_ranks;
    for (const MaybeParticipant& argument : {participant(arguments)...}) {
        if (!argument.dtype.known()) {
            return {};
        }
        if (!argument.rank.known()) {
            unknown_ranks.push_back(participants.size());
        }
        participants.push_back(
            {argument.dtype.value(), argument.rank.value_or(Participant::Rank::dimensioned)});
    }
    if (unknown_ranks.size() > max_unknown_ranks) {
        return {};
    }
    std::optional<DTypeValue> result;
    for (std::size_t choice = 0; choice < (std::size_t{1} << unknown_ranks.size()); ++choice) {
        for (std::size_t i = 0; i < unknown_ranks.size(); ++i) {
            const bool zero_dim = ((choice >> i) & 1U) != 0;
            participants[unknown_ranks[i]].rank =
                zero_dim ? Participant::Rank::zero_dim : Participant::Rank::dimensioned;
        }
        const DTypeValue dtype = promote_all(participants);
        result = result ? detail::merge(*result, dtype) : dtype;
    }
    return *result;
}

}  // namespace opweld::expr::graph
