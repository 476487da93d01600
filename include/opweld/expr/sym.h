// Support for expressions emitted for PyTorch: sizes may be symbolic (c10::SymInt), and so may be what is
// compared. Emitted text reaches it as `expr::`; the file says `namespace expr = opweld::expr::sym;`. Needs
// torch's headers.
//
// What does not depend on sizes is plain: std::int64_t, bool, double, ATen's list types. A symbolic condition
// is not decided by `both` and `either` unless it is known; a conditional expression and an index guard on
// it.
#pragma once

#include <ATen/ExpandUtils.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>
#include <c10/core/SymBool.h>
#include <c10/core/SymInt.h>
#include <c10/core/SymIntArrayRef.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "opweld/expr/common.h"
#include "opweld/expr/lists.h"

namespace opweld::expr::sym {

using opweld::expr::Error;

using Ints = std::vector<std::int64_t>;
using IntLists = std::vector<Ints>;
using Sizes = std::vector<c10::SymInt>;
using SizeLists = std::vector<Sizes>;
using Floats = std::vector<double>;
using Bools = std::vector<bool>;
using SymBools = std::vector<c10::SymBool>;
using Strings = std::vector<std::string>;
using DTypes = std::vector<c10::ScalarType>;

namespace detail {
using namespace opweld::expr::detail;

inline std::int64_t concrete(std::int64_t value) { return value; }
inline std::int64_t concrete(const c10::SymInt& value) { return value.guard_int(__FILE__, __LINE__); }

template <class T>
inline constexpr bool is_symbolic = std::same_as<T, c10::SymInt> || std::same_as<T, c10::SymBool>;

// Integers narrower than 64 bits come from literals only.
template <class T>
using wide = std::conditional_t<std::integral<T> && !std::same_as<T, bool>, std::int64_t, T>;
}  // namespace detail

// ---- bools
// -------------------------------------------------------------------------------------------------------

inline bool guard(bool condition) { return condition; }
inline bool guard(const c10::SymBool& condition) { return condition.guard_bool(__FILE__, __LINE__); }

// `a and b`; b is evaluated unless a is known to be false. Where a is symbolic and b fails, a is guarded on:
// had it been false, b would not have been evaluated.
template <class Second>
c10::SymBool both(const c10::SymBool& first, const Second& second) {
    const std::optional<bool> known = first.maybe_as_bool();
    if (known) {
        return *known ? c10::SymBool(second()) : c10::SymBool(false);
    }
    try {
        return first.sym_and(second());
    } catch (const std::exception&) {
        if (guard(first)) {
            throw;
        }
        return false;
    }
}

// `a or b`, likewise.
template <class Second>
c10::SymBool either(const c10::SymBool& first, const Second& second) {
    const std::optional<bool> known = first.maybe_as_bool();
    if (known) {
        return *known ? c10::SymBool(true) : c10::SymBool(second());
    }
    try {
        return first.sym_or(second());
    } catch (const std::exception&) {
        if (!guard(first)) {
            throw;
        }
        return true;
    }
}

inline c10::SymBool negate(const c10::SymBool& value) { return value.sym_not(); }

// ---- comparisons
// -------------------------------------------------------------------------------------------------

inline c10::SymBool eq(const c10::SymInt& a, const c10::SymInt& b) { return a.sym_eq(b); }
inline c10::SymBool ne(const c10::SymInt& a, const c10::SymInt& b) { return a.sym_ne(b); }
inline c10::SymBool lt(const c10::SymInt& a, const c10::SymInt& b) { return a.sym_lt(b); }
inline c10::SymBool le(const c10::SymInt& a, const c10::SymInt& b) { return a.sym_le(b); }
inline c10::SymBool gt(const c10::SymInt& a, const c10::SymInt& b) { return a.sym_gt(b); }
inline c10::SymBool ge(const c10::SymInt& a, const c10::SymInt& b) { return a.sym_ge(b); }

// Two bools, at least one of them symbolic.
inline c10::SymBool same(const c10::SymBool& a, const c10::SymBool& b) {
    return a.sym_and(b).sym_or(a.sym_not().sym_and(b.sym_not()));
}

// Whether two values, or two lists item by item, are equal: a SymBool where sizes take part, else a bool.
template <class A, class B>
auto equal(const A& a, const B& b) {
    if constexpr (std::same_as<A, c10::SymBool> || std::same_as<B, c10::SymBool>) {
        return same(a, b);
    } else if constexpr (std::same_as<A, c10::SymInt> || std::same_as<B, c10::SymInt>) {
        return eq(a, b);
    } else if constexpr (requires {
                             typename A::value_type;
                             typename B::value_type;
                             requires !std::convertible_to<A, std::string_view>;
                         }) {
        using Result = decltype(equal(detail::item_type<A>(a[0]), detail::item_type<B>(b[0])));
        Result result = a.size() == b.size();
        for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
            const auto items = [&] { return equal(detail::item_type<A>(a[i]), detail::item_type<B>(b[i])); };
            if constexpr (std::same_as<Result, bool>) {
                result = result && items();
            } else {
                result = both(result, items);
            }
        }
        return result;
    } else {
        return a == b;
    }
}

