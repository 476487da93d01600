#pragma once

#include <cstdint>
#include <vector>

namespace opweld::npu::prototypes {

// The number of elements: -1 where a size is not known or the number is beyond 64 bits, 1 without sizes.
inline std::int64_t shape_size(const std::vector<std::int64_t>& dims) {
    std::int64_t size = 1;
    bool empty = false;
    bool overflow = false;
    for (const std::int64_t dim : dims) {
        if (dim < 0) {
            return -1;
        }
        empty = empty || dim == 0;
        overflow = overflow || __builtin_mul_overflow(size, dim, &size);
    }
    if (empty) {
        return 0;
    }
    return overflow ? -1 : size;
}

}  // namespace opweld::npu::prototypes
