// What the generated test programs of all flavours share: values as text, as Value::text writes them.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "opweld/expr/dtype.h"

// Random expressions compare a value with itself now and then.
#pragma GCC diagnostic ignored "-Wtautological-compare"

namespace opweld::testing {

inline std::string show(bool value) { return value ? "True" : "False"; }
inline std::string show(std::int64_t value) { return std::to_string(value); }
inline std::string show(const std::string& value) { return "'" + value + "'"; }
inline std::string show(opweld::expr::DType value) { return std::string(opweld::expr::dtype_name(value)); }

// The shortest text that reads back as the number, as fmt and Python write it.
inline std::string show(double value) {
    std::string text;
    for (int digits = 1; digits <= 17; ++digits) {
        char buffer[40];
        std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
        text = buffer;
        if (std::stod(text) == value) {
            break;
        }
    }
    if (std::fabs(value) < 1e16 && std::fabs(value) >= 1e-4 && text.find('e') != std::string::npos) {
        char buffer[40];
        std::snprintf(buffer, sizeof buffer, "%.0f", value);
        text = buffer;
    }
    return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

template <class T>
std::string show(const std::vector<T>& items) {
    std::string text = "[";
    for (std::size_t i = 0; i < items.size(); ++i) {
        const T item = items[i];
        text += (i == 0 ? "" : ", ") + show(item);
    }
    return text + "]";
}

template <class T>
std::string show(const std::optional<T>& value) {
    return value ? show(*value) : "None";
}

// Counts and prints what differs.
class Tally {
  public:
    void operator()(const char* text, std::size_t sample, const std::string& actual,
                    const std::string& expected) {
        ++count_;
        if (actual != expected) {
            ++failures_;
            std::printf("%s [%zu]: %s instead of %s\n", text, sample, actual.c_str(), expected.c_str());
        }
    }

    int finish() const {
        std::printf("%zu values, %zu failures\n", count_, failures_);
        return failures_ == 0 && count_ > 0 ? 0 : 1;
    }

  private:
    std::size_t count_ = 0;
    std::size_t failures_ = 0;
};

}  // namespace opweld::testing