template <class List, class T>
auto contains(const List& list, const T& value) {
    using Result = decltype(equal(detail::item_type<List>(list[0]), value));
    Result result = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto found = [&] { return equal(detail::item_type<List>(list[i]), value); };
        if constexpr (std::same_as<Result, bool>) {
            result = result || found();
        } else {
            result = either(result, found);
        }
    }
    return result;
}

// ---- presence
// ----------------------------------------------------------------------------------------------------

// An undefined tensor is an absent one.
inline bool has_value(const std::optional<at::Tensor>& tensor) {
    return tensor.has_value() && tensor->defined();
}
template <class T>
bool has_value(const T& optional) {
    return optional.has_value();
}

// ---- lists
// -------------------------------------------------------------------------------------------------------

template <class List>
std::int64_t len(const List& list) {
    return static_cast<std::int64_t>(list.size());
}

template <class List, class Index>
detail::item_type<List> item(const List& list, const Index& index) {
    return list[detail::wrap_index(detail::concrete(index), list.size())];
}
template <class T, class Index>
T item(const c10::List<T>& list, const Index& index) {
    return list.get(detail::wrap_index(detail::concrete(index), list.size()));
}

template <class List, class Start>
auto slice(const List& list, const Start& start) {
    return detail::slice(list, detail::concrete(start), detail::slice_end);
}
template <class List, class Start, class Stop>
auto slice(const List& list, const Start& start, const Stop& stop) {
    return detail::slice(list, detail::concrete(start), detail::concrete(stop));
}

template <class A, class B>
auto concat(const A& a, const B& b) {
    using Item = std::conditional_t<detail::is_symbolic<detail::item_type<B>>, detail::item_type<B>,
                                    detail::item_type<A>>;
    return detail::concat<Item>(a, b);
}

template <class List>
auto to_list(const List& list) {
    return detail::copy(list);
}

// A list of sizes from a list of ints.
template <class List>
Sizes to_sizes(const List& list) {
    return Sizes(list.begin(), list.end());
}

template <class Stop>
Ints range(const Stop& stop) {
    return detail::range(0, detail::concrete(stop), 1);
}
template <class Start, class Stop>
Ints range(const Start& start, const Stop& stop) {
    return detail::range(detail::concrete(start), detail::concrete(stop), 1);
}
template <class Start, class Stop, class Step>
Ints range(const Start& start, const Stop& stop, const Step& step) {
    return detail::range(detail::concrete(start), detail::concrete(stop), detail::concrete(step));
}

template <class List, class Function>
auto map(const List& list, const Function& function) {
    using Item = detail::item_type<List>;
    using Result = detail::wide<std::remove_cvref_t<std::invoke_result_t<Function, Item>>>;
    return detail::map<Result>(list, function);
}
template <class T, class Function>
auto map(const c10::List<T>& list, const Function& function) {
    return map(list.vec(), function);
}

// ---- numbers
// -----------------------------------------------------------------------------------------------------

inline std::int64_t floor_div(std::int64_t a, std::int64_t b) { return detail::floor_div(a, b); }
inline c10::SymInt floor_div(const c10::SymInt& a, const c10::SymInt& b) {
    const std::optional<std::int64_t> known_a = a.maybe_as_int();
    const std::optional<std::int64_t> known_b = b.maybe_as_int();
    if (known_b && (known_a || *known_b == 0)) {
        return detail::floor_div(known_a.value_or(0), *known_b);
    }
    return a / b;  // of symbolic sizes this rounds down
}

inline std::int64_t mod(std::int64_t a, std::int64_t b) { return detail::mod(a, b); }
inline c10::SymInt mod(const c10::SymInt& a, const c10::SymInt& b) {
    const std::optional<std::int64_t> known_a = a.maybe_as_int();
    const std::optional<std::int64_t> known_b = b.maybe_as_int();
    if (known_b && (known_a || *known_b == 0)) {
        return detail::mod(known_a.value_or(0), *known_b);
    }
    return a % b;
}

