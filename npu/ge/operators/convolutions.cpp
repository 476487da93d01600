#include "npu/ge/operators/convolutions.h"

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "npu/ge/model/graph.h"
#include "npu/ge/operators/formats.h"
#include "npu/ge/operators/kernel_call.h"
#include "npu/kernels/nn/cropped.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::graph {
namespace {

// A filter as [outputs, channels, ...]. A view.
at::Tensor outputs_first(const at::Tensor& filter, const std::string& format) {
    return channels_last(format) ? filter.movedim({-1, -2}, {0, 1}) : filter;
}

// What the attributes say for the spatial dimensions.
class Spatial {
  public:
    explicit Spatial(const ConvolutionAttributes& attributes)
        : strides(spatial_entries(attributes.strides, attributes.format, "strides")),
          dilations(spatial_entries(attributes.dilations, attributes.format, "dilations")) {
        if (attributes.offset_x != 0) {
            throw GraphError(
                fmt::format("attribute 'offset_x' is {}; only 0 is supported", attributes.offset_x));
        }
        if (attributes.pads.size() != 2 * strides.size()) {
            throw GraphError(fmt::format("attribute 'pads' has {} entries, expected {}",
                                         attributes.pads.size(), 2 * strides.size()));
        }
        for (size_t i = 0; i < strides.size(); ++i) {
            const int64_t begin = attributes.pads[2 * i];
            const int64_t end = attributes.pads[2 * i + 1];
            if (begin < 0 || end < 0 || strides[i] < 1 || dilations[i] < 1) {
                throw GraphError(
                    fmt::format("pads {} and {}, stride {} and dilation {} of dimension {}; pads are at "
                                "least 0, the others at least 1",
                                begin, end, strides[i], dilations[i], i));
            }
            padding.push_back(std::min(begin, end));
            extra_begin.push_back(begin - padding.back());
            extra_end.push_back(end - padding.back());
        }
    }

    bool even() const {
        const auto none = [](int64_t number) { return number == 0; };
        return std::ranges::all_of(extra_begin, none) && std::ranges::all_of(extra_end, none);
    }

    int64_t pads(size_t i) const { return 2 * padding[i] + extra_begin[i] + extra_end[i]; }

    // x with as much more around it as one side has more padding than the other.
    at::Tensor padded(const at::Tensor& x) const {
        if (even()) {
            return x;
        }
        std::vector<int64_t> pad;
        for (size_t i = strides.size(); i-- > 0;) {
            pad.push_back(extra_begin[i]);
            pad.push_back(extra_end[i]);
        }
        return at::constant_pad_nd(x, pad, 0);
    }

    std::vector<int64_t> strides;
    std::vector<int64_t> dilations;
    std::vector<int64_t> padding;  // on both sides
    std::vector<int64_t> extra_begin;
    std::vector<int64_t> extra_end;
};

void check_operands(const at::Tensor& x, const at::Tensor& filter, const ConvolutionAttributes& attributes) {
    const auto rank = static_cast<int64_t>(attributes.format.size());
    if (x.dim() != rank || filter.dim() != rank) {
        throw GraphError(fmt::format("tensors of {} and {} dimensions; the format {} has {}", x.dim(),
                                     filter.dim(), attributes.format, rank));
    }
    if (!x.is_floating_point() || x.scalar_type() != filter.scalar_type()) {
        throw GraphError(fmt::format("operands are {} and {}; both have the same floating-point dtype",
                                     c10::toString(x.scalar_type()), c10::toString(filter.scalar_type())));
    }
    if (attributes.groups < 1) {
        throw GraphError(fmt::format("attribute 'groups' is {}, expected at least 1", attributes.groups));
    }
}

}  // namespace

at::Tensor convolution_form(const at::Tensor& x, const at::Tensor& filter,
                            const ConvolutionAttributes& attributes) {
    check_operands(x, filter, attributes);
    const Spatial spatial(attributes);
    const at::Tensor input = channels_first(x, attributes.format);
    const at::Tensor weight = outputs_first(filter, attributes.format);
    if (input.size(1) != weight.size(1) * attributes.groups || weight.size(0) % attributes.groups != 0) {
        throw GraphError(fmt::format("x {} and filter {} don't fit each other in {} groups, format {}",
                                     shape_text(x.sizes().vec()), shape_text(filter.sizes().vec()),
                                     attributes.groups, attributes.format));
    }
    std::vector<int64_t> sizes{input.size(0), weight.size(0)};
    for (size_t i = 0; i < spatial.strides.size(); ++i) {
        const auto dim = static_cast<int64_t>(i) + 2;
        const int64_t window = spatial.dilations[i] * (weight.size(dim) - 1) + 1;
        const int64_t padded = input.size(dim) + spatial.pads(i);
        if (window > padded) {
            throw GraphError(
                fmt::format("the filter covers {} elements of dimension {}, which has {} with "
                            "its padding",
                            window, dim, padded));
        }
        sizes.push_back((padded - window) / spatial.strides[i] + 1);
    }
    return x.new_empty(sizes_in_format(sizes, attributes.format));
}

void convolve(const at::Tensor& x, const at::Tensor& filter, const std::optional<at::Tensor>& bias,
              const ConvolutionAttributes& attributes, at::Tensor& y) {
    const Spatial spatial(attributes);
    const at::Tensor input = spatial.padded(channels_first(x, attributes.format));
    const at::Tensor weight = outputs_first(filter, attributes.format);
    const std::vector<int64_t> none(spatial.strides.size(), 0);
    into_channels_first(y, attributes.format, [&](at::Tensor& output) {
        run_kernel("Convolution", input, weight, bias, spatial.strides, spatial.padding, spatial.dilations,
                   false, none, attributes.groups, output, 0);
    });
}

