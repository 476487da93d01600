// `prototype_of`: which operator stands for which, and an operator's keys put together with its prototype's.
#ifndef OPWELD_SPEC_PROTOTYPE_H
#define OPWELD_SPEC_PROTOTYPE_H

#include <cstddef>
#include <optional>
#include <vector>

#include "spec/diagnostics.h"
#include "spec/names.h"
#include "spec/yaml_tree.h"

namespace opweld::spec {

struct OperatorNode {
    NodePtr node;  // as written; a mapping
    OperatorName name;
    Position at;                        // of the name
    NodePtr merged;                     // with the prototype's keys; as written if there is none
    std::optional<std::size_t> parent;  // the operator named in prototype_of
    Position parent_at;
    std::size_t root = 0;
    bool cut_off = false;  // a syntax error ends it
};

// Fills `merged`, `parent` and `root` of all, and returns the order in which prototypes come before those
// that use them. Reports OW217 and OW218. Operators in a cycle are read as if they had no prototype.
std::vector<std::size_t> resolve_prototypes(std::vector<OperatorNode>& ops, Diagnostics& out);

}  // namespace opweld::spec

#endif
