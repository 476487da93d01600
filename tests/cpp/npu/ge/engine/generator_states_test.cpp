#include "npu/ge/engine/generator_states.h"

#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cpp/npu/ge/graph_builder.h"

namespace opweld::npu::graph {
namespace {

using testing::ElementsAre;

constexpr int32_t kInt32 = 3;
constexpr int32_t kInt64 = 9;

Source draw(GraphBuilder& graph, Source shape, Source key, Source counter) {
    const Source alg = graph.constant(at::tensor({1}, at::kInt));
    return graph.node("StatelessRandomUniformV2",
                      {{"shape", shape}, {"key", key}, {"counter", counter}, {"alg", alg}});
}

TEST(GeneratorStates, WhatRandomOperatorsReadAsOffset) {
    GraphBuilder graph;
    const Source shape = graph.data({2}, kInt64);
    const Source key = graph.data({1}, kInt64);
    const Source offsets = graph.data({2}, kInt64);
    const Source unpacked =
        graph.node("Unpack", {{"x", offsets}}, {{"num", int64_t{2}}, {"axis", int64_t{0}}}, {"y0", "y1"});
    const Source first = draw(graph, shape, key, unpacked);
    const Source second = draw(graph, shape, key, {.node = unpacked.node, .output = 1});
    const Program program = graph.finish({graph.node("Add", {{"x1", first}, {"x2", second}})});
    EXPECT_THAT(generator_states(program), ElementsAre(false, true, true));
}

TEST(GeneratorStates, NotWhatOthersReadToo) {
    GraphBuilder graph;
    const Source shape = graph.constant(at::tensor({2, 3}, at::kLong));
    const Source key = graph.data({1}, kInt64);
    const Source counter = graph.data({1}, kInt64);
    const Source unused = graph.data({1}, kInt32);
    const Source drawn = draw(graph, shape, key, counter);
    const Program program = graph.finish({drawn, graph.node("Neg", {{"x", counter}}), unused});
    EXPECT_THAT(generator_states(program), ElementsAre(true, false, false));
}

}  // namespace
}  // namespace opweld::npu::graph
