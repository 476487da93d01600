// A matrix product over plain memory, accumulated in float whatever the element type.
#pragma once

#include <opweld/kernel.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace custom_linear {

// A matrix in memory: element (i, j) is data[i * row_step + j * column_step]. Swapping the steps transposes it.
template <typename T>
struct Matrix {
    const T* data;
    int64_t row_step;
    int64_t column_step;

    float operator()(int64_t row, int64_t column) const {
        return static_cast<float>(data[row * row_step + column * column_step]);
    }
};

// out[rows, columns] = left[rows, inner] @ right[inner, columns] + offset[columns]; out is row-major, and an empty
// `offset` counts as zeros. Works on blocks that stay in the first-level cache: `right` is converted to float once,
// four rows of `out` share each of its rows, and the innermost loop runs over neighbours in memory.
template <typename T>
void matrix_product(const Matrix<T>& left, const Matrix<T>& right, const std::vector<float>& offset, T* out,
                    int64_t rows, int64_t inner, int64_t columns) {
    constexpr int64_t block_rows = 4;
    constexpr int64_t block_columns = 256;
    std::vector<float> packed(static_cast<size_t>(inner * columns));
    for (int64_t l = 0; l < inner; ++l) {
        for (int64_t j = 0; j < columns; ++j) {
            packed[static_cast<size_t>(l * columns + j)] = right(l, j);
        }
    }
    const int64_t work = std::max<int64_t>(1, inner * columns);
    const int64_t grain = std::max<int64_t>(block_rows, (int64_t{1} << 20) / work);
    opweld::parallel_for(0, rows, grain, [&](int64_t first, int64_t last) {
        std::array<std::array<float, block_columns>, block_rows> sums{};
        for (int64_t i = first; i < last; i += block_rows) {
            const int64_t height = std::min(block_rows, last - i);
            for (int64_t j = 0; j < columns; j += block_columns) {
                const int64_t width = std::min(block_columns, columns - j);
                for (int64_t r = 0; r < height; ++r) {
                    for (int64_t c = 0; c < width; ++c) {
                        sums[r][c] = offset.empty() ? 0.0F : offset[static_cast<size_t>(j + c)];
                    }
                }
                for (int64_t l = 0; l < inner; ++l) {
                    const float* row = packed.data() + l * columns + j;
                    for (int64_t r = 0; r < height; ++r) {
                        const float factor = left(i + r, l);
                        float* sum = sums[r].data();
                        for (int64_t c = 0; c < width; ++c) {
                            sum[c] += factor * row[c];
                        }
                    }
                }
                for (int64_t r = 0; r < height; ++r) {
                    for (int64_t c = 0; c < width; ++c) {
                        out[(i + r) * columns + j + c] = static_cast<T>(sums[r][c]);
                    }
                }
            }
        }
    });
}

}  // namespace custom_linear
