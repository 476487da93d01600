#include "npu/ge/model/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/cpp/npu/ge/model/model_bytes.h"

namespace opweld::npu::graph {
namespace {

using testing::HasSubstr;
using namespace test;

std::string good() {
    return model({data_node("a", 0, {2, -1}), constant_node("c", {2}, std::string(16, '\1')),
                  plain_node("b", "Relu", {"a:0"}), plain_node("d", "Add", {"b:0", "c:0"}),
                  end_node({"d:0"})});
}

void refused(const std::string& bytes, const std::string& reason) {
    try {
        read_model(bytes);
        FAIL() << "was read; expected: " << reason;
    } catch (const GraphError& error) {
        EXPECT_THAT(error.what(), HasSubstr(reason));
    }
}

TEST(Reader, ReadsNodesEdgesAndConstants) {
    const Graph graph = read_model(good());
    ASSERT_EQ(graph.nodes.size(), 5U);
    EXPECT_EQ(graph.nodes[static_cast<size_t>(graph.data[0])].outputs[0].shape,
              (std::vector<int64_t>{2, -1}));
    const auto* constant = attribute<Constant>(graph.nodes[1].attributes, "value");
    ASSERT_NE(constant, nullptr);
    EXPECT_EQ(constant->bytes->size(), 16U);
    EXPECT_EQ(graph.nodes[static_cast<size_t>(graph.net_output)].inputs[0].node, 3);
}

TEST(Reader, TellsOfWhichOperatorOfPyTorchANodeIs) {
    const NodeBytes inner = plain_node("b", "Cast", {"a:0"});
    NodeBytes last = plain_node("c", "Add", {"b:0", "b:0"});
    last.outputs = {descriptor("y", kModelFloat, {}) +
                    field(5, entry("_fx_tensor_name", field(2, "add_1-aten.add.Tensor.OUTPUT.0")))};
    const NodeBytes other = plain_node("d", "Relu", {"c:0"});
    const Graph graph = read_model(model({data_node("a", 0, {1}), inner, last, other, end_node({"d:0"})}));
    const auto origin = [&](size_t node) {
        const auto* found = attribute<std::string>(graph.nodes[node].attributes, kOrigin);
        return found == nullptr ? std::string() : *found;
    };
    EXPECT_EQ(origin(1), "aten.add.Tensor");  // only it uses the node
    EXPECT_EQ(origin(2), "aten.add.Tensor");
    EXPECT_EQ(origin(3), "");
}

TEST(Reader, OrdersNodesBehindTheirProducers) {
    const Graph graph =
        read_model(model({end_node({"b:0"}), plain_node("b", "Relu", {"a:0"}), data_node("a", 0, {1})}));
    EXPECT_EQ(graph.nodes[0].name, "a");
    EXPECT_EQ(graph.nodes[1].name, "b");
    EXPECT_EQ(graph.net_output, 2);
}

TEST(Reader, LeavesOutTheDescriptionOfAnInputThatAGraphsInputDoesNotHave) {
    for (const char* type : {"Data", "RefData"}) {
        NodeBytes described = data_node("a", 0, {2});
        described.type = type;
        described.attributes += field(33, descriptor("x", kModelFloat, {2}));
        const Graph graph = read_model(model({described, end_node({"a:0"})}));
        EXPECT_TRUE(graph.nodes[static_cast<size_t>(graph.data[0])].input_infos.empty()) << type;
    }
}

TEST(Reader, RefusesACycle) {
    refused(model({plain_node("a", "Relu", {"b:0"}), plain_node("b", "Relu", {"a:0"}), end_node({"b:0"})}),
            "cycle: node 'a'");
    refused(model({plain_node("a", "Relu", {"a:0"}), end_node({"a:0"})}), "cycle: node 'a'");
}

TEST(Reader, RefusesTwoNodesOfOneName) {
    refused(model({data_node("a", 0, {1}), data_node("a", 1, {1}), end_node({"a:0"})}),
            "two nodes have the name 'a'");
}

TEST(Reader, RefusesEdgesToNowhere) {
    refused(model({data_node("a", 0, {1}), end_node({"z:0"})}), "no such node");
    refused(model({data_node("a", 0, {1}), end_node({"a:1"})}), "has 1 outputs");
    refused(model({data_node("a", 0, {1}), end_node({"a:x"})}), "'producer:number'");
}

TEST(Reader, RefusesGraphsWithoutEndsOrWithTwo) {
    refused(model({data_node("a", 0, {1})}), "no node of type NetOutput");
    refused(model({data_node("a", 1, {1}), end_node({"a:0"})}), "input 0 has no node");
    refused(model({data_node("a", 0, {1}), data_node("b", 0, {1}), end_node({"a:0"})}), "both input 0");
    refused("", "has no graph");
}

TEST(Reader, RefusesConstantsThatDoNotFit) {
    refused(model({constant_node("c", {3}, "12345678"), end_node({"c:0"})}), "needs 24 bytes, but it has 8");
    refused(model({constant_node("c", {int64_t{1} << 40, int64_t{1} << 40}, ""), end_node({"c:0"})}),
            "too large");
    refused(model({constant_node("c", {-1}, "12345678"), end_node({"c:0"})}), "not known");
}

TEST(Reader, ReadsOrRefusesWhatIsTruncated) {
    const std::string bytes = good();
    for (size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_THROW(read_model(std::string_view(bytes).substr(0, length)), GraphError) << length;
    }
}

TEST(Reader, ReadsOrRefusesWhatHasFlippedBits) {
    const std::string bytes = good();
    size_t refusals = 0;
    for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        std::string flipped = bytes;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
        try {
            const Graph graph = read_model(flipped);
            EXPECT_GE(graph.net_output, 0);
        } catch (const GraphError& error) {
            EXPECT_FALSE(std::string_view(error.what()).empty());
            ++refusals;
        }
    }
    EXPECT_GT(refusals, bytes.size());
}

TEST(Reader, ReadsOrRefusesRandomBytes) {
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        std::string bytes = good();
        for (int k = 0; k < 8; ++k) {
            bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        try {
            EXPECT_GE(read_model(bytes).net_output, 0);
        } catch (const GraphError& error) {
            EXPECT_FALSE(std::string_view(error.what()).empty());
        }
    }
}

}  // namespace
}  // namespace opweld::npu::graph
