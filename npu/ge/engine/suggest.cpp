#include "npu/ge/engine/suggest.h"

#include <algorithm>
#include <vector>

namespace opweld::npu::graph {
namespace {

// Levenshtein's distance.
size_t distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
        }
    }
    return row.back();
}

}  // namespace

std::string suggestion(std::string_view wanted, std::span<const std::string_view> names) {
    std::string_view best;
    size_t least = std::max<size_t>(wanted.size() / 3, 1) + 1;
    for (const std::string_view name : names) {
        if (const size_t d = distance(wanted, name); d < least) {
            least = d;
            best = name;
        }
    }
    return std::string(best);
}

}  // namespace opweld::npu::graph
