#include "spec/formula/aten_names.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "aten_names_table.h"

namespace opweld::spec::formula {
namespace {

const AtenName* find(std::span<const AtenName> sorted, std::string_view name) {
    const auto at =
        std::lower_bound(sorted.begin(), sorted.end(), name,
                         [](const AtenName& row, std::string_view wanted) { return row.name < wanted; });
    return at != sorted.end() && at->name == name ? &*at : nullptr;
}

std::vector<std::string> names_of(std::span<const AtenName> rows) {
    std::vector<std::string> names;
    std::transform(rows.begin(), rows.end(), std::back_inserter(names),
                   [](const AtenName& row) { return std::string(row.name); });
    return names;
}

}  // namespace

const AtenName* find_aten_function(std::string_view name) { return find(kAtenFunctions, name); }

const AtenName* find_tensor_method(std::string_view name) { return find(kTensorMethods, name); }

std::vector<std::string> aten_functions() { return names_of(kAtenFunctions); }

std::vector<std::string> tensor_methods() { return names_of(kTensorMethods); }

}  // namespace opweld::spec::formula