template <class A, class B>
auto ceil_div(const A& a, const B& b) {
    return -floor_div(-a, b);
}

inline double divide(double a, double b) { return detail::divide(a, b); }

inline double to_float(double value) { return value; }
inline double to_float(const c10::SymInt& value) {
    return static_cast<double>(value.guard_int(__FILE__, __LINE__));
}
inline double to_float(std::int64_t value) { return static_cast<double>(value); }
inline double to_float(int value) { return value; }
inline double to_float(const at::Scalar& value) { return value.toDouble(); }

template <class A, class B>
auto min(const A& a, const B& b) {
    if constexpr (std::same_as<A, c10::SymInt> || std::same_as<B, c10::SymInt>) {
        return c10::SymInt(a).min(c10::SymInt(b));
    } else {
        using T = std::conditional_t<std::integral<A>, std::int64_t, double>;
        return std::min<T>(a, b);
    }
}
template <class A, class B>
auto max(const A& a, const B& b) {
    if constexpr (std::same_as<A, c10::SymInt> || std::same_as<B, c10::SymInt>) {
        return c10::SymInt(a).max(c10::SymInt(b));
    } else {
        using T = std::conditional_t<std::integral<A>, std::int64_t, double>;
        return std::max<T>(a, b);
    }
}
template <class A, class B, class... Rest>
    requires(sizeof...(Rest) > 0)
auto min(const A& a, const B& b, const Rest&... rest) {
    return min(min(a, b), rest...);
}
template <class A, class B, class... Rest>
    requires(sizeof...(Rest) > 0)
auto max(const A& a, const B& b, const Rest&... rest) {
    return max(max(a, b), rest...);
}

template <class List>
detail::item_type<List> min(const List& list) {
    detail::require_items(list, "min");
    detail::item_type<List> result = list[0];
    for (const auto& value : list) {
        result = min(result, value);
    }
    return result;
}
template <class List>
detail::item_type<List> max(const List& list) {
    detail::require_items(list, "max");
    detail::item_type<List> result = list[0];
    for (const auto& value : list) {
        result = max(result, value);
    }
    return result;
}

template <class T>
auto abs(const T& value) {
    if constexpr (std::same_as<T, c10::SymInt>) {
        return value.max(-value);
    } else {
        using Wide = std::conditional_t<std::integral<T>, std::int64_t, double>;
        return Wide(std::abs(Wide(value)));
    }
}

template <class List>
detail::item_type<List> sum(const List& list) {
    detail::item_type<List> result = 0;
    for (const auto& value : list) {
        result = result + value;
    }
    return result;
}

template <class List>
detail::item_type<List> prod(const List& list) {
    detail::item_type<List> result = 1;
    for (const auto& value : list) {
        result = result * value;
    }
    return result;
}

// ---- shapes
// ------------------------------------------------------------------------------------------------------

namespace detail {
inline void require_size(const c10::SymInt& size) {
    const std::optional<std::int64_t> known = size.maybe_as_int();
    if (known && *known < 0) {
        throw Error("broadcast of the negative size " + std::to_string(*known));
    }
}
}  // namespace detail

// The shape that all the shapes broadcast to, by the rules for symbolic sizes of PyTorch's own operators.
template <class First, class... Rest>
Sizes broadcast(const First& first, const Rest&... rest) {
    Sizes result = to_sizes(first);
    const auto merge = [&result](const auto& shape) {
        result = at::infer_size_symint(result, to_sizes(shape));
    };
    (merge(rest), ...);
    for (const c10::SymInt& size : result) {
        detail::require_size(size);
    }
    return result;
}

// The shape of `shape` reduced over `dimensions`; no dimensions at all means every one, as in torch.sum. A
// symbolic keepdim is guarded on.
template <class Shape, class Dimensions, class KeepDim>
auto reduced(const Shape& shape, const Dimensions& dimensions, const KeepDim& keepdim) {
    if constexpr (std::same_as<Dimensions, std::nullopt_t>) {
        return reduced(shape, Ints{}, keepdim);
    } else if constexpr (requires { dimensions.has_value(); }) {
        return dimensions.has_value() ? reduced(shape, *dimensions, keepdim)
                                      : reduced(shape, Ints{}, keepdim);
    } else {
        std::vector<bool> is_reduced(shape.size(), dimensions.size() == 0);
        for (const auto& dimension : dimensions) {
            detail::mark_reduced(is_reduced, detail::concrete(dimension));
        }
        return detail::reduced(shape, is_reduced, guard(keepdim));
    }
}

