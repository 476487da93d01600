#include "npu/kernels/nn/attention_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace opweld::npu::kernels {
namespace {

std::vector<float> random_row(int64_t columns, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<float> normal(0.0F, 3.0F);
    std::vector<float> row(static_cast<size_t>(columns));
    for (float& value : row) {
        value = normal(engine);
    }
    return row;
}

bool is_kept(const ScoreRow& row, int64_t j) {
    return row.bits == nullptr || ((row.bits[(row.bit + j) / 8] >> ((row.bit + j) % 8)) & 1) != 0;
}

bool is_seen(const ScoreRow& row, int64_t j) {
    return j >= row.begin && j < row.end && (row.mask == nullptr || row.mask[j] == 0);
}

// The row in double precision, without tricks.
std::vector<double> expected(const ScoreRow& row, const std::vector<float>& scores,
                             RowStatistics* statistics) {
    std::vector<double> result(scores.size(), 0.0);
    double max = -std::numeric_limits<double>::infinity();
    for (int64_t j = 0; j < row.columns; ++j) {
        const auto i = static_cast<size_t>(j);
        const double pse = row.pse == nullptr ? 0.0 : row.pse[j];
        result[i] = row.scale_pse ? (scores[i] + pse) * row.scale : scores[i] * row.scale + pse;
        if (is_seen(row, j)) {
            max = std::max(max, result[i]);
        }
    }
    double sum = 0;
    for (int64_t j = 0; j < row.columns; ++j) {
        const auto i = static_cast<size_t>(j);
        result[i] = is_seen(row, j) ? std::exp(result[i] - max) : 0.0;
        sum += result[i];
    }
    for (int64_t j = 0; j < row.columns; ++j) {
        const auto i = static_cast<size_t>(j);
        result[i] = sum == 0 ? 0.0 : result[i] / sum * (is_kept(row, j) ? row.kept : 0.0);
    }
    *statistics = {static_cast<float>(max), static_cast<float>(sum)};
    return result;
}

ScoreRow whole(int64_t columns) {
    return {.columns = columns,
            .begin = 0,
            .end = columns,
            .scale = 0.25F,
            .scale_pse = true,
            .pse = nullptr,
            .mask = nullptr,
            .bits = nullptr,
            .bit = 0,
            .kept = 1.0F};
}

void expect_equal(const ScoreRow& row, unsigned seed) {
    std::vector<float> scores = random_row(row.columns, seed);
    RowStatistics wanted{};
    const std::vector<double> probabilities = expected(row, scores, &wanted);
    const RowStatistics statistics = softmax_row(row, scores.data());
    EXPECT_NEAR(statistics.max, wanted.max, 1e-5F);
    EXPECT_NEAR(statistics.sum, wanted.sum, 1e-5F * wanted.sum);
    for (size_t i = 0; i < scores.size(); ++i) {
        EXPECT_NEAR(scores[i], probabilities[i], 2e-6) << "column " << i << " of " << row.columns;
    }
}

TEST(AttentionRows, WholeRowsOfAnyLength) {
    for (int64_t columns = 1; columns < 70; ++columns) {
        expect_equal(whole(columns), static_cast<unsigned>(columns));
    }
}

TEST(AttentionRows, ColumnsOutsideTheRangeAreZero) {
    for (int64_t begin = 0; begin < 40; begin += 3) {
        ScoreRow row = whole(53);
        row.begin = begin;
        row.end = begin + 1 + begin % 13;
        expect_equal(row, static_cast<unsigned>(begin));
    }
}

TEST(AttentionRows, PositionsBeforeAndAfterTheScale) {
    const std::vector<float> pse = random_row(37, 99);
    ScoreRow row = whole(37);
    row.pse = pse.data();
    expect_equal(row, 1);
    row.scale_pse = false;
    expect_equal(row, 2);
}

TEST(AttentionRows, MaskAndDropout) {
    std::vector<uint8_t> mask(41);
    for (size_t i = 0; i < mask.size(); i += 3) {
        mask[i] = 1;
    }
    const std::vector<uint8_t> bits{0x5a, 0x13, 0xff, 0x00, 0x81, 0x3c, 0x77};
    ScoreRow row = whole(41);
    row.mask = mask.data();
    row.bits = bits.data();
    row.bit = 11;
    row.kept = 4.0F;
    expect_equal(row, 3);
}

TEST(AttentionRows, NothingToSee) {
    const std::vector<uint8_t> mask(20, 1);
    ScoreRow row = whole(20);
    row.mask = mask.data();
    std::vector<float> scores = random_row(20, 4);
    const RowStatistics statistics = softmax_row(row, scores.data());
    EXPECT_EQ(statistics.sum, 0.0F);
    EXPECT_EQ(statistics.max, std::numeric_limits<float>::lowest());
    EXPECT_EQ(scores, std::vector<float>(20, 0.0F));

    std::vector<float> again = random_row(20, 4);
    std::vector<float> gradients = random_row(20, 5);
    softmax_row_backward(row, statistics, 0.5F, again.data(), gradients.data());
    EXPECT_EQ(again, std::vector<float>(20, 0.0F));
    EXPECT_EQ(gradients, std::vector<float>(20, 0.0F));
}

TEST(AttentionRows, NotANumberStaysThat) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    for (const bool all : {false, true}) {
        std::vector<float> scores = random_row(35, 6);
        for (size_t i = all ? 0 : 17; i < (all ? scores.size() : 18); ++i) {
            scores[i] = kNan;
        }
        softmax_row(whole(35), scores.data());
        for (const float value : scores) {
            EXPECT_TRUE(std::isnan(value));
        }
    }
}

