// Support for expressions emitted for vendor functions: everything is known, sizes are 64-bit integers.
// Emitted text reaches it as `expr::`; the file says `namespace expr = opweld::expr::host;`.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "opweld/expr/common.h"
#include "opweld/expr/lists.h"

namespace opweld::expr::host {

using opweld::expr::DType;
using opweld::expr::Error;
using opweld::expr::Scalar;

// A 64-bit integer whose arithmetic throws on overflow. Goes to and comes from std::int64_t without a cast.
class Int {
  public:
    constexpr Int(std::int64_t value = 0) : value_(value) {}
    constexpr operator std::int64_t() const { return value_; }

  private:
    std::int64_t value_;
};

template <class T>
concept Whole = std::same_as<T, Int> || (std::integral<T> && !std::same_as<T, bool>);

template <class A, class B>
concept WholePair = Whole<A> && Whole<B> && (std::same_as<A, Int> || std::same_as<B, Int>);

template <class A, class B>
    requires WholePair<A, B>
Int operator+(A a, B b) {
    return detail::add(a, b);
}
template <class A, class B>
    requires WholePair<A, B>
Int operator-(A a, B b) {
    return detail::subtract(a, b);
}
template <class A, class B>
    requires WholePair<A, B>
Int operator*(A a, B b) {
    return detail::multiply(a, b);
}
inline Int operator-(Int a) { return detail::subtract(0, a); }

template <class A, class B>
    requires WholePair<A, B>
constexpr bool operator==(A a, B b) {
    return static_cast<std::int64_t>(a) == static_cast<std::int64_t>(b);
}
template <class A, class B>
    requires WholePair<A, B>
constexpr auto operator<=>(A a, B b) {
    return static_cast<std::int64_t>(a) <=> static_cast<std::int64_t>(b);
}

using Ints = std::vector<std::int64_t>;
using IntLists = std::vector<Ints>;
using Floats = std::vector<double>;
using Bools = std::vector<bool>;
using Strings = std::vector<std::string>;
using DTypes = std::vector<DType>;

// What an expression knows of a tensor. The owner of the shape outlives the call.
struct Tensor {
    std::span<const std::int64_t> shape;
    DType dtype = DType::float32;

    Int ndim() const { return static_cast<std::int64_t>(shape.size()); }
};

using Tensors = std::vector<Tensor>;

namespace detail {
using namespace opweld::expr::detail;

// How an element leaves a list: integers become checked ones, references become values.
template <class Item>
using wide = std::conditional_t<std::same_as<Item, std::int64_t>, Int, Item>;
// How a result goes into one.
template <class Item>
using narrow = std::conditional_t<Whole<Item>, std::int64_t, Item>;
}  // namespace detail

template <class List>
Int len(const List& list) {
    return static_cast<std::int64_t>(list.size());
}

template <class List>
detail::wide<detail::item_type<List>> item(const List& list, std::int64_t index) {
    return list[detail::wrap_index(index, list.size())];
}

template <class List>
auto slice(const List& list, std::int64_t start, std::int64_t stop = detail::slice_end) {
    return detail::slice(list, start, stop);
}

template <class A, class B>
auto concat(const A& a, const B& b) {
    return detail::concat<detail::item_type<A>>(a, b);
}

// A list as a value of its own, whatever it was a view of.
template <class List>
auto to_list(const List& list) {
    return detail::copy(list);
}

inline Ints range(std::int64_t stop) { return detail::range(0, stop, 1); }
inline Ints range(std::int64_t start, std::int64_t stop, std::int64_t step = 1) {
    return detail::range(start, stop, step);
}

template <class List, class Function>
auto map(const List& list, const Function& function) {
    using Item = detail::wide<detail::item_type<List>>;
    using Result = detail::narrow<std::remove_cvref_t<std::invoke_result_t<Function, Item>>>;
    return detail::map<Result>(list, function);
}

template <class A, class B>
bool equal(const A& a, const B& b) {
    if (a.size() != b.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        if constexpr (requires { a[i] == b[i]; }) {
            if (!(a[i] == b[i])) {
                return false;
            }
        } else if (!equal(a[i], b[i])) {
            return false;
        }
    }
    return true;
}

template <class List, class T>
bool contains(const List& list, const T& value) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        if constexpr (requires { list[i] == value; }) {
            if (list[i] == value) {
                return true;
            }
        } else if (equal(list[i], value)) {
            return true;
        }
    }
    return false;
}

inline Int floor_div(std::int64_t a, std::int64_t b) { return detail::floor_div(a, b); }
inline Int mod(std::int64_t a, std::int64_t b) { return detail::mod(a, b); }
inline Int ceil_div(std::int64_t a, std::int64_t b) { return -floor_div(-Int(a), b); }
inline double divide(double a, double b) { return detail::divide(a, b); }
inline Int abs(Int a) { return a < 0 ? -a : a; }
template <Whole T>
    requires(!std::same_as<T, Int>)
