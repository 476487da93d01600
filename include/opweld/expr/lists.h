// List operations of emitted expressions on anything with size() and []: std::vector, std::span,
// c10::ArrayRef. The flavours host.h and sym.h build on these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "opweld/expr/common.h"

namespace opweld::expr::detail {

template <class List>
using item_type = std::remove_cv_t<typename List::value_type>;

template <class List>
std::vector<item_type<List>> copy(const List& list) {
    return std::vector<item_type<List>>(list.begin(), list.end());
}

template <class Item, class A, class B>
std::vector<Item> concat(const A& a, const B& b) {
    std::vector<Item> result;
    result.reserve(a.size() + b.size());
    result.insert(result.end(), a.begin(), a.end());
    result.insert(result.end(), b.begin(), b.end());
    return result;
}

template <class List>
std::vector<item_type<List>> slice(const List& list, std::int64_t start, std::int64_t stop) {
    const auto [first, last] = slice_bounds(start, stop, list.size());
    std::vector<item_type<List>> result;
    result.reserve(last - first);
    for (std::size_t i = first; i < last; ++i) {
        result.push_back(list[i]);
    }
    return result;
}

inline std::vector<std::int64_t> range(std::int64_t start, std::int64_t stop, std::int64_t step) {
    const std::int64_t length = range_length(start, stop, step);
    std::vector<std::int64_t> result;
    result.reserve(static_cast<std::size_t>(length));
    for (std::int64_t i = 0; i < length; ++i) {
        result.push_back(start + i * step);
    }
    return result;
}

template <class Result, class List, class Function>
std::vector<Result> map(const List& list, const Function& function) {
    std::vector<Result> result;
    result.reserve(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
        result.push_back(function(list[i]));
    }
    return result;
}

template <class List>
void require_items(const List& list, const char* function) {
    if (list.empty()) {
        throw Error(std::string(function) + "() of an empty list");
    }
}

template <class Sizes, class Flags>
std::vector<item_type<Sizes>> reduced(const Sizes& shape, const Flags& is_reduced, bool keepdim) {
    std::vector<item_type<Sizes>> result;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (!is_reduced[i]) {
            result.push_back(shape[i]);
        } else if (keepdim) {
            result.emplace_back(1);
        }
    }
    return result;
}

}  // namespace opweld::expr::detail
