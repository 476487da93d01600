// The tutorial's kernels: matrix products that accumulate in float, whatever the element type.
#include <algorithm>
#include <cstring>
#include <vector>

#include "custom_linear_kernels.hpp"

namespace custom_linear {

namespace {

// A block of results is computed at once, and kept in registers: 6 rows of two vectors of 8.
constexpr int64_t block_rows = 6;
constexpr int64_t block_columns = 16;
constexpr int64_t parallel_work = 1 << 18;  // multiplications that are worth a thread

// A matrix in memory, of any strides.
template <typename T>
struct Matrix {
    const T* data;
    int64_t row_stride;
    int64_t column_stride;

    float operator()(int64_t row, int64_t column) const {
        return static_cast<float>(data[row * row_stride + column * column_stride]);
    }
};

// result[row][column] = sum over l of left[l][row] * right[l][column]. Always part of its caller, and so
// compiled for the processor that the caller is for.
[[gnu::always_inline]] inline void multiply_lanes(const float* left, const float* right, int64_t depth,
                                                  float* result) {
    using Lane = float __attribute__((vector_size(32)));
    Lane low[block_rows] = {};
    Lane high[block_rows] = {};
    for (int64_t l = 0; l < depth; ++l) {
        Lane right_low;
        Lane right_high;
        std::memcpy(&right_low, right + l * block_columns, sizeof(Lane));
        std::memcpy(&right_high, right + l * block_columns + 8, sizeof(Lane));
#pragma GCC unroll 6
        for (int64_t row = 0; row < block_rows; ++row) {
            low[row] += left[l * block_rows + row] * right_low;
            high[row] += left[l * block_rows + row] * right_high;
        }
    }
#pragma GCC unroll 6
    for (int64_t row = 0; row < block_rows; ++row) {
        std::memcpy(result + row * block_columns, &low[row], sizeof(Lane));
        std::memcpy(result + row * block_columns + 8, &high[row], sizeof(Lane));
    }
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void multiply_avx2(const float* left, const float* right, int64_t depth,
                                               float* result) {
    multiply_lanes(left, right, depth, result);
}
#endif

void multiply_block(const float* left, const float* right, int64_t depth, float* result) {
#if defined(__x86_64__)
    static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (has_avx2) {
        multiply_avx2(left, right, depth, result);
        return;
    }
#endif
    multiply_lanes(left, right, depth, result);
}

// Columns first .. first + block_columns of a [depth, columns] matrix, row after row; zeros beyond its edge.
template <typename T>
void pack_columns(const Matrix<T>& matrix, int64_t depth, int64_t first, int64_t columns, int64_t width,
                  float* packed) {
    const int64_t used = std::min(width, columns - first);
    for (int64_t l = 0; l < depth; ++l) {
        for (int64_t j = 0; j < used; ++j) {
            packed[l * width + j] = matrix(l, first + j);
        }
        std::fill_n(packed + l * width + used, width - used, 0.0F);
    }
}

// out[i][j] = sum over l of left(i, l) * right(l, j), plus bias[j] where there is a bias; `out` is row-major.
template <typename T>
void multiply(const Matrix<T>& left, const Matrix<T>& right, int64_t rows, int64_t columns, int64_t depth,
              const T* bias, T* out) {
    const int64_t column_blocks = (columns + block_columns - 1) / block_columns;
    const int64_t row_blocks = (rows + block_rows - 1) / block_rows;
    std::vector<float> packed_right(static_cast<size_t>(column_blocks * depth * block_columns));
    opweld::parallel_for(0, column_blocks, parallel_work / std::max<int64_t>(1, depth * block_columns),
                         [&](int64_t first, int64_t last) {
                             for (int64_t block = first; block < last; ++block) {
                                 pack_columns(right, depth, block * block_columns, columns, block_columns,
                                              packed_right.data() + block * depth * block_columns);
                             }
                         });
    const Matrix<T> turned{left.data, left.column_stride, left.row_stride};
    const int64_t work = std::max<int64_t>(1, block_rows * depth * column_blocks * block_columns);
    opweld::parallel_for(0, row_blocks, parallel_work / work + 1, [&](int64_t first, int64_t last) {
        std::vector<float> packed_left(static_cast<size_t>(depth * block_rows));
        float result[block_rows][block_columns];
        for (int64_t row = first * block_rows; row < std::min(rows, last * block_rows); row += block_rows) {
            pack_columns(turned, depth, row, rows, block_rows, packed_left.data());
            for (int64_t block = 0; block < column_blocks; ++block) {
                multiply_block(packed_left.data(), packed_right.data() + block * depth * block_columns, depth,
                               &result[0][0]);
                const int64_t column = block * block_columns;
                for (int64_t i = row; i < std::min(rows, row + block_rows); ++i) {
                    for (int64_t j = column; j < std::min(columns, column + block_columns); ++j) {
                        const float offset = bias == nullptr ? 0.0F : static_cast<float>(bias[j]);
                        out[i * columns + j] = static_cast<T>(result[i - row][j - column] + offset);
                    }
                }
            }
        }
    });
}

}  // namespace

void custom_linear(const CustomLinearArgs& args) {
    const int64_t columns = args.weight.size(0);
    const int64_t depth = args.weight.size(1);
    opweld::dispatch(args.x, CustomLinearArgs::x_types{}, [&]<typename T>() {
        const opweld::Contiguous<T> x(args.x.as<T>());
        const opweld::ContiguousOutput<T> y(args.y.as<T>());
        const int64_t rows = columns == 0 ? 0 : args.y.numel() / columns;
        const Matrix<T> turned_weight{args.weight.as<T>().data(), args.weight.stride(1),
                                      args.weight.stride(0)};
        std::optional<opweld::Contiguous<T>> bias;
        if (args.use_bias) {
            bias.emplace(args.bias->as<T>());
        }
        multiply<T>({x.data(), depth, 1}, turned_weight, rows, columns, depth, bias ? bias->data() : nullptr,
                    y.data());
        y.commit();
    });
}

void custom_linear_backward(const CustomLinearBackwardArgs& args) {
    const int64_t outputs = args.weight.size(0);
    const int64_t inputs = args.weight.size(1);
    opweld::dispatch(args.x, CustomLinearBackwardArgs::x_types{}, [&]<typename T>() {
        const opweld::Contiguous<T> grad_y(args.grad_y.as<T>());
        const opweld::Contiguous<T> x(args.x.as<T>());
        const int64_t rows = outputs == 0 ? 0 : args.grad_y.numel() / outputs;

        const opweld::ContiguousOutput<T> grad_x(args.grad_x.as<T>());
        const Matrix<T> weight{args.weight.as<T>().data(), args.weight.stride(0), args.weight.stride(1)};
        multiply<T>({grad_y.data(), outputs, 1}, weight, rows, inputs, outputs, nullptr, grad_x.data());
        grad_x.commit();

        const opweld::ContiguousOutput<T> grad_weight(args.grad_weight.as<T>());
        multiply<T>({grad_y.data(), 1, outputs}, {x.data(), inputs, 1}, outputs, inputs, rows, nullptr,
                    grad_weight.data());
        grad_weight.commit();

        if (args.grad_bias) {
            const auto grad_bias = args.grad_bias->as<T>();
            for (int64_t j = 0; j < outputs; ++j) {
                float sum = 0;
                for (int64_t i = 0; i < rows; ++i) {
                    sum += static_cast<float>(grad_y[i * outputs + j]);
                }
                grad_bias(j) = static_cast<T>(sum);
            }
        }
    });
}

}  // namespace custom_linear
