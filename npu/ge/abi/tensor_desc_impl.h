#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "graph/tensor.h"

namespace ge {

class TensorDescImpl {
  public:
    std::vector<std::int64_t> dims;
    std::vector<std::int64_t> origin_dims;
    std::vector<std::pair<std::int64_t, std::int64_t>> range;
    AscendString name;
    std::int64_t size = 0;
    std::int64_t real_dim_count = 0;
    Format format = FORMAT_ND;
    Format origin_format = FORMAT_ND;
    DataType dtype = DT_FLOAT;
    Placement placement = kPlacementHost;
};

}  // namespace ge
