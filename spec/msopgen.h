// msopgen's project JSON, brought into the form of a spec.
#ifndef OPWELD_SPEC_MSOPGEN_H
#define OPWELD_SPEC_MSOPGEN_H

#include <string>
#include <string_view>

#include "spec/diagnostics.h"
#include "spec/yaml_tree.h"

namespace opweld::spec {

// The list (or the one mapping) of such a file as the tree of a spec: version, package and ops; `op` in
// CamelCase becomes `ge_op` and the operator's name is made from it; `language` is dropped. Places remain
// those of the JSON. Reports OW106 and OW501.
Tree msopgen_tree(const Tree& json, const std::string& package, Diagnostics& out);

// A package name from a file's name: letters, digits and underscores.
std::string package_name_of(std::string_view stem);

}  // namespace opweld::spec

#endif
