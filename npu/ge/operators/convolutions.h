// Convolutions of two and three dimensions, their transposes and gradients.
//
// The lists of their attributes have an entry for each dimension of the input in its format, pads two for
// each spatial dimension. In the formats that end with C a filter is [height, width, channels, outputs], else
// [outputs, channels, height, width].
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

namespace opweld::npu::graph {

struct ConvolutionAttributes {
    const std::vector<int64_t>& strides;
    const std::vector<int64_t>& pads;
    const std::vector<int64_t>& dilations;
    int64_t groups;
    const std::string& format;
    int64_t offset_x = 0;
};

// The result's form, and the result.
at::Tensor convolution_form(const at::Tensor& x, const at::Tensor& filter,
                            const ConvolutionAttributes& attributes);
void convolve(const at::Tensor& x, const at::Tensor& filter, const std::optional<at::Tensor>& bias,
              const ConvolutionAttributes& attributes, at::Tensor& y);

// The gradient of the input, which has the size `input_size`; with a bias, a transposed convolution.
at::Tensor convolution_input_form(const std::vector<int64_t>& input_size, const at::Tensor& grad);
void convolution_input_gradient(const at::Tensor& filter, const at::Tensor& grad,
                                const std::optional<at::Tensor>& bias,
                                const ConvolutionAttributes& attributes, at::Tensor& y);

// The size of a transposed convolution's result: `input_size`, or what follows from the rest where it is all
// zeros.
at::Tensor transposed_convolution_form(const std::vector<int64_t>& input_size, const at::Tensor& x,
                                       const at::Tensor& filter, const ConvolutionAttributes& attributes,
                                       const std::vector<int64_t>& output_padding);

// The gradient of the filter, which has the size `filter_size`, in float32.
at::Tensor convolution_filter_form(const std::vector<int64_t>& filter_size, const at::Tensor& x);
// The same, in the dtype of x.
at::Tensor rounded_filter_form(const std::vector<int64_t>& filter_size, const at::Tensor& x);
void convolution_filter_gradient(const at::Tensor& x, const at::Tensor& grad,
                                 const ConvolutionAttributes& attributes, at::Tensor& y);

}  // namespace opweld::npu::graph
