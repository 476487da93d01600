// From the text of a spec to the checked model.
#ifndef OPWELD_SPEC_LOAD_H
#define OPWELD_SPEC_LOAD_H

#include <optional>
#include <string>
#include <string_view>

#include "spec/diagnostics.h"
#include "spec/model.h"
#include "spec/yaml_tree.h"

namespace opweld::spec {

struct LoadOptions {
    // Outputs must say shape and dtype: OW304 and OW305 become errors.
    bool for_generation = false;
    // Kernel sources and converter files must exist under `directory`.
    bool check_files = true;
    // Where relative paths in the spec start; empty: the working directory.
    std::string directory;
    // Set for a tree that came from msopgen's JSON: defaults in quotes count as numbers, outputs named like
    // an input mean in place.
    bool msopgen = false;
};

// Reports everything that is wrong. The package is there if and only if nothing is an error.
std::optional<Package> load(std::string_view text, const LoadOptions& options, Diagnostics& out);

// The same from a tree that was read already (`root` may be null). The tree of a msopgen file has been
// brought into the form of a spec (msopgen.h).
std::optional<Package> load_tree(const Tree& tree, const LoadOptions& options, Diagnostics& out);

}  // namespace opweld::spec

#endif
