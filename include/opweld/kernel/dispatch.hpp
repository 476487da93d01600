// From an element type known at run time to code compiled for it.
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "opweld/kernel/dtype.hpp"
#include "opweld/kernel/tensor_view.hpp"

namespace opweld {

template <typename... Ts>
struct TypeList {};

using FloatingTypes = TypeList<float, Half, BFloat16, double>;
using IntegerTypes = TypeList<int8_t, int16_t, int32_t, int64_t, uint8_t>;

namespace detail {

template <typename Function>
[[noreturn]] void no_type(int32_t dtype) {
    throw std::invalid_argument("the kernel has no code for " + dtype_name(dtype));
}

template <typename Function, typename T>
using Answer = decltype(std::declval<Function&>().template operator()<T>());

template <typename Answered, typename First, typename... Rest, typename Function>
Answered dispatch_types(int32_t dtype, Function& function) {
    if (dtype == dtype_of<First>) {
        return function.template operator()<First>();
    }
    if constexpr (sizeof...(Rest) > 0) {
        return dispatch_types<Answered, Rest...>(dtype, function);
    } else {
        no_type<Function>(dtype);
    }
}

template <typename First, typename... Rest, typename Function>
Answer<Function, First> dispatch_all(int32_t dtype, Function& function) {
    constexpr bool same = (std::is_same_v<Answer<Function, First>, Answer<Function, Rest>> && ...);
    static_assert(
        same,
        "the function given to opweld::dispatch returns another type for each element type: a kernel "
        "returns nothing, it writes its outputs (leave out the return, or return one type for all)");
    if constexpr (same) {
        return dispatch_types<Answer<Function, First>, First, Rest...>(dtype, function);
    } else {
        no_type<Function>(dtype);
    }
}

}  // namespace detail

// Calls function.operator()<T>() with the type of the list that `dtype` names; throws where none does.
// What it returns must have the same type for all of them.
//     dispatch(args.x, TypeList<float, Half>{}, [&]<typename T>() { … });
template <typename... Ts, typename Function>
decltype(auto) dispatch(int32_t dtype, TypeList<Ts...> /*types*/, Function&& function) {
    return detail::dispatch_all<Ts...>(dtype, function);
}

template <typename... Ts, typename Function>
decltype(auto) dispatch(const ViewBase& tensor, TypeList<Ts...> /*types*/, Function&& function) {
    return detail::dispatch_all<Ts...>(tensor.dtype(), function);
}

}  // namespace opweld
