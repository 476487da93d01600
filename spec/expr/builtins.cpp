#include "spec/expr/builtins.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "opweld/expr/host.h"

namespace opweld::spec::expr {
namespace {

namespace host = opweld::expr::host;

std::int64_t integer(const Value& value) { return std::get<std::int64_t>(value.data); }
const ListValue& list(const Value& value) { return std::get<ListValue>(value.data); }

bool less(const Value& a, const Value& b) {
    if (const auto* floating = std::get_if<double>(&a.data)) {
        return *floating < std::get<double>(b.data);
    }
    return integer(a) < integer(b);
}

Value extreme(const std::vector<Value>& items, bool largest) {
    if (items.empty()) {
        throw opweld::expr::Error(std::string(largest ? "max" : "min") + "() of an empty list");
    }
    return largest ? *std::max_element(items.begin(), items.end(), less)
                   : *std::min_element(items.begin(), items.end(), less);
}

Value extreme_of_arguments(const std::vector<Value>& arguments, bool largest) {
    const auto* items = std::get_if<ListValue>(&arguments[0].data);
    return extreme(arguments.size() == 1 && items != nullptr ? *items : arguments, largest);
}

Value fold(const ListValue& items, bool product) {
    if (items.empty() || std::holds_alternative<std::int64_t>(items[0].data)) {
        const std::vector<std::int64_t> numbers = to_int_list(items);
        return static_cast<std::int64_t>(product ? host::prod(numbers) : host::sum(numbers));
    }
    std::vector<double> numbers;
    for (const Value& item : items) {
        numbers.push_back(std::get<double>(item.data));
    }
    return product ? host::prod(numbers) : host::sum(numbers);
}

Value absolute(const Value& value) {
    if (const auto* floating = std::get_if<double>(&value.data)) {
        return std::fabs(*floating);
    }
    return static_cast<std::int64_t>(host::abs(integer(value)));
}

Value range(const std::vector<Value>& arguments) {
    const std::int64_t first = integer(arguments[0]);
    if (arguments.size() == 1) {
        return int_list(host::range(first));
    }
    return int_list(
        host::range(first, integer(arguments[1]), arguments.size() == 3 ? integer(arguments[2]) : 1));
}

Value broadcast(const std::vector<Value>& shapes) {
    std::vector<std::int64_t> result;
    for (const Value& shape : shapes) {
        result = host::broadcast(result, to_int_list(shape));
    }
    return int_list(result);
}

opweld::expr::Participant participant(const Value& value) {
    if (const auto* tensor = std::get_if<TensorValue>(&value.data)) {
        return host::participant(host::Tensor{tensor->shape, tensor->dtype});
    }
    if (const auto* dtype = std::get_if<DType>(&value.data)) {
        return host::participant(*dtype);
    }
    if (const auto* floating = std::get_if<double>(&value.data)) {
        return host::participant(*floating);
    }
    if (const auto* boolean = std::get_if<bool>(&value.data)) {
        return host::participant(*boolean);
    }
    return host::participant(integer(value));
}

Value promote(const std::vector<Value>& arguments) {
    std::vector<opweld::expr::Participant> participants;
    std::transform(arguments.begin(), arguments.end(), std::back_inserter(participants), participant);
    return opweld::expr::promote_all(participants);
}

Value reduced(const std::vector<Value>& arguments) {
    const std::vector<std::int64_t> dimensions =
        arguments[1].is_none() ? std::vector<std::int64_t>{} : to_int_list(arguments[1]);
    return int_list(host::reduced(to_int_list(arguments[0]), dimensions, std::get<bool>(arguments[2].data)));
}

}  // namespace

Value call_builtin(Function function, const std::vector<Value>& arguments) {
    switch (function) {
        case Function::len:
            return static_cast<std::int64_t>(list(arguments[0]).size());
        case Function::min:
            return extreme_of_arguments(arguments, false);
        case Function::max:
            return extreme_of_arguments(arguments, true);
        case Function::sum:
            return fold(list(arguments[0]), false);
        case Function::prod:
            return fold(list(arguments[0]), true);
        case Function::range:
            return range(arguments);
        case Function::abs:
            return absolute(arguments[0]);
        case Function::broadcast:
            return broadcast(arguments);
        case Function::promote:
            return promote(arguments);
        case Function::reduced:
            return reduced(arguments);
        case Function::ceil_div:
            return static_cast<std::int64_t>(host::ceil_div(integer(arguments[0]), integer(arguments[1])));
        case Function::conv_out:
            return static_cast<std::int64_t>(host::conv_out(integer(arguments[0]), integer(arguments[1]),
                                                            integer(arguments[2]), integer(arguments[3]),
                                                            integer(arguments[4])));
        case Function::dtype_of:
            return host::dtype_of(integer(arguments[0]));
    }
    throw opweld::expr::Error("a function that does not exist");
}

}  // namespace opweld::spec::expr