TEST(AttentionRows, FarApartScores) {
    std::vector<float> scores{0.0F, -4000.0F, -340.0F, -std::numeric_limits<float>::infinity()};
    const RowStatistics statistics = softmax_row(whole(4), scores.data());
    EXPECT_EQ(statistics.max, 0.0F);
    EXPECT_EQ(scores[0], 1.0F);
    EXPECT_EQ(scores[1], 0.0F);
    EXPECT_NEAR(scores[2], std::exp(-85.0), 1e-42);
    EXPECT_EQ(scores[3], 0.0F);
}

TEST(AttentionRows, GradientsOfTheScores) {
    const std::vector<uint8_t> bits{0xd6, 0x3b, 0x9f, 0xe5, 0x5c};
    for (const bool drops : {false, true}) {
        ScoreRow row = whole(33);
        row.begin = 2;
        row.end = 31;
        row.bits = drops ? bits.data() : nullptr;
        row.bit = 3;
        row.kept = drops ? 2.0F : 1.0F;
        const std::vector<float> scores = random_row(33, 7);
        const std::vector<float> upstream = random_row(33, 8);
        RowStatistics unused{};
        const std::vector<double> dropped = expected(row, scores, &unused);
        ScoreRow kept = row;
        kept.bits = nullptr;
        kept.kept = 1.0F;
        const std::vector<double> probabilities = expected(kept, scores, &unused);
        double delta = 0;
        for (size_t i = 0; i < scores.size(); ++i) {
            delta += dropped[i] * upstream[i];
        }

        std::vector<float> forward = scores;
        const RowStatistics statistics = softmax_row(row, forward.data());
        std::vector<float> again = scores;
        std::vector<float> gradients = upstream;
        softmax_row_backward(row, statistics, static_cast<float>(delta), again.data(), gradients.data());
        for (int64_t j = 0; j < row.columns; ++j) {
            const auto i = static_cast<size_t>(j);
            const double factor = is_kept(row, j) ? row.kept : 0.0;
            EXPECT_NEAR(again[i], dropped[i], 2e-6);
            EXPECT_NEAR(gradients[i], probabilities[i] * (upstream[i] * factor - delta), 1e-5);
        }
    }
}

}  // namespace
}  // namespace opweld::npu::kernels
