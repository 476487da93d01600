// What infer_shape_checks.py calls: the InferShape function of one operator, told and answering in lines of
// text.
//
//   type NAME                        input NAME DTYPE SIZES       output NAME COUNT (of a dynamic one)
//   attribute NAME KIND VALUES       with KIND as torchair names it; values are separated by commas, lists in
//   a
//                                    list by semicolons, and texts are hexadecimal
//
// The answer is one line for each output, DTYPE and SIZES, or "fault" and a message.
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "npu/ge/prototypes/instance.h"
#include "npu/ge/prototypes/loading.h"
#include "npu/ge/prototypes/registry.h"

namespace {

namespace prototypes = opweld::npu::prototypes;
using prototypes::AttributeValue;

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) {
        parts.push_back(part);
    }
    return parts;
}

template <class Item, class Make>
std::vector<Item> all(const std::string& text, const Make& make) {
    std::vector<Item> items;
    for (const std::string& part : split(text, ',')) {
        items.push_back(static_cast<Item>(make(part)));
    }
    return items;
}

std::int64_t integer(const std::string& text) { return std::stoll(text); }
float real(const std::string& text) { return std::stof(text); }
ge::DataType dtype(const std::string& text) { return static_cast<ge::DataType>(std::stoi(text)); }

std::string text_of(const std::string& digits) {
    std::string text;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        text += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    }
    return text;
}

AttributeValue value_of(const std::string& kind, const std::string& text) {
    const std::map<std::string, std::function<AttributeValue()>> kinds{
        {"Int", [&] { return integer(text); }},
        {"Float", [&] { return real(text); }},
        {"Bool", [&] { return integer(text) != 0; }},
        {"Str", [&] { return text_of(text); }},
        {"DataType", [&] { return dtype(text); }},
        {"ListInt", [&] { return all<std::int64_t>(text, integer); }},
        {"ListFloat", [&] { return all<float>(text, real); }},
        {"ListBool", [&] { return all<bool>(text, integer); }},
        {"ListDataType", [&] { return all<ge::DataType>(text, dtype); }},
        {"ListListInt", [&] {
             std::vector<std::vector<std::int64_t>> lists;
             for (const std::string& part : split(text, ';')) {
                 lists.push_back(all<std::int64_t>(part, integer));
             }
             return lists;
         }}};
    const auto found = kinds.find(kind);
    if (found == kinds.end()) {
        throw std::invalid_argument("no attribute kind " + kind);
    }
    return found->second();
}

std::string answer(const std::string& question) {
    prototypes::load_prototype_libraries();
    prototypes::Instance instance{.name = "tested", .inputs = {}, .attributes = {}, .dynamic_outputs = {}};
    std::string type;
    for (const std::string& line : split(question, '\n')) {
        std::vector<std::string> words = split(line, ' ');
        words.resize(4);
        if (words[0] == "type") {
            type = words[1];
        } else if (words[0] == "input") {
            const ge::Shape shape(all<std::int64_t>(words[3], integer));
            instance.inputs.push_back(
                {words[1], ge::TensorDesc(shape, ge::FORMAT_ND, dtype(words[2])), std::nullopt});
        } else if (words[0] == "attribute") {
            instance.attributes[words[1]] = value_of(words[2], words[3]);
        } else {
            instance.dynamic_outputs[words[1]] = std::stoi(words[2]);
        }
    }
    const prototypes::Prototype* prototype = prototypes::find(type);
    if (prototype == nullptr) {
        throw std::invalid_argument("no prototype of " + type);
    }
    std::string lines;
    for (const ge::TensorDesc& desc : prototypes::infer(*prototype, instance)) {
        std::string sizes;
        for (const std::int64_t size : desc.GetShape().GetDims()) {
            sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
        }
        lines += std::to_string(desc.GetDataType()) + " " + sizes + "\n";
    }
    return lines;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const char* infer_shape(const char* question) {
    static std::string text;
    try {
        text = answer(question);
    } catch (const std::exception& error) {
        text = std::string("fault ") + error.what();
    }
    return text.c_str();
}
