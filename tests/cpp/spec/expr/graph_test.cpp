// Shapes with unknown sizes and ranks.
#include "opweld/expr/graph.h"

#include <gtest/gtest.h>

namespace opweld::expr::graph {
namespace {

using Dims = std::vector<std::int64_t>;

TEST(Graph, ShapesGoToTheEngineAndBack) {
    for (const Dims& dims : {Dims{}, Dims{2, -1, 3}, Dims{-2}, Dims{0}}) {
        EXPECT_EQ(to_ge(from_ge(dims)), dims);
    }
    EXPECT_FALSE(from_ge({-2}).known());
}

TEST(Graph, ArithmeticWithAnUnknownIsUnknown) {
    const Ints shape = from_ge({4, -1});
    EXPECT_EQ((item(shape, 0) * 2 + 1).value(), 9);
    EXPECT_FALSE((item(shape, 1) * 2).known());
    EXPECT_FALSE(floor_div(item(shape, 1), 2).known());
    EXPECT_FALSE(prod(shape).known());
    EXPECT_FALSE(max(shape).known());
    EXPECT_FALSE(item(from_ge({-2}), 3).known());
    EXPECT_THROW(item(shape, 2), Error);
}

TEST(Graph, ComparisonsHaveThreeOutcomes) {
    const Ints shape = from_ge({4, -1});
    EXPECT_TRUE(known_true(item(shape, 0) == 4));
    EXPECT_TRUE(known_false(item(shape, 0) != 4));
    EXPECT_FALSE((item(shape, 1) == 4).known());
    EXPECT_TRUE(known_false(equal(shape, from_ge({5, -1}))));
    EXPECT_TRUE(known_false(equal(shape, from_ge({4}))));
    EXPECT_FALSE(equal(shape, from_ge({4, 3})).known());
    EXPECT_FALSE(equal(shape, from_ge({-2})).known());
    EXPECT_TRUE(known_true(contains(shape, Int(4))));
    EXPECT_FALSE(contains(shape, Int(5)).known());
}

TEST(Graph, LogicTellsWhatCanBeTold) {
    const Bool unknown;
    const auto yes = [] { return Bool(true); };
    const auto no = [] { return Bool(false); };
    const auto fails = []() -> Bool { throw Error("no value"); };
    EXPECT_TRUE(known_false(both(unknown, no)));
    EXPECT_FALSE(both(unknown, yes).known());
    EXPECT_TRUE(known_true(either(unknown, yes)));
    EXPECT_FALSE(either(unknown, no).known());
    EXPECT_FALSE(both(unknown, fails).known());
    EXPECT_FALSE(either(unknown, fails).known());
    EXPECT_TRUE(known_false(both(false, fails)));
    EXPECT_THROW(both(true, fails), Error);
}

TEST(Graph, ConditionalsMergeWhereTheConditionIsUnknown) {
    const Ints merged = select<Ints>(Bool(), [] { return from_ge({1, 2}); }, [] { return from_ge({1, 3}); });
    EXPECT_EQ(to_ge(merged), (Dims{1, -1}));
    const Ints ranks = select<Ints>(Bool(), [] { return from_ge({1, 2}); }, [] { return from_ge({1}); });
    EXPECT_EQ(to_ge(ranks), (Dims{-2}));
    EXPECT_THROW(
        select<std::optional<Int>>(Bool(), [] { return Int(1); }, [] { return std::nullopt; }), Error);
}

TEST(Graph, ShapeFunctionsKeepWhatIsKnown) {
    EXPECT_EQ(to_ge(broadcast({from_ge({4, -1, 1}), from_ge({-1, 3})})), (Dims{4, -1, 3}));
    EXPECT_EQ(to_ge(broadcast({from_ge({-1}), from_ge({1})})), (Dims{-1}));
    EXPECT_EQ(to_ge(broadcast({from_ge({-2}), from_ge({1})})), (Dims{-2}));
    EXPECT_EQ(to_ge(reduced(from_ge({2, -1, 4}), Ints{0}, false)), (Dims{-1, 4}));
    EXPECT_EQ(to_ge(reduced(from_ge({2, -1, 4}), Ints(), true)), (Dims{-1, -1, -1}));
    EXPECT_EQ(to_ge(slice(from_ge({2, -1, 4}), 1)), (Dims{-1, 4}));
    EXPECT_EQ(to_ge(concat(from_ge({2}), from_ge({-2}))), (Dims{-2}));
}

TEST(Graph, PromotionLeavesOpenWhatDependsOnTheRank) {
    const Tensor wide{from_ge({-2}), DType::float64};
    const Tensor half{from_ge({3}), DType::float16};
    EXPECT_FALSE(promote(half, wide).known());
    EXPECT_EQ(promote(half, Tensor{from_ge({-2}), DType::float16}).value(), DType::float16);
    EXPECT_EQ(promote(half, Tensor{from_ge({-1}), DType::float64}).value(), DType::float64);
    EXPECT_FALSE(promote(half, Tensor{from_ge({1}), {}}).known());
}

}  // namespace
}  // namespace opweld::expr::graph
