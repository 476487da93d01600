#include "npu/ge/report/type_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "npu/ge/prototypes/functions.h"
#include "npu/ge/prototypes/instance.h"
#include "npu/ge/prototypes/loading.h"
#include "npu/ge/prototypes/registry.h"
#include "npu/runtime/interface.h"

namespace opweld::npu::graph {
namespace {

using Json = nlohmann::ordered_json;
namespace prototypes = opweld::npu::prototypes;

std::string_view kind_name(prototypes::PortKind kind) {
    switch (kind) {
        case prototypes::PortKind::kOptional:
            return "optional";
        case prototypes::PortKind::kDynamic:
            return "dynamic";
        default:
            return "required";
    }
}

Json ports_json(const std::vector<prototypes::Port>& ports) {
    Json all = Json::array();
    for (const prototypes::Port& port : ports) {
        std::vector<int> dtypes;
        std::ranges::transform(port.dtypes, std::back_inserter(dtypes),
                               [](::ge::DataType dtype) { return static_cast<int>(dtype); });
        all.push_back({{"name", port.name}, {"kind", kind_name(port.kind)}, {"dtypes", dtypes}});
    }
    return all;
}

// Null for what JSON has no value for: none, tensors and bytes.
Json value_json(const prototypes::AttributeValue& value) {
    return std::visit(
        [](const auto& held) -> Json {
            using T = std::remove_cvref_t<decltype(held)>;
            if constexpr (std::is_same_v<T, std::monostate> || std::is_same_v<T, ::ge::Tensor> ||
                          std::is_same_v<T, std::vector<::ge::Tensor>> ||
                          std::is_same_v<T, std::vector<std::uint8_t>>) {
                return {};
            } else {
                return held;
            }
        },
        value);
}

prototypes::AttributeValue read_value(const Json& value, const std::string& type) {
    if (type == "VT_INT") {
        return value.get<std::int64_t>();
    }
    if (type == "VT_FLOAT") {
        return value.get<float>();
    }
    if (type == "VT_BOOL") {
        return value.get<bool>();
    }
    if (type == "VT_STRING") {
        return value.get<std::string>();
    }
    if (type == "VT_DATA_TYPE") {
        return static_cast<::ge::DataType>(value.get<int>());
    }
    if (type == "VT_LIST_INT") {
        return value.get<std::vector<std::int64_t>>();
    }
    if (type == "VT_LIST_FLOAT") {
        return value.get<std::vector<float>>();
    }
    if (type == "VT_LIST_BOOL") {
        return value.get<std::vector<bool>>();
    }
    if (type == "VT_LIST_STRING") {
        return value.get<std::vector<std::string>>();
    }
    if (type == "VT_LIST_DATA_TYPE") {
        std::vector<::ge::DataType> dtypes;
        for (const int number : value.get<std::vector<int>>()) {
            dtypes.push_back(static_cast<::ge::DataType>(number));
        }
        return dtypes;
    }
    if (type == "VT_LIST_LIST_INT") {
        return value.get<std::vector<std::vector<std::int64_t>>>();
    }
    throw std::invalid_argument("attributes of type " + type + " cannot be given here");
}

prototypes::InstanceInput read_input(const Json& json) {
    prototypes::InstanceInput input{
        .name = json.at("name"),
        .desc = ::ge::TensorDesc(::ge::Shape(json.at("shape").get<std::vector<std::int64_t>>()),
                                 ::ge::FORMAT_ND, static_cast<::ge::DataType>(json.at("dtype").get<int>())),
        .constant = std::nullopt};
    if (json.contains("bytes")) {
        const auto bytes = json.at("bytes").get<std::vector<std::uint8_t>>();
        input.constant.emplace(input.desc, bytes.data(), bytes.size());
    }
    return input;
}

}  // namespace

std::string type_report(std::string_view type) {
    const prototypes::Prototype* prototype = prototypes::find(type);
    if (prototype == nullptr) {
        return "null";
    }
    Json attributes = Json::array();
    for (const prototypes::Attribute& attribute : prototype->attributes) {
        attributes.push_back({{"name", attribute.name},
                              {"type", attribute.type},
                              {"required", attribute.required},
                              {"default", value_json(attribute.default_value)}});
    }
    return Json{{"type", prototype->type},
                {"inputs", ports_json(prototype->inputs)},
                {"outputs", ports_json(prototype->outputs)},
                {"attributes", attributes},
                {"library", prototype->library},
                {"infer_shape", static_cast<bool>(prototypes::functions(type).infer_shape)}}
        .dump();
}

std::string infer_report(std::string_view type, std::string_view request) {
    const prototypes::Prototype* prototype = prototypes::find(type);
    if (prototype == nullptr) {
        throw std::invalid_argument(fmt::format("operator type {} has no prototype", type));
    }
    const Json json = Json::parse(request);
    prototypes::Instance instance{
        .name = json.at("name"), .inputs = {}, .attributes = {}, .dynamic_outputs = {}};
    for (const Json& input : json.at("inputs")) {
        instance.inputs.push_back(read_input(input));
    }
    for (const auto& [name, value] : json.at("attributes").items()) {
        const auto declared = std::ranges::find(prototype->attributes, name, &prototypes::Attribute::name);
        if (declared == prototype->attributes.end()) {
            throw std::invalid_argument(fmt::format("operator type {} has no attribute {}", type, name));
        }
        instance.attributes[name] = read_value(value, declared->type);
    }
    for (const prototypes::Attribute& attribute : prototype->attributes) {
        if (!attribute.required) {
            instance.attributes.try_emplace(attribute.name, attribute.default_value);
        }
    }
    for (const auto& [name, count] : json.at("parts").items()) {
        instance.dynamic_outputs[name] = count;
    }
    Json outputs = Json::array();
    for (const ::ge::TensorDesc& desc : prototypes::infer(*prototype, instance)) {
        outputs.push_back(
            {{"dtype", static_cast<int>(desc.GetDataType())}, {"shape", desc.GetShape().GetDims()}});
    }
    return outputs.dump();
}

}  // namespace opweld::npu::graph

extern "C" {

OPWELD_EXPORT char* opweldTypeReport(const char* type);
OPWELD_EXPORT char* opweldInferShape(const char* type, const char* request);
OPWELD_EXPORT void opweldTypeReportFree(char* report);

// Both give JSON text (see type_report.h), to be given to opweldTypeReportFree; null with the reason in
// aclGetRecentErrMsg.
char* opweldTypeReport(const char* type) {
    using namespace opweld::npu;
    try {
        prototypes::load_prototype_libraries();
        return strdup(graph::type_report(type).c_str());
    } catch (const std::exception& error) {
        fail(-1, error.what());
        return nullptr;
    }
}

char* opweldInferShape(const char* type, const char* request) {
    using namespace opweld::npu;
    try {
        prototypes::load_prototype_libraries();
        return strdup(graph::infer_report(type, request).c_str());
    } catch (const std::exception& error) {
        fail(-1, error.what());
        return nullptr;
    }
}

void opweldTypeReportFree(char* report) { std::free(report); }
}
