#include "spec/expr/value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace opweld::spec::expr {
namespace {

struct Printer {
    std::string operator()(std::monostate /*none*/) const { return "None"; }
    std::string operator()(bool value) const { return value ? "True" : "False"; }
    std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const {
        std::string text = fmt::format("{}", value);
        return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
    }
    std::string operator()(const std::string& value) const { return fmt::format("'{}'", value); }
    std::string operator()(DType value) const { return std::string(opweld::expr::dtype_name(value)); }
    std::string operator()(const TensorValue& value) const {
        return fmt::format("Tensor({}, {})", int_list(value.shape).text(),
                           opweld::expr::dtype_name(value.dtype));
    }
    std::string operator()(const ListValue& value) const {
        std::vector<std::string> items;
        std::transform(value.begin(), value.end(), std::back_inserter(items),
                       [](const Value& item) { return item.text(); });
        return fmt::format("[{}]", fmt::join(items, ", "));
    }
};

}  // namespace

std::string Value::text() const { return std::visit(Printer{}, data); }

Value int_list(const std::vector<std::int64_t>& items) { return ListValue(items.begin(), items.end()); }

std::vector<std::int64_t> to_int_list(const Value& value) {
    const auto& items = std::get<ListValue>(value.data);
    std::vector<std::int64_t> result;
    std::transform(items.begin(), items.end(), std::back_inserter(result),
                   [](const Value& item) { return std::get<std::int64_t>(item.data); });
    return result;
}

}  // namespace opweld::spec::expr
