// The kernels of npu_custom_linear and its backward, for the software NPU and PyTorch's CPU device.
#include "custom_linear_kernels.hpp"
#include "matrix_product.hpp"

namespace custom_linear {
namespace {

// Leading dimensions count as one: x is [rows, in_features] for the kernel.
int64_t rows_of(const opweld::TensorView& tensor) {
    int64_t rows = 1;
    for (int64_t dim = 0; dim + 1 < tensor.ndim(); ++dim) {
        rows *= tensor.size(dim);
    }
    return rows;
}

}  // namespace

void custom_linear(const CustomLinearArgs& args) {
    opweld::dispatch(args.x, CustomLinearArgs::x_types{}, [&]<typename T>() {
        const opweld::Contiguous<T> x(args.x.as<T>());
        const opweld::Contiguous<T> weight(args.weight.as<T>());
        const opweld::ContiguousOutput<T> y(args.y.as<T>());
        const int64_t out_features = args.weight.size(0);
        const int64_t in_features = args.weight.size(1);
        std::vector<float> offset;
        if (args.use_bias) {
            const opweld::Contiguous<T> bias(args.bias->as<T>());
            offset.assign(bias.data(), bias.data() + out_features);
        }
        matrix_product<T>({x.data(), in_features, 1}, {weight.data(), 1, in_features}, offset, y.data(),
                          rows_of(args.x), in_features, out_features);
        y.commit();
    });
}

void custom_linear_backward(const CustomLinearBackwardArgs& args) {
    opweld::dispatch(args.x, CustomLinearBackwardArgs::x_types{}, [&]<typename T>() {
        const opweld::Contiguous<T> grad_y(args.grad_y.as<T>());
        const opweld::Contiguous<T> x(args.x.as<T>());
        const opweld::Contiguous<T> weight(args.weight.as<T>());
        const opweld::ContiguousOutput<T> grad_x(args.grad_x.as<T>());
        const opweld::ContiguousOutput<T> grad_weight(args.grad_weight.as<T>());
        const int64_t rows = rows_of(args.x);
        const int64_t out_features = args.weight.size(0);
        const int64_t in_features = args.weight.size(1);

        matrix_product<T>({grad_y.data(), out_features, 1}, {weight.data(), in_features, 1}, {}, grad_x.data(), rows,
                          out_features, in_features);
        grad_x.commit();
        matrix_product<T>({grad_y.data(), 1, out_features}, {x.data(), in_features, 1}, {}, grad_weight.data(),
                          out_features, rows, in_features);
        grad_weight.commit();
        if (args.grad_bias) {
            const opweld::ContiguousOutput<T> grad_bias(args.grad_bias->as<T>());
            std::vector<float> sums(static_cast<size_t>(out_features), 0.0F);
            for (int64_t i = 0; i < rows; ++i) {
                for (int64_t j = 0; j < out_features; ++j) {
                    sums[static_cast<size_t>(j)] += static_cast<float>(grad_y[i * out_features + j]);
                }
            }
            for (int64_t j = 0; j < out_features; ++j) {
                grad_bias[j] = static_cast<T>(sums[static_cast<size_t>(j)]);
            }
            grad_bias.commit();
        }
    });
}

}  // namespace custom_linear
