// From an element type known at run time to code compiled for it.
#pragma once

#include <stdexcept>
#include <string>

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

template <typename First, typename... Rest, typename Function>
decltype(auto) dispatch_types(int32_t dtype, Function& function) {
    if (dtype == dtype_of<First>) {
        return function.template operator()<First>();
    }
    if constexpr (sizeof...(Rest) > 0) {
        return dispatch_types<Rest...>(dtype, function);
    } else {
        no_type<Function>(dtype);
    }
}

}  // namespace detail

// Calls function.operator()<T>() with the type of the list that `dtype` names; throws where none does.
//     dispatch(args.x, TypeList<float, Half>{}, [&]<typename T>() { … });
template <typename... Ts, typename Function>
decltype(auto) dispatch(int32_t dtype, TypeList<Ts...> /*types*/, Function&& function) {
    return detail::dispatch_types<Ts...>(dtype, function);
}

template <typename... Ts, typename Function>
decltype(auto) dispatch(const ViewBase& tensor, TypeList<Ts...> /*types*/, Function&& function) {
    return detail::dispatch_types<Ts...>(tensor.dtype(), function);
}

}  // namespace opweld
