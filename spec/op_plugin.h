// op-plugin's op_plugin_functions.yaml: its entries, and each of them as an operator of the model.
#ifndef OPWELD_SPEC_OP_PLUGIN_H
#define OPWELD_SPEC_OP_PLUGIN_H

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/model.h"
#include "spec/schema.h"
#include "spec/yaml_tree.h"

namespace opweld::spec {

// One entry of the file.
struct OpPluginEntry {
    NodePtr node;
    std::string section;  // official, custom, symint, quant, autograd
    Position at;
    std::string func;  // the schema's text
    Schema schema;
    std::string name;    // with overload
    bool aclnn = false;  // has an aclnn kernel in the version asked for
};

// Whether a value like `all_version`, `v2.1, v2.2` or `[v2.6, newest]` covers the version. `versions`: all,
// in order.
bool covers(const Node& value, const std::string& version, const std::vector<std::string>& versions);

struct OpPluginOperator {
    std::optional<Operator> op;  // absent: skipped
    bool complete = false;       // shapes, dtypes and the aclnn call are all there
    std::string reason;          // where it is absent or not complete
};

using OpPluginIndex = std::map<std::string, const OpPluginEntry*, std::less<>>;

// `by_name`: all entries, for `structured_inherit`. Expressions of the operator are texts, not compiled.
OpPluginOperator op_plugin_operator(const OpPluginEntry& entry, const OpPluginIndex& by_name);

}  // namespace opweld::spec

#endif
