// JSON Schema of specs, made from the key tables.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "spec/api.h"
#include "spec/dtypes.h"
#include "spec/keys.h"

namespace opweld::spec {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kIdentifier = "^[A-Za-z_][A-Za-z0-9_]*$";
constexpr std::string_view kOperator =
    "^([A-Za-z_][A-Za-z0-9_]*::)?[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?$";
constexpr std::string_view kAttrType =
    "^((bool|int|float|str|Scalar|ScalarType|SymInt)(\\[[0-9]*\\])?|(int|float)\\[\\]\\[\\]|Device|Layout|"
    "MemoryFormat|"
    "Generator|string|dtype|list_(int|float|bool|string|list_int)|list(Int|Float|Bool|String|ListInt))\\??$";

Json table_schema(const KeyTable& table);

template <typename Words>
Json words(const Words& list) {
    Json result = Json::array();
    for (const auto& word : list) {
        result.push_back(word);
    }
    return result;
}

Json any_of(std::vector<Json> choices) { return {{"anyOf", std::move(choices)}}; }
Json list_of(const Json& item) { return {{"type", "array"}, {"items", item}}; }
Json map_of(const Json& value) { return {{"type", "object"}, {"additionalProperties", value}}; }

Json expression() { return {{"type", Json::array({"string", "number", "boolean"})}}; }
Json text() { return {{"type", "string"}}; }

Json dtype() { return {{"type", "string"}, {"enum", words(dtype_spellings())}}; }

Json form_schema(const KeyInfo& key) {
    switch (key.form) {
        case Form::Text:
        case Form::Python:
        case Form::Schema:
        case Form::Path:
            return text();
        case Form::Converter:
            return any_of({{{"enum", {"auto", "decompose"}}}, {{"type", "string"}, {"pattern", "\\.py$"}}});
        case Form::Formula:
        case Form::Expression:
        case Form::Shape:
            return expression();
        case Form::Name:
            return {{"type", "string"}, {"pattern", kIdentifier}};
        case Form::OperatorName:
            return {{"type", "string"}, {"pattern", kOperator}};
        case Form::Flag:
            return {{"type", "boolean"}};
        case Form::Integer:
            return {{"type", "integer"}};
        case Form::Any:
            return Json::object();
        case Form::Word:
            return {{"type", "string"}, {"enum", words(key.words)}};
        case Form::InputTypes:
            return any_of({dtype(),
                           list_of(dtype()),
                           {{"type", "string"}, {"pattern", "^any_of\\(.*\\)$"}},
                           {{"type", "object"},
                            {"properties", {{"any_of", list_of(dtype())}}},
                            {"required", {"any_of"}}}});
        case Form::OutputType:
            return any_of({text(), list_of(dtype())});
        case Form::Formats: {
            const Json format = {{"type", "string"}, {"enum", words(graph_formats())}};
            return any_of({format, list_of(format)});
        }
        case Form::AttrType:
            return {{"type", "string"}, {"pattern", kAttrType}};
        case Form::WordList:
            return list_of({{"type", "string"}, {"enum", words(key.words)}});
        case Form::NameList:
            return list_of({{"type", "string"}, {"pattern", kIdentifier}});
        case Form::ExpressionList:
            return list_of(expression());
        case Form::ExpressionMap:
            return map_of(expression());
        case Form::ValueMap:
            return map_of(Json::object());
        case Form::IntegerMap:
            return any_of({{{"const", "none"}}, map_of({{"type", "integer"}})});
        case Form::Mappings:
            return list_of(table_schema(*key.table));
        case Form::Constraints:
            return list_of(any_of({table_schema(*key.table), text()}));
        case Form::Kernels:
            return any_of({list_of(table_schema(*key.table)), table_schema(*key.table)});
        case Form::Backward:
            return any_of({{{"const", "none"}}, table_schema(*key.table), map_of(text())});
    }
    return Json::object();
}

Json table_schema(const KeyTable& table) {
    Json properties = Json::object();
    Json required = Json::array();
    for (const KeyInfo& key : table.keys) {
        Json property = form_schema(key);
        property["description"] = key.doc;
        property["markdownDescription"] = std::string(key.doc) + "\n\n```yaml\n" + std::string(key.name) +
                                          ": " + std::string(key.example) + "\n```";
        properties[std::string(key.name)] = std::move(property);
        if (key.required) {
            required.push_back(key.name);
        }
    }
    Json schema = {
        {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
    if (!required.empty()) {
        schema["required"] = std::move(required);
    }
    return schema;
}

}  // namespace

std::string json_schema() {
    Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                   {"title", "opweld operator spec"},
                   {"description", "One or more operators for PyTorch on Ascend NPUs."}};
    schema.update(table_schema(package_keys()));
    return schema.dump(2) + "\n";
}

}  // namespace opweld::spec
