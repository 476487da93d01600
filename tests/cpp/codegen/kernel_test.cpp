// The layer that kernels are written with: kernel.hpp.
#include "opweld/kernel.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace opweld {
namespace {

struct Owned {
    Owned(std::vector<int64_t> sizes, std::vector<int64_t> steps, std::vector<float> values)
        : shape(std::move(sizes)), strides(std::move(steps)), data(std::move(values)) {}
    OpweldTensor raw() {
        return {data.data(),
                shape.data(),
                strides.data(),
                static_cast<int32_t>(shape.size()),
                OPWELD_FLOAT32,
                1,
                0};
    }
    std::vector<int64_t> shape;
    std::vector<int64_t> strides;
    std::vector<float> data;
};

TEST(Half, KeepsEveryValueOfItsOwn) {
    for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
        const float value = detail::half_bits_to_float(static_cast<uint16_t>(bits));
        if (!std::isnan(value)) {
            EXPECT_EQ(detail::float_to_half_bits(value), bits);
        }
    }
}

TEST(Half, RoundsToNearestEven) {
    EXPECT_EQ(Half(1.0F + 0x1p-11F).bits, Half(1.0F).bits);
    EXPECT_EQ(Half(1.0F + 0x1.8p-10F).bits, Half(1.0F + 0x1p-9F).bits);
    EXPECT_EQ(float(Half(65519.0F)), 65504.0F);
    EXPECT_TRUE(std::isinf(float(Half(65520.0F))));
    EXPECT_EQ(float(Half(0x1p-25F)), 0.0F);
    EXPECT_EQ(float(Half(0x1.8p-25F)), 0x1p-24F);
    EXPECT_TRUE(std::isnan(float(Half(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(BFloat16, RoundsToNearestEven) {
    EXPECT_EQ(float(BFloat16(1.0F + 0x1p-8F)), 1.0F);
    EXPECT_EQ(float(BFloat16(1.0F + 0x1.8p-7F)), 1.0F + 0x1p-6F);
    EXPECT_TRUE(std::isnan(float(BFloat16(std::numeric_limits<float>::quiet_NaN()))));
    EXPECT_TRUE(std::isinf(float(BFloat16(std::numeric_limits<float>::max()))));
}

TEST(TensorView, KnowsItsForm) {
    Owned owned({2, 3}, {1, 2}, {0, 1, 2, 3, 4, 5});
    const TensorView view(owned.raw());
    EXPECT_EQ(view.size(-1), 3);
    EXPECT_EQ(view.numel(), 6);
    EXPECT_FALSE(view.is_contiguous());
    EXPECT_EQ(view.as<float>()(1, 2), 5.0F);
    EXPECT_THROW((void)view.size(2), std::out_of_range);
    EXPECT_THROW((void)view.as<double>(), std::invalid_argument);
}

TEST(TensorView, EmptyAndSingleDimensionsAreContiguous) {
    Owned empty({0, 3}, {7, 9}, {1});
    Owned single({1, 2}, {99, 1}, {1, 2});
    EXPECT_TRUE(TensorView(empty.raw()).is_contiguous());
    EXPECT_TRUE(TensorView(single.raw()).is_contiguous());
}

TEST(Elementwise, BroadcastsAndFollowsStrides) {
    Owned matrix({2, 3}, {1, 2}, {0, 1, 2, 3, 4, 5});
    Owned row({3}, {1}, {10, 20, 30});
    Owned out({2, 3}, {3, 1}, std::vector<float>(6));
    elementwise(
        MutableTensorView(out.raw()).as<float>(), [](float a, float b) { return a + b; },
        TensorView(matrix.raw()).as<float>(), TensorView(row.raw()).as<float>());
    EXPECT_EQ(out.data, (std::vector<float>{10, 22, 34, 11, 23, 35}));
}

TEST(Elementwise, TakesScalarsAndEmptyTensors) {
    Owned scalar({}, {}, {5});
    Owned out({}, {}, {0});
    elementwise(
        MutableTensorView(out.raw()).as<float>(), [](float a) { return 2 * a; },
        TensorView(scalar.raw()).as<float>());
    EXPECT_EQ(out.data[0], 10.0F);
    Owned none({2, 0}, {0, 1}, {});
    elementwise(
        MutableTensorView(none.raw()).as<float>(), [](float a) { return a; },
        TensorView(none.raw()).as<float>());
}

TEST(Elementwise, RefusesShapesThatDoNotBroadcast) {
    Owned a({2}, {1}, {1, 2});
    Owned out({3}, {1}, {0, 0, 0});
    EXPECT_THROW(elementwise(
                     MutableTensorView(out.raw()).as<float>(), [](float x) { return x; },
                     TensorView(a.raw()).as<float>()),
                 std::invalid_argument);
}

TEST(Contiguous, CopiesWhatIsNot) {
    Owned turned({2, 3}, {1, 2}, {0, 1, 2, 3, 4, 5});
    const Contiguous<float> items(TensorView(turned.raw()).as<float>());
    EXPECT_EQ(items[1], 2.0F);
    EXPECT_EQ(items[3], 1.0F);
    Owned plain({2}, {1}, {7, 8});
    EXPECT_EQ(Contiguous<float>(TensorView(plain.raw()).as<float>()).data(), plain.data.data());
}

TEST(ContiguousOutput, WritesBack) {
    Owned turned({2, 2}, {1, 2}, {0, 0, 0, 0});
    const ContiguousOutput<float> out(MutableTensorView(turned.raw()).as<float>());
    for (int i = 0; i < 4; ++i) {
        out[i] = static_cast<float>(i);
    }
    out.commit();
    EXPECT_EQ(turned.data, (std::vector<float>{0, 2, 1, 3}));
}

TEST(Dispatch, NamesATypeThatIsMissing) {
    try {
        dispatch(OPWELD_INT8, TypeList<float, Half>{}, []<typename T>() { FAIL(); });
        FAIL();
    } catch (const std::invalid_argument& error) {
        EXPECT_NE(std::string(error.what()).find("int8"), std::string::npos);
    }
}

TEST(ParallelFor, CoversTheRangeOnceAndPassesExceptionsOn) {
    std::vector<std::atomic<int>> seen(1000);
    parallel_for(0, 1000, 10, [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) {
            ++seen[static_cast<size_t>(i)];
        }
    });
    for (const auto& count : seen) {
        EXPECT_EQ(count, 1);
    }
    EXPECT_THROW(parallel_for(0, 100, 1, [](int64_t, int64_t) { throw std::runtime_error("no"); }),
                 std::runtime_error);
}

TEST(Philox, GivesTheNumbersOfThePaper) {
    // Known answers of Random123 for philox4x32-10: zeros, and all bits set.
    EXPECT_EQ(philox({0, 0}, 0), (std::array<uint32_t, 4>{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
    const uint64_t ones = ~uint64_t{0};
    EXPECT_EQ(philox({ones, ones}, ones),
              (std::array<uint32_t, 4>{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}));
}

TEST(Guarded, TurnsExceptionsIntoText) {
    const OpweldCall call{};
    std::array<char, 16> text{};
    EXPECT_EQ(guarded(&call, text.data(), text.size(), [](const OpweldCall&) {}), 0);
    EXPECT_NE(guarded(&call, text.data(), text.size(),
                      [](const OpweldCall&) { throw std::runtime_error("a rather long sentence"); }),
              0);
    EXPECT_STREQ(text.data(), "a rather long s");
    EXPECT_NE(guarded(&call, text.data(), text.size(), [](const OpweldCall&) { throw 3; }), 0);
}

TEST(Guarded, CutsALongTextWithANote) {
    const OpweldCall call{};
    const std::string longest(longest_error, 'a');
    std::string endless = "x";
    for (int i = 0; i < 40000; ++i) {
        endless += "\xC3\xA9";  // a character of two bytes
    }
    for (const size_t room : {size_t{200}, size_t{4096}}) {
        std::vector<char> text(room);
        guarded(&call, text.data(), room, [&](const OpweldCall&) { throw std::runtime_error(longest); });
        EXPECT_EQ(std::string(text.data()) == longest, room > longest_error);
        guarded(&call, text.data(), room, [&](const OpweldCall&) { throw std::runtime_error(endless); });
        const std::string cut = text.data();
        const std::string note = "\xA9 ... (the message is longer and was cut)";
        EXPECT_TRUE(cut.ends_with(note)) << cut;
        EXPECT_LE(cut.size(), std::min(room, longest_error));
    }
}

TEST(CallReader, RefusesOtherVersionsAndNumbers) {
    OpweldCall call{};
    call.abi = OPWELD_KERNEL_ABI + 1;
    EXPECT_THROW(CallReader(call, 0, 0, 0), std::runtime_error);
    call.abi = OPWELD_KERNEL_ABI;
    EXPECT_NO_THROW(CallReader(call, 0, 0, 0));
    EXPECT_THROW(CallReader(call, 1, 0, 0), std::runtime_error);
}

}  // namespace
}  // namespace opweld
