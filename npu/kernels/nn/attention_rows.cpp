#include "npu/kernels/nn/attention_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "npu/kernels/vectorized.h"

namespace opweld::npu::kernels {
namespace {

constexpr int64_t kLanes = 16;  // independent partial results, so that reductions vectorize
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// exp(x) for x <= 0, within 2 units in the last place; 0 below the smallest normal number. The polynomial is
// that of the Cephes library (Moshier, 1984). Not a number stays that.
inline float exp_nonpositive(float x) noexcept {
    constexpr float kRounder =
        12582912.0F;  // 1.5 * 2^23: adding it leaves the nearest integer in the mantissa
    constexpr float kSmallest = -87.3365F;
    const float shifted = x * 1.44269504F + kRounder;
    const float n = shifted - kRounder;
    const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
    float y = 1.9875691500e-4F;
    y = y * r + 1.3981999507e-3F;
    y = y * r + 8.3334519073e-3F;
    y = y * r + 4.1665795894e-2F;
    y = y * r + 1.6666665459e-1F;
    y = y * r + 5.0000001201e-1F;
    y = y * r * r + r + 1.0F;
    const uint32_t exponent = std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(kRounder) + 127U;
    const float result = y * std::bit_cast<float>(exponent << 23U);
    return x < kSmallest ? 0.0F : result;
}

OPWELD_VECTORIZED void scale_scores(const ScoreRow& row, float* scores) {
    const float scale = row.scale;
    const float* pse = row.pse;
    if (pse == nullptr) {
        for (int64_t j = row.begin; j < row.end; ++j) {
            scores[j] *= scale;
        }
    } else if (row.scale_pse) {
        for (int64_t j = row.begin; j < row.end; ++j) {
            scores[j] = (scores[j] + pse[j]) * scale;
        }
    } else {
        for (int64_t j = row.begin; j < row.end; ++j) {
            scores[j] = scores[j] * scale + pse[j];
        }
    }
    if (const uint8_t* mask = row.mask) {
        for (int64_t j = row.begin; j < row.end; ++j) {
            scores[j] = mask[j] != 0 ? -kInfinity : scores[j];
        }
    }
}

OPWELD_VECTORIZED float row_max(const float* scores, int64_t begin, int64_t end) {
    float lanes[kLanes];
    std::fill(lanes, lanes + kLanes, -kInfinity);
    int64_t j = begin;
    for (; j + kLanes <= end; j += kLanes) {
        for (int64_t l = 0; l < kLanes; ++l) {
            lanes[l] = scores[j + l] > lanes[l] ? scores[j + l] : lanes[l];
        }
    }
    float result = *std::max_element(lanes, lanes + kLanes);
    for (; j < end; ++j) {
        result = std::max(result, scores[j]);
    }
    return result;
}

// Replaces the scores by exp(score - max); returns their sum.
OPWELD_VECTORIZED float exponentials(float* scores, int64_t begin, int64_t end, float max) {
    float lanes[kLanes] = {};
    int64_t j = begin;
    for (; j + kLanes <= end; j += kLanes) {
        for (int64_t l = 0; l < kLanes; ++l) {
            const float value = exp_nonpositive(scores[j + l] - max);
            scores[j + l] = value;
            lanes[l] += value;
        }
    }
    float sum = 0;
    for (const float lane : lanes) {
        sum += lane;
    }
    for (; j < end; ++j) {
        scores[j] = exp_nonpositive(scores[j] - max);
        sum += scores[j];
    }
    return sum;
}

OPWELD_VECTORIZED void multiply(float* values, int64_t begin, int64_t end, float factor) {
    for (int64_t j = begin; j < end; ++j) {
        values[j] *= factor;
    }
}

OPWELD_VECTORIZED void score_gradients(const float* probabilities, int64_t begin, int64_t end, float delta,
                                       float* gradients) {
    for (int64_t j = begin; j < end; ++j) {
        gradients[j] = probabilities[j] * (gradients[j] - delta);
    }
}

// 1 / keep_prob for a kept column, else 0.
inline float dropout_factor(const ScoreRow& row, int64_t column) noexcept {
    const int64_t bit = row.bit + column;
    return ((row.bits[bit >> 3] >> (bit & 7)) & 1) != 0 ? row.kept : 0.0F;
}

void drop(const ScoreRow& row, float* values) {
    for (int64_t j = row.begin; j < row.end; ++j) {
        values[j] *= dropout_factor(row, j);
    }
}

void clear_masked(const ScoreRow& row, float* values) {
    std::fill(values, values + row.begin, 0.0F);
    std::fill(values + row.end, values + row.columns, 0.0F);
}

}  // namespace

RowStatistics softmax_row(const ScoreRow& row, float* scores) {
    scale_scores(row, scores);
    const float max = row_max(scores, row.begin, row.end);
    if (max == -kInfinity) {
        // A row of NaNs has no maximum either, but it is not masked.
        if (std::any_of(scores + row.begin, scores + row.end, [](float s) { return std::isnan(s); })) {
            constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
            std::fill(scores, scores + row.columns, kNan);
            return {kNan, kNan};
        }
        std::fill(scores, scores + row.columns, 0.0F);
        return {std::numeric_limits<float>::lowest(), 0.0F};
    }
    const float sum = exponentials(scores, row.begin, row.end, max);
    multiply(scores, row.begin, row.end, 1.0F / sum);
    if (row.bits != nullptr) {
        drop(row, scores);
    }
    clear_masked(row, scores);
    return {max, sum};
}

void softmax_row_backward(const ScoreRow& row, const RowStatistics& statistics, float delta, float* scores,
                          float* gradients) {
    if (statistics.sum == 0.0F) {
        std::fill(scores, scores + row.columns, 0.0F);
        std::fill(gradients, gradients + row.columns, 0.0F);
        return;
    }
    scale_scores(row, scores);
    exponentials(scores, row.begin, row.end, statistics.max);
    multiply(scores, row.begin, row.end, 1.0F / statistics.sum);
    if (row.bits != nullptr) {
        drop(row, gradients);
    }
    score_gradients(scores, row.begin, row.end, delta, gradients);
    if (row.bits != nullptr) {
        drop(row, scores);
    }
    clear_masked(row, scores);
    clear_masked(row, gradients);
}

}  // namespace opweld::npu::kernels
