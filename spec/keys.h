// The keys of a spec: one table per mapping. The parser and the JSON Schema for editors both come from these
// tables.
#ifndef OPWELD_SPEC_KEYS_H
#define OPWELD_SPEC_KEYS_H

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opweld::spec {

// What may stand under a key. Reports name the form (`form_name`), the JSON Schema describes it.
enum class Form {
    Text,
    Name,          // an identifier
    OperatorName,  // identifier, with `ns::` and `.overload`
    Flag,          // true or false
    Integer,
    Any,   // a default value
    Word,  // one of KeyInfo::words
    Expression,
    Python,
    Schema,
    InputTypes,  // a dtype, a list of dtypes, any_of(...)
    OutputType,  // a dtype, a list of dtypes, an expression, int, float, bool, SymInt
    Formats,     // a format or a list of them
    AttrType,
    Shape,     // an expression or data_dependent(max=[...])
    WordList,  // a list of KeyInfo::words
    NameList,
    ExpressionList,
    ExpressionMap,  // name -> expression
    ValueMap,       // name -> value
    IntegerMap,     // name -> integer
    Mappings,       // a list of mappings with the keys of KeyInfo::table
    Constraints,    // as Mappings, or expressions alone
    Kernels,        // as Mappings, or one mapping
    Backward,       // none, a mapping with the keys of KeyInfo::table, or input -> formula
    Converter,      // auto, decompose or a Python file
    Formula,
    Path,
};

struct KeyTable;

struct KeyInfo {
    std::string_view name;
    Form form;
    bool required;
    std::string_view doc;
    std::string_view example;                   // as it would stand in YAML (flow style)
    std::span<const std::string_view> words{};  // Word, WordList
    const KeyTable* table = nullptr;            // Mappings, Constraints, Kernels, Backward
};

struct KeyTable {
    std::string_view what;  // "an operator": for messages
    std::span<const KeyInfo> keys;

    [[nodiscard]] const KeyInfo* find(std::string_view key) const;
    [[nodiscard]] std::vector<std::string> names() const;
};

const KeyTable& package_keys();
const KeyTable& operator_keys();
const KeyTable& input_keys();
const KeyTable& attr_keys();
const KeyTable& output_keys();
const KeyTable& constraint_keys();
const KeyTable& backward_keys();
const KeyTable& kernel_keys();

std::string_view form_name(Form form);  // "a text", "a list of mappings"

// The words of enumerations that other parts need too.
std::span<const std::string_view> graph_formats();  // ND, NCHW, FRACTAL_NZ ...
std::span<const std::string_view> torch_tags();
std::span<const std::string_view> memory_formats();

// Whether the graph engine's format is a private one, which decides how the storage is laid out.
bool is_private_format(std::string_view format);

}  // namespace opweld::spec

#endif
