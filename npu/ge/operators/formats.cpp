#include "npu/ge/operators/formats.h"

#include <fmt/format.h>

#include <algorithm>

#include "npu/ge/model/graph.h"

namespace opweld::npu::graph {

at::Tensor channels_first(const at::Tensor& x, const std::string& format) {
    return channels_last(format) ? x.movedim(-1, 1) : x;
}

std::vector<int64_t> channels_first_sizes(const std::vector<int64_t>& sizes, const std::string& format) {
    std::vector<int64_t> all = sizes;
    if (channels_last(format)) {
        std::rotate(all.begin() + 1, all.end() - 1, all.end());
    }
    return all;
}

std::vector<int64_t> sizes_in_format(const std::vector<int64_t>& channels_first, const std::string& format) {
    std::vector<int64_t> all = channels_first;
    if (channels_last(format)) {
        std::rotate(all.begin() + 1, all.begin() + 2, all.end());
    }
    return all;
}

std::vector<int64_t> spatial_entries(const std::vector<int64_t>& all, const std::string& format,
                                     const char* name) {
    if (format.size() < 3) {
        throw GraphError(fmt::format("'{}' is no format", format));
    }
    const size_t count = format.size() - 2;
    if (all.size() == count) {
        return all;
    }
    if (all.size() != format.size()) {
        throw GraphError(
            fmt::format("attribute '{}' has {} entries for the format {}", name, all.size(), format));
    }
    const ptrdiff_t first = channels_last(format) ? 1 : 2;
    return {all.begin() + first, all.begin() + first + static_cast<ptrdiff_t>(count)};
}

}  // namespace opweld::npu::graph
