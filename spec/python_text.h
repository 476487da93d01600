// What can be said about a Python expression (`reference`) without running it.
#ifndef OPWELD_SPEC_PYTHON_TEXT_H
#define OPWELD_SPEC_PYTHON_TEXT_H

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opweld::spec {

// Position of the first bracket or quote that is not closed, if any.
std::optional<std::size_t> unbalanced(std::string_view text);

struct PythonName {
    std::string name;
    std::size_t offset = 0;
};

// Names that the expression uses and that nothing defines: neither `known`, nor the expression itself (a loop
// variable, a parameter of a lambda), nor Python. Attributes and keywords of calls are no names.
std::vector<PythonName> undefined_names(std::string_view text,
                                        const std::set<std::string, std::less<>>& known);

}  // namespace opweld::spec

#endif