// The output size of a convolution along one dimension, from the page of torch.nn.Conv2d.
template <class In, class Kernel, class Stride, class Padding, class Dilation>
auto conv_out(const In& in, const Kernel& kernel, const Stride& stride, const Padding& padding,
              const Dilation& dilation) {
    const detail::wide<Dilation> step = dilation;
    return floor_div(in + std::int64_t{2} * padding - step * (kernel - 1) - 1, stride) + 1;
}

// ---- dtypes
// ------------------------------------------------------------------------------------------------------

namespace detail {
struct ScalarTypePair {
    DType dtype;
    c10::ScalarType scalar_type;
};

inline constexpr ScalarTypePair scalar_types[] = {
    {DType::float32, c10::ScalarType::Float},
    {DType::float16, c10::ScalarType::Half},
    {DType::int8, c10::ScalarType::Char},
    {DType::int32, c10::ScalarType::Int},
    {DType::uint8, c10::ScalarType::Byte},
    {DType::int16, c10::ScalarType::Short},
    {DType::uint16, c10::ScalarType::UInt16},
    {DType::uint32, c10::ScalarType::UInt32},
    {DType::int64, c10::ScalarType::Long},
    {DType::uint64, c10::ScalarType::UInt64},
    {DType::float64, c10::ScalarType::Double},
    {DType::boolean, c10::ScalarType::Bool},
    {DType::complex64, c10::ScalarType::ComplexFloat},
    {DType::complex128, c10::ScalarType::ComplexDouble},
    {DType::bfloat16, c10::ScalarType::BFloat16},
    {DType::complex32, c10::ScalarType::ComplexHalf},
    {DType::float8_e5m2, c10::ScalarType::Float8_e5m2},
    {DType::float8_e4m3fn, c10::ScalarType::Float8_e4m3fn},
    {DType::float8_e8m0fnu, c10::ScalarType::Float8_e8m0fnu},
};

inline DType from_scalar_type(c10::ScalarType scalar_type) {
    for (const ScalarTypePair& pair : scalar_types) {
        if (pair.scalar_type == scalar_type) {
            return pair.dtype;
        }
    }
    throw Error(std::string("no ACL data type corresponds to ") + c10::toString(scalar_type));
}

inline c10::ScalarType to_scalar_type(DType dtype) {
    for (const ScalarTypePair& pair : scalar_types) {
        if (pair.dtype == dtype) {
            return pair.scalar_type;
        }
    }
    throw Error("PyTorch has no dtype " + std::string(dtype_name(dtype)));
}
}  // namespace detail

// The dtype with that aclDataType number.
template <class Code>
c10::ScalarType dtype_of(const Code& code) {
    const std::optional<DType> dtype = dtype_from_code(detail::concrete(code));
    if (!dtype) {
        throw Error("no dtype has the number " + std::to_string(detail::concrete(code)));
    }
    return detail::to_scalar_type(*dtype);
}

inline Participant participant(const at::Tensor& tensor) {
    return {detail::from_scalar_type(tensor.scalar_type()),
            tensor.dim() == 0 ? Participant::Rank::zero_dim : Participant::Rank::dimensioned};
}
inline Participant participant(c10::ScalarType dtype) { return {detail::from_scalar_type(dtype)}; }
inline Participant participant(bool) { return {DType::boolean, Participant::Rank::number}; }
inline Participant participant(double) {
    return {detail::from_scalar_type(c10::get_default_dtype_as_scalartype()), Participant::Rank::number};
}
template <std::integral T>
    requires(!std::same_as<T, bool>)
Participant participant(T) {
    return {DType::int64, Participant::Rank::number};
}
inline Participant participant(const c10::SymInt&) { return {DType::int64, Participant::Rank::number}; }
inline Participant participant(const at::Scalar& scalar) {
    if (scalar.isComplex()) {
        const c10::ScalarType real = c10::get_default_dtype_as_scalartype();
        return {detail::from_scalar_type(c10::toComplexType(real)), Participant::Rank::number};
    }
    if (scalar.isFloatingPoint()) {
        return participant(0.0);
    }
    return {scalar.isBoolean() ? DType::boolean : DType::int64, Participant::Rank::number};
}

// torch.result_type of the arguments.
template <class... Arguments>
c10::ScalarType promote(const Arguments&... arguments) {
    return detail::to_scalar_type(promote_all(std::initializer_list<Participant>{participant(arguments)...}));
}

}  // namespace opweld::expr::sym
