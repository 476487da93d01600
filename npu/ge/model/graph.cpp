#include "npu/ge/model/graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "npu/runtime/dtypes.h"

namespace opweld::npu::graph {

size_t element_size(DataType dtype) noexcept {
    const DtypeFacts* known = find_dtype(dtype.number);
    return known != nullptr && known->computed ? known->bytes : 0;
}

std::string dtype_name(DataType dtype) {
    const DtypeFacts* known = find_dtype(dtype.number);
    return known == nullptr ? fmt::format("aclDataType {}", dtype.number) : known->name;
}

std::string shape_text(const std::vector<int64_t>& shape) {
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace opweld::npu::graph
