// PyTorch schema strings: deriving them from an operator, reading them, and holding one against the other.
#ifndef OPWELD_SPEC_SCHEMA_H
#define OPWELD_SPEC_SCHEMA_H

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/diagnostics.h"
#include "spec/model.h"
#include "spec/yaml_tree.h"

namespace opweld::spec {

// Inputs in their order, then attributes as keyword-only ones; nothing that is bound. An optional input has
// the default None where no required input comes after it.
std::vector<Argument> derive_arguments(const Operator& op);

// "npu_scale(Tensor x, *, float alpha=1.0) -> Tensor", from op.arguments, op.outputs and the alias sets.
std::string derive_schema(const Operator& op);

// A schema as it is written.
struct SchemaType {
    std::string base;    // "Tensor", "int"
    std::string suffix;  // "", "?", "[]", "?[]", "[]?", "[2]"
    std::string alias;   // what is in brackets: "a!", "a", "a -> *"

    [[nodiscard]] std::string text() const { return base + suffix; }
    [[nodiscard]] bool writes() const { return alias.find('!') != std::string::npos; }
};

struct SchemaArgument {
    SchemaType type;
    std::string name;
    std::optional<std::string> default_text;
    bool keyword_only = false;
    std::size_t offset = 0;  // in the schema's text
};

struct SchemaReturn {
    SchemaType type;
    std::string name;  // may be empty
    std::size_t offset = 0;
};

struct Schema {
    std::string name;  // with namespace if there is one
    std::string overload;
    std::vector<SchemaArgument> arguments;
    std::vector<SchemaReturn> returns;
};

struct SchemaResult {
    std::optional<Schema> schema;
    std::string fault;  // where there is no schema
    std::size_t offset = 0;
};

// Reads what PyTorch's own parser takes; never throws on bad text.
SchemaResult parse_schema(std::string_view text);

// The default of a schema as a value of the type; nothing if it is none.
std::optional<Value> schema_value(std::string_view text, const AttrType& type);

// Takes a stated schema over into op.arguments and op.schema; reports OW213 and OW214.
void apply_schema(Operator& op, const Node& node, Diagnostics& out);

}  // namespace opweld::spec

#endif
