#include "npu/ge/prototypes/parse.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "graph/tensor_type.h"
#include "npu/ge/abi/types.h"
#include "npu/ge/prototypes/tensor_type_members.h"

namespace opweld::npu::prototypes {

namespace {

using ::ge::TensorType;

constexpr std::array<std::pair<std::string_view, TensorType (*)()>, 14> kGroups = {{
    {"ALL", TensorType::ALL},
    {"BasicType", TensorType::BasicType},
    {"NumberType", TensorType::NumberType},
    {"RealNumberType", TensorType::RealNumberType},
    {"OrdinaryType", TensorType::OrdinaryType},
    {"QuantifiedType", TensorType::QuantifiedType},
    {"ComplexDataType", TensorType::ComplexDataType},
    {"IntegerDataType", TensorType::IntegerDataType},
    {"SignedDataType", TensorType::SignedDataType},
    {"UnsignedDataType", TensorType::UnsignedDataType},
    {"FloatingDataType", TensorType::FloatingDataType},
    {"IndexNumberType", TensorType::IndexNumberType},
    {"UnaryDataType", TensorType::UnaryDataType},
    {"FLOAT", TensorType::FLOAT},
}};

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> result;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && in_word(text[end])) {
            ++end;
        }
        if (end > i) {
            result.push_back(text.substr(i, end - i));
        }
        i = end + 1;
    }
    return result;
}

void append(std::vector<::ge::DataType>& dtypes, const std::vector<::ge::DataType>& more) {
    for (const ::ge::DataType dtype : more) {
        if (std::find(dtypes.begin(), dtypes.end(), dtype) == dtypes.end()) {
            dtypes.push_back(dtype);
        }
    }
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        parts.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

[[noreturn]] void refuse(std::string_view text, std::string_view type) {
    throw std::invalid_argument("'" + std::string(text) + "' is no " + std::string(type));
}

template <class Number>
Number number(std::string_view text, std::string_view type) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
        refuse(text, type);
    }
    return value;
}

std::int64_t integer(std::string_view text) {
    const auto dtype = data_type(text);  // some attributes hold a data type's number
    return dtype ? static_cast<std::int64_t>(*dtype) : number<std::int64_t>(text, "integer");
}
float real(std::string_view text) { return static_cast<float>(number<double>(text, "number")); }
bool boolean(std::string_view text) {
    if (text != "true" && text != "false") {
        refuse(text, "bool");
    }
    return text == "true";
}
::ge::DataType dtype(std::string_view text) {
    const auto value = data_type(text);
    if (value) {
        return *value;
    }
    return static_cast<::ge::DataType>(number<std::int32_t>(text, "data type"));
}
std::string string(std::string_view text) { return std::string(text); }

template <class Read>
auto list(std::string_view text, const Read& read, char separator = ',') {
    std::vector<decltype(read(text))> values;
    for (const std::string_view part : split(text, separator)) {
        values.push_back(read(part));
    }
    return values;
}

}  // namespace

PortTypes parse_port_types(std::string_view text) {
    PortTypes result;
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
        result.symbol = text.substr(1, text.size() - 2);
        return result;
    }
    for (const std::string_view word : words(text)) {
        if (word == "TensorType" || word == "ge") {
            continue;
        }
        const auto* const group = std::find_if(
            kGroups.begin(), kGroups.end(), [&](const auto& candidate) { return candidate.first == word; });
        if (group != kGroups.end()) {
            append(result.dtypes, members(group->second()));
        } else if (const auto known = data_type(word)) {
            append(result.dtypes, {*known});
        } else {
            return {};  // a constant of the library's own
        }
    }
    return result;
}

AttributeValue parse_value(std::string_view type, std::string_view text) {
    if (type == "VT_INT") {
        return integer(text);
    }
    if (type == "VT_FLOAT") {
        return real(text);
    }
    if (type == "VT_BOOL") {
        return boolean(text);
    }
    if (type == "VT_STRING") {
        return string(text);
    }
    if (type == "VT_DATA_TYPE") {
        return dtype(text);
    }
    if (type == "VT_LIST_INT") {
        return list(text, integer);
    }
    if (type == "VT_LIST_FLOAT") {
        return list(text, real);
    }
    if (type == "VT_LIST_BOOL") {
        return list(text, boolean);
    }
    if (type == "VT_LIST_STRING") {
        return list(text, string);
    }
    if (type == "VT_LIST_DATA_TYPE") {
        return list(text, dtype);
    }
    if (type == "VT_LIST_LIST_INT") {
        return list(text, [](std::string_view part) { return list(part, integer); }, ';');
    }
    refuse(text, type);
}

}  // namespace opweld::npu::prototypes