Int abs(T a) {
    return abs(Int(a));
}
inline double abs(double a) { return std::fabs(a); }

template <class T>
double to_float(const T& value) {
    if constexpr (std::same_as<T, Scalar>) {
        return value.value;
    } else {
        return static_cast<double>(static_cast<std::int64_t>(value));
    }
}

template <class First, class... Rest>
    requires(sizeof...(Rest) > 0)
auto min(First first, Rest... rest) {
    using T = std::conditional_t<Whole<First>, Int, double>;
    return T(std::min<std::conditional_t<Whole<First>, std::int64_t, double>>({first, rest...}));
}

template <class First, class... Rest>
    requires(sizeof...(Rest) > 0)
auto max(First first, Rest... rest) {
    using T = std::conditional_t<Whole<First>, Int, double>;
    return T(std::max<std::conditional_t<Whole<First>, std::int64_t, double>>({first, rest...}));
}

template <class List>
auto min(const List& list) {
    detail::require_items(list, "min");
    return detail::wide<detail::item_type<List>>(*std::min_element(list.begin(), list.end()));
}

template <class List>
auto max(const List& list) {
    detail::require_items(list, "max");
    return detail::wide<detail::item_type<List>>(*std::max_element(list.begin(), list.end()));
}

template <class List>
auto sum(const List& list) {
    detail::wide<detail::item_type<List>> result = 0;
    for (const auto& value : list) {
        result = result + value;
    }
    return result;
}

template <class List>
auto prod(const List& list) {
    detail::wide<detail::item_type<List>> result = 1;
    for (const auto& value : list) {
        result = result * value;
    }
    return result;
}

// The shape that all the shapes broadcast to.
template <class First, class... Rest>
Ints broadcast(const First& first, const Rest&... rest) {
    Ints result;
    const auto merge = [&result](const auto& shape) {
        if (shape.size() > result.size()) {
            result.insert(result.begin(), shape.size() - result.size(), 1);
        }
        const std::size_t lead = result.size() - shape.size();
        for (std::size_t i = 0; i < shape.size(); ++i) {
            result[lead + i] = detail::broadcast_size(result[lead + i], shape[i]);
        }
    };
    merge(first);
    (merge(rest), ...);
    return result;
}

// The shape of `shape` reduced over `dimensions`; no dimensions at all means every one, as in torch.sum.
template <class Sizes, class Dimensions>
Ints reduced(const Sizes& shape, const Dimensions& dimensions, bool keepdim) {
    std::vector<bool> is_reduced(shape.size(), dimensions.size() == 0);
    for (const std::int64_t dimension : dimensions) {
        detail::mark_reduced(is_reduced, dimension);
    }
    return detail::reduced(shape, is_reduced, keepdim);
}

template <class Sizes>
Ints reduced(const Sizes& shape, std::nullopt_t, bool keepdim) {
    return reduced(shape, Ints{}, keepdim);
}

template <class Sizes, class Dimensions>
Ints reduced(const Sizes& shape, const std::optional<Dimensions>& dimensions, bool keepdim) {
    return dimensions ? reduced(shape, *dimensions, keepdim) : reduced(shape, Ints{}, keepdim);
}

// The output size of a convolution along one dimension, from the page of torch.nn.Conv2d.
inline Int conv_out(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                    std::int64_t dilation) {
    return floor_div(Int(in) + 2 * Int(padding) - Int(dilation) * (Int(kernel) - 1) - 1, stride) + 1;
}

inline DType dtype_of(std::int64_t code) {
    const std::optional<DType> dtype = dtype_from_code(code);
    if (!dtype) {
        throw Error("no dtype has the number " + std::to_string(code));
    }
    return *dtype;
}

// How tensors, dtypes and numbers take part in a promotion.
inline Participant participant(const Tensor& tensor) {
    return {tensor.dtype,
            tensor.shape.empty() ? Participant::Rank::zero_dim : Participant::Rank::dimensioned};
}
inline Participant participant(DType dtype) { return {dtype}; }
inline Participant participant(const Scalar& scalar) {
    return {scalar.dtype == DType::float64 ? DType::float32 : scalar.dtype, Participant::Rank::number};
}
inline Participant participant(bool) { return {DType::boolean, Participant::Rank::number}; }
inline Participant participant(double) { return {DType::float32, Participant::Rank::number}; }
template <Whole T>
Participant participant(T) {
    return {DType::int64, Participant::Rank::number};
}

// torch.result_type of the arguments, with float32 as the default dtype.
template <class... Arguments>
DType promote(const Arguments&... arguments) {
    return promote_all(std::initializer_list<Participant>{participant(arguments)...});
}

}  // namespace opweld::expr::host
