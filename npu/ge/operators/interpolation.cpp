#include "npu/ge/operators/interpolation.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "npu/ge/model/graph.h"
#include "npu/ge/operators/formats.h"
#include "npu/ge/operators/kernel_call.h"

namespace opweld::npu::graph {
namespace {

std::string format_of(const std::string& layout) { return layout == "NHWC" ? layout : "NCHW"; }

std::vector<int64_t> image_size(const at::Tensor& x, const std::string& format) {
    return spatial_entries(x.sizes().vec(), format, "size");
}

const char* nearest_kernel(Alignment alignment) {
    if (alignment.align_corners) {
        throw GraphError("attribute 'align_corners' is true; for the nearest neighbour it is not supported");
    }
    return alignment.half_pixel_centers ? "UpsampleNearestExact2d" : "UpsampleNearest2dV2";
}

void check_bilinear(Alignment alignment) {
    if (alignment.align_corners == alignment.half_pixel_centers) {
        throw GraphError(
            "attributes 'align_corners' and 'half_pixel_centers' are the same; one of both is supported");
    }
}

at::Tensor dense(const at::Tensor& x, const std::string& format, at::ScalarType dtype) {
    return channels_first(x, format).to(dtype).contiguous();
}

int64_t place_of(const std::string& name, const char* attribute, std::array<std::string_view, 3> names) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
        throw GraphError(fmt::format("attribute '{}' is '{}'; {}, {} and {} are supported", attribute, name,
                                     names[0], names[1], names[2]));
    }
    return found - names.begin();
}

}  // namespace

at::Tensor resized_form(const at::Tensor& x, const std::vector<int64_t>& size, const std::string& layout,
                        at::ScalarType dtype) {
    if (x.dim() != 4 || size.size() != 2) {
        throw GraphError(
            fmt::format("a tensor of {} dimensions and {} sizes, expected 4 and 2", x.dim(), size.size()));
    }
    std::vector<int64_t> sizes = channels_first_sizes(x.sizes().vec(), format_of(layout));
    std::ranges::copy(size, sizes.begin() + 2);
    return at::empty(sizes_in_format(sizes, format_of(layout)), x.options().dtype(dtype));
}

void resize_nearest(const at::Tensor& x, const std::vector<int64_t>& size, const std::string& layout,
                    Alignment alignment, at::Tensor& y) {
    const std::string format = format_of(layout);
    into_channels_first(y, format, [&](at::Tensor& result) {
        run_kernel(nearest_kernel(alignment), dense(x, format, y.scalar_type()), size, 0.0, 0.0, result);
    });
}

void resize_nearest_gradient(const at::Tensor& grad, const std::string& layout, Alignment alignment,
                             at::Tensor& dx) {
    const std::string format = format_of(layout);
    const bool exact = std::string_view(nearest_kernel(alignment)) == "UpsampleNearestExact2d";
    into_channels_first(dx, format, [&](at::Tensor& result) {
        run_kernel(exact ? "UpsampleNearestExact2dBackward" : "UpsampleNearest2dBackward",
                   dense(grad, format, dx.scalar_type()), image_size(grad, format), result.sizes().vec(), 0.0,
                   0.0, result);
    });
}

void resize_bilinear(const at::Tensor& x, const std::vector<int64_t>& size, const std::string& layout,
                     Alignment alignment, at::Tensor& y) {
    check_bilinear(alignment);
    const std::string format = format_of(layout);
    into_channels_first(y, format, [&](at::Tensor& result) {
        run_kernel("UpsampleBilinear2d", dense(x, format, y.scalar_type()), size, alignment.align_corners,
                   0.0, 0.0, result);
    });
}

void resize_bilinear_gradient(const at::Tensor& grad, const std::string& layout, Alignment alignment,
                              at::Tensor& dx) {
    check_bilinear(alignment);
    const std::string format = format_of(layout);
    into_channels_first(dx, format, [&](at::Tensor& result) {
        run_kernel("UpsampleBilinear2dBackward", dense(grad, format, dx.scalar_type()),
                   image_size(grad, format), result.sizes().vec(), alignment.align_corners, 0.0, 0.0, result);
    });
}

std::vector<int64_t> upsampled_size(at::IntArrayRef input_size, const std::vector<int64_t>& size,
                                    const std::vector<double>& scales) {
    const at::IntArrayRef spatial = input_size.slice(2);
    if (!size.empty()) {
        if (size.size() != spatial.size()) {
            throw GraphError(fmt::format("attribute 'output_size' has {} entries, expected {}", size.size(),
                                         spatial.size()));
        }
        return size;
    }
    if (scales.size() != spatial.size()) {
        throw GraphError(
            fmt::format("attribute 'scales' has {} entries, expected {}", scales.size(), spatial.size()));
    }
    std::vector<int64_t> all;
    for (size_t i = 0; i < scales.size(); ++i) {
        all.push_back(static_cast<int64_t>(std::floor(static_cast<double>(spatial[i]) * scales[i])));
    }
    return all;
}

std::vector<double> kernel_scales(const std::vector<double>& scales) {
    constexpr size_t kVolume = 3;
    return scales.size() == kVolume ? scales : std::vector<double>(kVolume, 0);
}

int64_t interpolation_mode_of(const std::string& name) {
    return place_of(name, "interpolation_mode", {"bilinear", "nearest", "bicubic"});
}

int64_t padding_mode_of(const std::string& name) {
    return place_of(name, "padding_mode", {"zeros", "border", "reflection"});
}

at::Tensor sampled_form(const at::Tensor& x, const at::Tensor& grid) {
    if (x.dim() < 4 || grid.dim() != x.dim() || grid.size(-1) != x.dim() - 2 || grid.size(0) != x.size(0)) {
        throw GraphError(fmt::format("the grid {} doesn't fit x {}", shape_text(grid.sizes().vec()),
                                     shape_text(x.sizes().vec())));
    }
    std::vector<int64_t> sizes = grid.sizes().vec();
    sizes.pop_back();
    sizes.insert(sizes.begin() + 1, x.size(1));
    return x.new_empty(sizes);
}

}  // namespace opweld::npu::graph
