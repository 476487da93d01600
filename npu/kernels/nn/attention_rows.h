// The inner loops of attention: one row of scores at a time, vectorized for the host it runs on.
#pragma once

#include <cstdint>

namespace opweld::npu::kernels {

// A row of the score matrix. Columns outside [begin, end) are masked.
struct ScoreRow {
    int64_t columns;
    int64_t begin;
    int64_t end;
    float scale;
    bool scale_pse;       // pse is added before the scaling
    const float* pse;     // null: none
    const uint8_t* mask;  // nonzero: masked; null: none
    const uint8_t* bits;  // dropout, bit `bit` for column 0; null: none
    int64_t bit;
    float kept;  // what kept probabilities are multiplied with
};

struct RowStatistics {
    float max;
    float sum;
};

// Turns products into probabilities, after dropout. A row without an unmasked column gets zeros, and the
// lowest finite float and 0 as statistics.
RowStatistics softmax_row(const ScoreRow& row, float* scores);

// The same products become probabilities after dropout again, and the gradients of these the gradients of the
// scores. `delta` is the dot product of the row's output and its gradient.
void softmax_row_backward(const ScoreRow& row, const RowStatistics& statistics, float delta, float* scores,
                          float* gradients);

}  // namespace opweld::npu::kernels
