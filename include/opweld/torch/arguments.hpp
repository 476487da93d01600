// PyTorch's attribute types as kernels and aclnn functions take them.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>
#include <c10/core/SymInt.h>
#include <c10/core/SymIntArrayRef.h>
#include <c10/util/SmallVector.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opweld/torch/types.hpp"

namespace opweld::torch_support {

using Flags = c10::SmallVector<bool, 8>;
using Integers = std::vector<int64_t>;

// Symbolic integers become plain ones (a kernel only runs on sizes that are known), dtypes become numbers of
// OpweldDType, and bools become memory that a pointer can go through.
inline int64_t plain(const c10::SymInt& value) { return value.guard_int(__FILE__, __LINE__); }
inline std::optional<int64_t> plain(const std::optional<c10::SymInt>& value) {
    return value.has_value() ? std::optional<int64_t>(plain(*value)) : std::nullopt;
}
inline Integers plain(c10::SymIntArrayRef values) {
    Integers result;
    result.reserve(values.size());
    for (const c10::SymInt& value : values) {
        result.push_back(plain(value));
    }
    return result;
}
inline std::optional<Integers> plain(const at::OptionalSymIntArrayRef& values) {
    return values.has_value() ? std::optional<Integers>(plain(*values)) : std::nullopt;
}
inline Integers plain(at::ArrayRef<at::ScalarType> types) {
    Integers result;
    result.reserve(types.size());
    for (const at::ScalarType type : types) {
        result.push_back(to_opweld(type));
    }
    return result;
}
inline std::optional<Integers> plain(const std::optional<at::ArrayRef<at::ScalarType>>& types) {
    return types.has_value() ? std::optional<Integers>(plain(*types)) : std::nullopt;
}
inline Flags plain(const c10::List<bool>& flags) {
    Flags result;
    for (const bool flag : flags) {
        result.push_back(flag);
    }
    return result;
}
inline std::optional<Flags> plain(const std::optional<c10::List<bool>>& flags) {
    return flags.has_value() ? std::optional<Flags>(plain(*flags)) : std::nullopt;
}
template <size_t N>
Flags plain(const std::array<bool, N>& flags) {
    return Flags(flags.begin(), flags.end());
}

// A list of lists as one list, and the lengths of its parts.
template <typename T>
std::vector<T> flat(const c10::List<c10::List<T>>& lists) {
    std::vector<T> result;
    for (const c10::List<T> list : lists) {
        for (const T item : list) {
            result.push_back(item);
        }
    }
    return result;
}
template <typename T>
Integers lengths(const c10::List<c10::List<T>>& lists) {
    Integers result;
    for (const c10::List<T> list : lists) {
        result.push_back(static_cast<int64_t>(list.size()));
    }
    return result;
}
template <typename T>
std::optional<std::vector<T>> flat(const std::optional<c10::List<c10::List<T>>>& lists) {
    return lists.has_value() ? std::optional<std::vector<T>>(flat(*lists)) : std::nullopt;
}
template <typename T>
std::optional<Integers> lengths(const std::optional<c10::List<c10::List<T>>>& lists) {
    return lists.has_value() ? std::optional<Integers>(lengths(*lists)) : std::nullopt;
}

// What stands for an absent plain value beside the flag that says so.
template <typename T>
T value_or_zero(const std::optional<T>& value) {
    return value.value_or(T());
}

// Text with the zero byte that C wants; null where it is absent.
class Text {
  public:
    explicit Text(std::string_view text) : text_(text) {}
    explicit Text(const std::optional<std::string_view>& text) {
        if (text.has_value()) {
            text_ = std::string(*text);
        }
    }
    const char* c_str() const { return text_.has_value() ? text_->c_str() : nullptr; }

  private:
    std::optional<std::string> text_;
};
inline Text text(std::string_view value) { return Text(value); }
inline Text text(const std::optional<std::string_view>& value) { return Text(value); }

}  // namespace opweld::torch_support
