// Resizing of images and volumes, and sampling at the points of a grid.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace opweld::npu::graph {

// How places of the result are places of the input: `align_corners` by the centers of the corner elements,
// `half_pixel_centers` by the edges.
struct Alignment {
    bool align_corners;
    bool half_pixel_centers;
};

// Images of the layout NCHW or NHWC (any other stands for NCHW) with another height and width.
at::Tensor resized_form(const at::Tensor& x, const std::vector<int64_t>& size, const std::string& layout,
                        at::ScalarType dtype);
void resize_nearest(const at::Tensor& x, const std::vector<int64_t>& size, const std::string& layout,
                    Alignment alignment, at::Tensor& y);
// `dx` has the form of what was resized.
void resize_nearest_gradient(const at::Tensor& grad, const std::string& layout, Alignment alignment,
                             at::Tensor& dx);
void resize_bilinear(const at::Tensor& x, const std::vector<int64_t>& size, const std::string& layout,
                     Alignment alignment, at::Tensor& y);
void resize_bilinear_gradient(const at::Tensor& grad, const std::string& layout, Alignment alignment,
                              at::Tensor& dx);

// The size of a volume's result: `size`, or that of x times `scales` where no size is given.
std::vector<int64_t> upsampled_size(at::IntArrayRef input_size, const std::vector<int64_t>& size,
                                    const std::vector<double>& scales);
// Scales for the kernels: 0 where the quotient of the sizes is meant.
std::vector<double> kernel_scales(const std::vector<double>& scales);

// Numbers of "bilinear", "nearest", "bicubic", and of "zeros", "border", "reflection".
int64_t interpolation_mode_of(const std::string& name);
int64_t padding_mode_of(const std::string& name);

// The form of samples: batch and channels of x, the points of the grid.
at::Tensor sampled_form(const at::Tensor& x, const at::Tensor& grid);

}  // namespace opweld::npu::graph
