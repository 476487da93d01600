#include "npu/kernels/nn/filter_gradient.h"

#include <ATen/Dispatch.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <vector>

#include "npu/kernels/onednn_product.h"
#include "npu/kernels/parallel.h"

namespace opweld::npu::kernels {
namespace {

using Pair = std::array<int64_t, 2>;

Pair pair_of(at::IntArrayRef numbers) { return {numbers.front(), numbers.back()}; }

// Where a filter meets the input: for each of its elements, and each output pixel.
struct Meeting {
    Pair kernel;
    Pair output;
    Pair input;
    Pair stride;
    Pair padding;
    Pair dilation;
};

constexpr int64_t kPadding = -1;

// Where each output pixel of a batch finds what one element of a channel's filters sees, from the channel's
// first element in the first image on; kPadding where that is padding.
std::vector<int64_t> seen_places(const Meeting& at, Pair element, int64_t batch, int64_t image_size) {
    std::vector<int64_t> places;
    places.reserve(static_cast<size_t>(batch * at.output[0] * at.output[1]));
    for (int64_t image = 0; image < batch; ++image) {
        for (int64_t y = 0; y < at.output[0]; ++y) {
            const int64_t row = y * at.stride[0] - at.padding[0] + element[0] * at.dilation[0];
            for (int64_t x = 0; x < at.output[1]; ++x) {
                const int64_t column = x * at.stride[1] - at.padding[1] + element[1] * at.dilation[1];
                const bool inside = row >= 0 && row < at.input[0] && column >= 0 && column < at.input[1];
                places.push_back(inside ? image * image_size + row * at.input[1] + column : kPadding);
            }
        }
    }
    return places;
}

// [channels * kernel, batch * output]: a row for each element of a filter, what it sees at each pixel.
template <class T>
void gather(const at::Tensor& input, const Meeting& at, at::Tensor& seen) {
    const int64_t channels = input.size(1);
    const int64_t area = at.input[0] * at.input[1];
    const int64_t elements = at.kernel[0] * at.kernel[1];
    const int64_t pixels = seen.size(1);
    std::vector<std::vector<int64_t>> places;
    for (int64_t element = 0; element < elements; ++element) {
        places.push_back(seen_places(at, {element / at.kernel[1], element % at.kernel[1]}, input.size(0),
                                     channels * area));
    }
    const T* in = input.const_data_ptr<T>();
    T* out = seen.mutable_data_ptr<T>();
    constexpr int64_t kElementsEach = 1 << 14;
    parallel_for(0, channels, std::max<int64_t>(1, kElementsEach / (elements * pixels)),
                 [&](int64_t begin, int64_t end) {
                     T* row = out + begin * elements * pixels;
                     for (int64_t channel = begin; channel < end; ++channel) {
                         const T* first = in + channel * area;
                         for (const std::vector<int64_t>& at_pixel : places) {
                             row = std::ranges::transform(at_pixel, row, [first](int64_t place) {
                                       return place == kPadding ? T(0) : first[place];
                                   }).out;
                         }
                     }
                 });
}

}  // namespace

bool suits_filter_product(const at::Tensor& grad_output, const at::Tensor& input, const at::Tensor& weight,
                          const Convolution& what) {
    constexpr int64_t kRank = 4;
    if (what.transposed || what.groups != 1 || input.dim() != kRank || input.numel() == 0 ||
        grad_output.numel() == 0 || weight.numel() == 0) {
        return false;
    }
    // What is gathered is then at most as large as the gradient.
    const int64_t pixels = grad_output.size(0) * grad_output.size(2) * grad_output.size(3);
    return pixels <= weight.size(0);
}

void filter_product(const at::Tensor& grad_output, const at::Tensor& input, const Convolution& what,
                    at::Tensor& grad_weight) {
    const at::Tensor images = input.contiguous();
    const Meeting at{.kernel = {grad_weight.size(2), grad_weight.size(3)},
                     .output = {grad_output.size(2), grad_output.size(3)},
                     .input = {input.size(2), input.size(3)},
                     .stride = pair_of(what.stride),
                     .padding = pair_of(what.padding),
                     .dilation = pair_of(what.dilation)};
    const int64_t outputs = grad_output.size(1);
    at::Tensor seen = at::empty({input.size(1) * at.kernel[0] * at.kernel[1], grad_output.numel() / outputs},
                                images.options());
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kBFloat16, at::kHalf, images.scalar_type(), "filter_product",
                                    [&] { gather<scalar_t>(images, at, seen); });
    const at::Tensor gradients = grad_output.transpose(0, 1).reshape({outputs, -1});
    at::Tensor products = grad_weight.view({outputs, -1});
    multiply_into(products, gradients, seen.t());
}

}  // namespace opweld::npu::kernels
