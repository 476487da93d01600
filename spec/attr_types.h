// Attribute types and values: between YAML, schema text and the model.
#ifndef OPWELD_SPEC_ATTR_TYPES_H
#define OPWELD_SPEC_ATTR_TYPES_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/expr/type.h"
#include "spec/model.h"
#include "spec/yaml_tree.h"

namespace opweld::spec {

struct AttrTypeResult {
    std::optional<AttrType> type;
    bool known_kind = false;  // false: the name itself is unknown; true: only the form is wrong
    std::string fault;        // where `type` is absent
};

// "int[]", "bool[3]?", msopgen's "list_int" and "listInt".
AttrTypeResult parse_attr_type(std::string_view text);
std::vector<std::string> attr_kind_names();

struct ValueResult {
    std::optional<Value> value;
    std::string fault;  // "'abc' is no int"
};

// What YAML says, as a value of the type. `from_text`: numbers and words in quotes count too (msopgen writes
// "0.5").
ValueResult read_value(const Node& node, const AttrType& type, bool from_text = false);

// Why PyTorch's schema parser can't take this default; empty if it can.
std::string default_obstacle(const Value& value, const AttrType& type);

std::string schema_text(const Value& value,
                        const AttrType& type);  // False, 1., "mean", [1, 2], None, 5 (a dtype)
std::string yaml_text(const Value& value);      // false, 1.0, mean, [1, 2], null, float16
// The value as an expression of the spec's language, where there is a form for it.
std::optional<std::string> expression_text(const Value& value);

// The type that the attribute has in expressions.
expr::Type expression_type(const AttrType& type);

// A number so that it reads back the same and always as a float: "1.0", "1e-05".
std::string float_text(double number);

}  // namespace opweld::spec

#endif
