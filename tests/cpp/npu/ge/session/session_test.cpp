#include <gtest/gtest.h>
#include <malloc.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "npu/ge/session/ge_api.h"
#include "tests/cpp/npu/ge/model/model_bytes.h"

extern "C" const char* aclGetRecentErrMsg();

namespace ge {
namespace {

constexpr int64_t kRows = 1024;
constexpr int64_t kColumns = 2048;
constexpr size_t kElements = kRows * kColumns;

// sigmoid(x * y + 1.5) * tanh(x - y) / (|y| + 1), as torchair serialized it
std::string model() {
    std::ifstream file(OPW_CHAIN_MODEL, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Tensor tensor_of(std::vector<float>& values) {
    TensorDesc desc(Shape({kRows, kColumns}), FORMAT_ND, DT_FLOAT);
    Tensor tensor(desc);
    tensor.SetData(reinterpret_cast<uint8_t*>(values.data()), values.size() * sizeof(float), [](uint8_t*) {});
    return tensor;
}

std::vector<float> numbers(float step) {
    std::vector<float> values(kElements);
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = std::sin(step * static_cast<float>(i % 1000));
    }
    return values;
}

float expected(float x, float y) {
    return 1.0F / (1.0F + std::exp(-(x * y + 1.5F))) * std::tanh(x - y) / (std::abs(y) + 1.0F);
}

void run_once(Session& session, uint32_t id, const Graph& graph) {
    ASSERT_EQ(session.AddGraph(id, graph, {}), GRAPH_SUCCESS) << aclGetRecentErrMsg();
    ASSERT_EQ(session.CompileGraph(id), GRAPH_SUCCESS) << aclGetRecentErrMsg();
    std::vector<float> x = numbers(0.1F);
    std::vector<float> y = numbers(0.37F);
    std::vector<Tensor> outputs;
    ASSERT_EQ(session.RunGraph(id, {tensor_of(x), tensor_of(y)}, outputs), GRAPH_SUCCESS)
        << aclGetRecentErrMsg();
    ASSERT_EQ(outputs.size(), 1U);
    const auto* out = reinterpret_cast<const float*>(outputs[0].GetData());
    for (size_t i = 0; i < kElements; i += 997) {
        ASSERT_NEAR(out[i], expected(x[i], y[i]), 1e-5) << i;
    }
    ASSERT_EQ(session.RemoveGraph(id), GRAPH_SUCCESS);
}

Graph load() {
    Graph graph("chain");
    const std::string bytes = model();
    EXPECT_EQ(graph.LoadFromSerializedModelArray(bytes.data(), bytes.size()), GRAPH_SUCCESS)
        << aclGetRecentErrMsg();
    return graph;
}

size_t resident_pages() {
    std::ifstream file("/proc/self/statm");
    size_t total = 0;
    size_t resident = 0;
    file >> total >> resident;
    return resident;
}

TEST(SessionTest, RunsOnTheHost) {
    Session session({});
    run_once(session, 1, load());
}

TEST(SessionTest, TheSummaryTellsOutputs) {
    Session session({});
    ASSERT_EQ(session.AddGraph(3, load(), {}), GRAPH_SUCCESS);
    const auto summary = session.GetCompiledGraphSummary(3);
    ASSERT_NE(summary, nullptr) << aclGetRecentErrMsg();
    EXPECT_TRUE(summary->IsStatic());
    std::vector<Shape> shapes;
    std::vector<DataType> dtypes;
    ASSERT_EQ(summary->GetOutputShapes(shapes), GRAPH_SUCCESS);
    ASSERT_EQ(summary->GetOutputDtypes(dtypes), GRAPH_SUCCESS);
    ASSERT_EQ(shapes.size(), 1U);
    EXPECT_EQ(shapes[0].GetDims(), (std::vector<int64_t>{kRows, kColumns}));
    EXPECT_EQ(dtypes[0], DT_FLOAT);
}

TEST(SessionTest, MemoryStaysFlatOverCompilations) {
    Session session({});
    const Graph graph = load();
    size_t after_warm_up = 0;
    for (uint32_t i = 0; i < 200; ++i) {
        ASSERT_EQ(session.AddGraph(i, graph, {}), GRAPH_SUCCESS);
        ASSERT_EQ(session.CompileGraph(i), GRAPH_SUCCESS);
        ASSERT_EQ(session.RemoveGraph(i), GRAPH_SUCCESS);
        if (i == 20) {
            malloc_trim(0);
            after_warm_up = resident_pages();
        }
    }
    malloc_trim(0);
    constexpr size_t kPages = 2048;  // 8 MiB
    EXPECT_LT(resident_pages(), after_warm_up + kPages);
}

TEST(SessionTest, TwoThreadsCompileAndRun) {
    Session session({});
    const Graph graph = load();
    std::vector<std::thread> threads;
    for (uint32_t t = 0; t < 2; ++t) {
        threads.emplace_back([&, t] {
            for (uint32_t i = 0; i < 3; ++i) {
                run_once(session, t * 100 + i, graph);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

TEST(SessionTest, WrongUseIsToldAndLosesNothing) {
    Session session({});
    const Graph graph = load();
    Graph empty("empty");
    EXPECT_NE(session.AddGraph(1, empty, {}), GRAPH_SUCCESS);
    EXPECT_NE(std::string(aclGetRecentErrMsg()).find("no model was loaded"), std::string::npos);
    EXPECT_NE(session.CompileGraph(9), GRAPH_SUCCESS);
    EXPECT_NE(std::string(aclGetRecentErrMsg()).find("there is no graph 9"), std::string::npos);
    ASSERT_EQ(session.AddGraph(1, graph, {}), GRAPH_SUCCESS);
    EXPECT_NE(session.AddGraph(1, graph, {}), GRAPH_SUCCESS);
    std::vector<Tensor> outputs;
    EXPECT_NE(session.RunGraph(1, {}, outputs), GRAPH_SUCCESS);
    EXPECT_NE(std::string(aclGetRecentErrMsg()).find("2 inputs"), std::string::npos);
    EXPECT_NE(session.AddGraph(2, graph, {{AscendString("ge.exec.enableDump"), AscendString("1")}}),
              GRAPH_SUCCESS);
    EXPECT_NE(std::string(aclGetRecentErrMsg()).find("ge.exec.enableDump"), std::string::npos);
    const std::string bytes = model();
    Graph other("other");
    EXPECT_NE(other.LoadFromSerializedModelArray(bytes.data(), bytes.size() / 2), GRAPH_SUCCESS);
    EXPECT_NE(other.LoadFromSerializedModelArray(nullptr, 10), GRAPH_SUCCESS);
    session.RemoveGraph(1);
    run_once(session, 1, graph);
}

TEST(SessionTest, AnOutputThatNobodyDescribesMayBeAnything) {
    namespace bytes = opweld::npu::graph::test;
    bytes::NodeBytes shape = bytes::plain_node("s", "Shape", {});
    shape.attributes =
        bytes::field(5, "a:0") + bytes::field(33, bytes::descriptor("x", bytes::kModelFloat, {}));
    const std::string model = bytes::model({bytes::data_node("a", 0, {-1}), shape, bytes::end_node({"s:0"})});
    Graph graph("undescribed");
    ASSERT_EQ(graph.LoadFromSerializedModelArray(model.data(), model.size()), GRAPH_SUCCESS);
    Session session({});
    ASSERT_EQ(session.AddGraph(1, graph, {}), GRAPH_SUCCESS) << aclGetRecentErrMsg();
    std::vector<float> values(3);
    Tensor input(TensorDesc(Shape({3}), FORMAT_ND, DT_FLOAT));
    input.SetData(reinterpret_cast<uint8_t*>(values.data()), values.size() * sizeof(float), [](uint8_t*) {});
    std::vector<Tensor> outputs;
    ASSERT_EQ(session.RunGraph(1, {input}, outputs), GRAPH_SUCCESS) << aclGetRecentErrMsg();
    EXPECT_EQ(outputs[0].GetTensorDesc().GetDataType(), DT_INT32);
    EXPECT_EQ(outputs[0].GetTensorDesc().GetShape().GetDims(), std::vector<int64_t>{1});
}

TEST(SessionTest, AModelIsWrittenAsItCame) {
    const std::string path = testing::TempDir() + "opweld_session_test.air";
    ASSERT_EQ(load().SaveToFile(path.c_str()), GRAPH_SUCCESS);
    std::ifstream file(path, std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()), model());
    std::filesystem::remove(path);
    EXPECT_NE(load().SaveToFile("/nowhere/model.air"), GRAPH_SUCCESS);
}

}  // namespace
}  // namespace ge