at::Tensor convolution_input_form(const std::vector<int64_t>& input_size, const at::Tensor& grad) {
    if (static_cast<int64_t>(input_size.size()) != grad.dim()) {
        throw GraphError(
            fmt::format("input 'input_size' has {} entries, expected {}", input_size.size(), grad.dim()));
    }
    return grad.new_empty(input_size);
}

void convolution_input_gradient(const at::Tensor& filter, const at::Tensor& grad,
                                const std::optional<at::Tensor>& bias,
                                const ConvolutionAttributes& attributes, at::Tensor& y) {
    check_operands(grad, filter, attributes);
    const Spatial spatial(attributes);
    const at::Tensor dy = channels_first(grad, attributes.format);
    const at::Tensor weight = outputs_first(filter, attributes.format);
    const at::Tensor target = channels_first(y, attributes.format);
    std::vector<int64_t> output_padding;
    std::vector<int64_t> sizes{dy.size(0), weight.size(1) * attributes.groups};
    for (size_t i = 0; i < spatial.strides.size(); ++i) {
        const auto dim = static_cast<int64_t>(i) + 2;
        sizes.push_back(target.size(dim) + spatial.extra_begin[i] + spatial.extra_end[i]);
        output_padding.push_back(sizes.back() -
                                 ((dy.size(dim) - 1) * spatial.strides[i] - 2 * spatial.padding[i] +
                                  spatial.dilations[i] * (weight.size(dim) - 1) + 1));
    }
    if (target.size(0) != sizes[0] || target.size(1) != sizes[1] ||
        std::ranges::any_of(output_padding, [](int64_t more) { return more < 0; })) {
        throw GraphError(fmt::format("the result of size {} is not what gives {} with the filter {}",
                                     shape_text(y.sizes().vec()), shape_text(grad.sizes().vec()),
                                     shape_text(filter.sizes().vec())));
    }
    const auto run = [&](at::Tensor& output) {
        run_kernel("Convolution", dy, weight, bias, spatial.strides, spatial.padding, spatial.dilations, true,
                   output_padding, attributes.groups, output, 0);
    };
    if (spatial.even()) {
        into_channels_first(y, attributes.format, run);
        return;
    }
    at::Tensor padded = y.new_empty(sizes);
    run(padded);
    const at::Tensor part = kernels::cropped(padded, spatial.extra_begin, spatial.extra_end);
    kernels::assign(y, channels_last(attributes.format) ? part.movedim(1, -1) : part);
}

at::Tensor transposed_convolution_form(const std::vector<int64_t>& input_size, const at::Tensor& x,
                                       const at::Tensor& filter, const ConvolutionAttributes& attributes,
                                       const std::vector<int64_t>& output_padding) {
    if (std::ranges::any_of(input_size, [](int64_t size) { return size != 0; })) {
        return convolution_input_form(input_size, x);
    }
    check_operands(x, filter, attributes);
    const Spatial spatial(attributes);
    const at::Tensor input = channels_first(x, attributes.format);
    const at::Tensor weight = outputs_first(filter, attributes.format);
    const size_t first = channels_last(attributes.format) ? 1 : 2;
    std::vector<int64_t> sizes{input.size(0), weight.size(1) * attributes.groups};
    for (size_t i = 0; i < spatial.strides.size(); ++i) {
        const auto dim = static_cast<int64_t>(i) + 2;
        sizes.push_back((input.size(dim) - 1) * spatial.strides[i] - spatial.pads(i) +
                        spatial.dilations[i] * (weight.size(dim) - 1) + 1 + output_padding.at(first + i));
    }
    return x.new_empty(sizes_in_format(sizes, attributes.format));
}

at::Tensor convolution_filter_form(const std::vector<int64_t>& filter_size, const at::Tensor& x) {
    if (static_cast<int64_t>(filter_size.size()) != x.dim()) {
        throw GraphError(
            fmt::format("input 'filter_size' has {} entries, expected {}", filter_size.size(), x.dim()));
    }
    return at::empty(filter_size,
                     x.options().dtype(x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat));
}

at::Tensor rounded_filter_form(const std::vector<int64_t>& filter_size, const at::Tensor& x) {
    return convolution_filter_form(filter_size, x).to(x.scalar_type());
}

void convolution_filter_gradient(const at::Tensor& x, const at::Tensor& grad,
                                 const ConvolutionAttributes& attributes, at::Tensor& y) {
    const Spatial spatial(attributes);
    const at::Tensor input = spatial.padded(channels_first(x, attributes.format)).to(y.scalar_type());
    const at::Tensor dy = channels_first(grad, attributes.format).to(y.scalar_type());
    const std::vector<int64_t> none(spatial.strides.size(), 0);
    const auto run = [&](at::Tensor& output) {
        // Of the filters only the form is read, which the result has as well.
        run_kernel("ConvolutionBackward", dy, input, output, std::optional<std::vector<int64_t>>(),
                   spatial.strides, spatial.padding, spatial.dilations, false, none, attributes.groups,
                   std::array<bool, 3>{false, true, false}, 0, std::optional<at::Tensor>(),
                   std::optional<at::Tensor>(output), std::optional<at::Tensor>());
    };
    if (!channels_last(attributes.format)) {
        run(y);
        return;
    }
    at::Tensor first = outputs_first(y, attributes.format).contiguous();
    run(first);
    kernels::assign(y, first.movedim({0, 1}, {-1, -2}));
}

}  // namespace opweld::npu::graph
