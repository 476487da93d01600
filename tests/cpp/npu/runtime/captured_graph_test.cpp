// Task groups and their updates, conditional tasks, what a graph shows of itself.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "capture_test.h"

namespace opweld::npu::test {
namespace {

class TaskGroupTest : public CaptureTest {
  protected:
    void SetUp() override {
        CaptureTest::SetUp();
        stream = make_stream();
        updates = make_stream();
        begin(stream);
        ASSERT_EQ(launch(stream, [this] { seen += "a"; }, "before"), 0);
        ASSERT_EQ(aclmdlRICaptureTaskGrpBegin(stream), 0) << message();
        ASSERT_EQ(launch(stream, [this] { seen += "b"; }, "attention"), 0);
        ASSERT_EQ(launch(stream, [this] { seen += "c"; }, "cast"), 0);
        ASSERT_EQ(aclmdlRICaptureTaskGrpEnd(stream, &group), 0) << message();
        ASSERT_EQ(launch(stream, [this] { seen += "d"; }, "after"), 0);
        graph = end(stream);
    }

    std::string run() {
        seen.clear();
        replay(graph, stream);
        return seen;
    }

    void* stream = nullptr;
    void* updates = nullptr;
    void* group = nullptr;
    void* graph = nullptr;
    std::string seen;
};

TEST_F(TaskGroupTest, AnUpdateTakesThePlaceOfTheGroupsTasks) {
    EXPECT_EQ(run(), "abcd");
    for (const char* text : {"x", "y"}) {
        ASSERT_EQ(aclmdlRICaptureTaskUpdateBegin(updates, group), 0) << message();
        ASSERT_EQ(launch(updates, [this, text] { seen += text; }, "attention"), 0);
        ASSERT_EQ(launch(updates, [this] { seen += "C"; }, "cast"), 0);
        EXPECT_EQ(seen.find(text), std::string::npos) << "updates don't run";
        ASSERT_EQ(aclmdlRICaptureTaskUpdateEnd(updates), 0) << message();
        EXPECT_EQ(run(), std::string("a") + text + "Cd");
    }
    ASSERT_EQ(launch(updates, [this] { seen += "!"; }), 0);
    ASSERT_EQ(aclrtSynchronizeStream(updates), 0);
    EXPECT_EQ(seen.back(), '!') << "the stream runs tasks again";
}

TEST_F(TaskGroupTest, AnUpdateOfOtherTasksIsRefusedAndChangesNothing) {
    ASSERT_EQ(aclmdlRICaptureTaskUpdateBegin(updates, group), 0);
    ASSERT_EQ(launch(updates, [] {}, "attention"), 0);
    EXPECT_EQ(aclmdlRICaptureTaskUpdateEnd(updates), kStreamTaskGroupStatus);
    EXPECT_NE(message().find("[attention, cast]"), std::string::npos) << message();
    ASSERT_EQ(aclmdlRICaptureTaskUpdateBegin(updates, group), 0);
    ASSERT_EQ(launch(updates, [] {}, "cast"), 0);
    ASSERT_EQ(launch(updates, [] {}, "attention"), 0);
    EXPECT_EQ(aclmdlRICaptureTaskUpdateEnd(updates), kStreamTaskGroupStatus);
    EXPECT_EQ(run(), "abcd");
}

TEST_F(TaskGroupTest, RefusesWrongUse) {
    void* other = nullptr;
    EXPECT_EQ(aclmdlRICaptureTaskGrpBegin(stream), kRtStreamNotCaptured);
    EXPECT_EQ(aclmdlRICaptureTaskUpdateEnd(updates), kStreamTaskGroupStatus);
    begin(stream);
    EXPECT_EQ(aclmdlRICaptureTaskGrpEnd(stream, &other), kStreamTaskGroupStatus);
    ASSERT_EQ(aclmdlRICaptureTaskGrpBegin(stream), 0);
    EXPECT_EQ(aclmdlRICaptureTaskGrpBegin(stream), kStreamTaskGroupStatus);
    EXPECT_EQ(aclmdlRICaptureTaskUpdateBegin(stream, group), kRtStreamCaptured);
    EXPECT_EQ(failing_end(stream), kStreamTaskGroupInterrupted);
    ASSERT_EQ(aclmdlRICaptureTaskUpdateBegin(updates, group), 0);
    EXPECT_EQ(aclmdlRICaptureTaskUpdateBegin(updates, group), kRtStreamCaptured);
    EXPECT_EQ(aclrtSynchronizeStream(updates), kStreamTaskGroupStatus);
    EXPECT_EQ(aclrtRecordEvent(make_event(), updates), kStreamTaskGroupStatus);
    EXPECT_EQ(aclrtDestroyStream(updates), 0);
    ASSERT_EQ(aclmdlRIDestroy(graph), 0);
    EXPECT_EQ(aclmdlRICaptureTaskUpdateBegin(stream, group), kRtInvalidHandle) << "went with its graph";
}

class ConditionTest : public CaptureTest {
  protected:
    void SetUp() override {
        CaptureTest::SetUp();
        stream = make_stream();
        child_stream = make_stream();
    }

    // Begins a capture with a condition in it.
    void begin_with_condition(uint32_t initial = 0, int flag = 1) {
        begin(stream);
        ASSERT_EQ(status_of(stream, &parent), kActive);
        ASSERT_EQ(aclmdlRICondHandleCreate(parent, initial, flag, &condition), 0) << message();
        ASSERT_EQ(aclmdlRICondHandleGetCondPtr(condition, &value), 0);
    }

    int add(int kind, std::vector<void*>& parts) {
        return aclmdlRIAddCondTask({condition, kind, static_cast<uint32_t>(parts.size()), parts.data()},
                                   stream, 0);
    }

    void capture_part(void* part, std::function<void()> function) {
        ASSERT_EQ(aclmdlRICaptureToModelRIBegin(child_stream, part, kGlobal), 0) << message();
        void* known = nullptr;
        EXPECT_EQ(status_of(child_stream, &known), kActive);
        EXPECT_EQ(known, part);
        ASSERT_EQ(launch(child_stream, std::move(function)), 0);
        EXPECT_EQ(end(child_stream), part);
    }

    void set(uint64_t to) { write<uint64_t>(value, {to}); }

    void* stream = nullptr;
    void* child_stream = nullptr;
    void* parent = nullptr;
    void* condition = nullptr;
    uint64_t* value = nullptr;
    std::string seen;
};

TEST_F(ConditionTest, IfRunsItsPartWhereTheValueIsNotZero) {
    void* input = allocate(8);
    begin_with_condition();
    std::vector<void*> parts(2);
    ASSERT_EQ(aclrtMemcpyAsync(value, 8, input, 1, kD2D, stream), 0) << message();
    ASSERT_EQ(add(0, parts), 0) << message();
    capture_part(parts[0], [this] { seen += "then "; });
    capture_part(parts[1], [this] { seen += "else "; });
    ASSERT_EQ(launch(stream, [this] { seen += "after "; }), 0);
    void* graph = end(stream);
    write<uint64_t>(input, {1});
    replay(graph, stream);
    write<uint64_t>(input, {0});
    replay(graph, stream);
    EXPECT_EQ(seen, "then after else after ");
    EXPECT_EQ(aclmdlRIDestroy(parts[0]), kRtParamInvalid) << "a part ends with its graph";
    EXPECT_EQ(aclmdlRIExecuteAsync(parts[0], stream), kRtParamInvalid);
    EXPECT_EQ(aclmdlRIDestroy(graph), 0);
    EXPECT_EQ(aclmdlRIDestroy(parts[0]), kRtInvalidHandle);
    EXPECT_EQ(aclmdlRICondHandleGetCondPtr(condition, &value), kRtInvalidHandle);
}

TEST_F(ConditionTest, WhileRunsUntilTheValueIsZero) {
    begin_with_condition(1);
    int rounds = 0;
    std::vector<void*> parts(1);
    ASSERT_EQ(add(1, parts), 0);
    capture_part(parts[0], [&] { set(++rounds % 3); });
    void* graph = end(stream);
    replay(graph, stream);
    EXPECT_EQ(rounds, 3);
    replay(graph, stream);
    EXPECT_EQ(rounds, 6) << "the value begins anew at each launch";
    EXPECT_EQ(aclmdlRIDestroy(graph), 0);
}

TEST_F(ConditionTest, SwitchRunsThePartOfThatNumberOrNone) {
    begin_with_condition(0, 0);
    std::vector<void*> parts(3);
    ASSERT_EQ(add(2, parts), 0);
    for (size_t i = 0; i < 3; ++i) {
        capture_part(parts[i], [this, i] { seen += std::to_string(i); });
    }
    void* graph = end(stream);
    for (const uint64_t number : {2U, 0U, 3U, 1U}) {
        set(number);
        replay(graph, stream);
    }
    EXPECT_EQ(seen, "201");
    EXPECT_EQ(aclmdlRIDestroy(graph), 0);
}

TEST_F(ConditionTest, RefusesWrongUse) {
    begin_with_condition();
    std::vector<void*> parts(2);
    EXPECT_EQ(add(1, parts), kRtParamInvalid) << "a loop has one part";
    EXPECT_EQ(add(3, parts), kRtParamInvalid);
    EXPECT_EQ(aclmdlRIAddCondTask({condition, 0, 0, parts.data()}, stream, 0), kRtParamInvalid);
    EXPECT_EQ(aclmdlRIAddCondTask({condition, 0, 1, nullptr}, stream, 0), kInvalidParam);
    EXPECT_EQ(aclmdlRIAddCondTask({nullptr, 0, 1, parts.data()}, stream, 0), kInvalidParam);
    parts.resize(1);
    EXPECT_EQ(aclmdlRICaptureToModelRIBegin(child_stream, parent, kGlobal), kRtParamInvalid);
    ASSERT_EQ(add(0, parts), 0);
    ASSERT_EQ(aclmdlRICaptureToModelRIBegin(child_stream, parts[0], kGlobal), 0);
    EXPECT_EQ(failing_end(stream), kRtModelCaptured) << "its part is still being captured";
    EXPECT_EQ(launch(child_stream, [] {}), kRtStreamCaptureInvalidated);
    EXPECT_EQ(failing_end(child_stream), kRtStreamCaptureInvalidated) << "its graph is gone";
    EXPECT_EQ(aclmdlRICondHandleGetCondPtr(condition, &value), kRtInvalidHandle);
    EXPECT_EQ(aclmdlRICondHandleCreate(stream, 0, 0, &condition), kRtInvalidHandle);
}

TEST_F(ConditionTest, MemoryOfConditionsIsFreedWithTheGraph) {
    size_t before = 0;
    size_t after = 0;
    size_t total = 0;
    ASSERT_EQ(aclrtGetMemInfo(1, &before, &total), 0);
    for (int i = 0; i < 200; ++i) {
        begin_with_condition();
        std::vector<void*> parts(1);
        ASSERT_EQ(add(0, parts), 0);
        capture_part(parts[0], [] {});
        void* graph = end(stream);
        replay(graph, stream);
        ASSERT_EQ(aclmdlRIDestroy(graph), 0);
    }
    ASSERT_EQ(aclrtGetMemInfo(1, &after, &total), 0);
    EXPECT_EQ(before, after);
}

class GraphTextTest : public CaptureTest {};

TEST_F(GraphTextTest, TheJsonIsATraceOfTheTasks) {
    void* stream = make_stream();
    void* side = make_stream();
    void* event = make_event();
    void* back = make_event();
    begin(stream);
    ASSERT_EQ(launch(stream, [] {}, "aclnnAdd"), 0);
    ASSERT_EQ(aclrtRecordEvent(event, stream), 0);
    ASSERT_EQ(aclrtStreamWaitEvent(side, event), 0);
    ASSERT_EQ(launch(side, [] {}, "aclnnMul"), 0);
    ASSERT_EQ(aclrtRecordEvent(back, side), 0);
    ASSERT_EQ(aclrtStreamWaitEvent(stream, back), 0);
    void* graph = end(stream);
    const auto path = std::filesystem::temp_directory_path() / "opweld_captured_graph_test.json";
    ASSERT_EQ(aclmdlRIDebugJsonPrint(graph, path.c_str(), 1), 0) << message();
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    const auto events = nlohmann::json::parse(text.str());
    ASSERT_EQ(events.size(), 6U);
    EXPECT_EQ(events[0]["name"], "aclnnAdd");
    EXPECT_EQ(events[3]["name"], "aclnnMul");
    EXPECT_NE(events[0]["tid"], events[3]["tid"]);
    const std::string record = events[1]["name"];
    const std::string wait = events[2]["name"];
    EXPECT_EQ(record.substr(0, 13), "EVENT_RECORD_");
    EXPECT_EQ(wait, "EVENT_WAIT_" + record.substr(13)) << "records and waits are pairs";
    std::filesystem::remove(path);
    EXPECT_EQ(aclmdlRIDebugJsonPrint(graph, "/no/such/folder/graph.json", 0), kInvalidFile);
    EXPECT_EQ(aclmdlRIDebugJsonPrint(graph, nullptr, 0), kInvalidParam);
    EXPECT_EQ(aclmdlRIDebugJsonPrint(graph, path.c_str(), 8), kRtParamInvalid);
    testing::internal::CaptureStderr();
    EXPECT_EQ(aclmdlRIDebugPrint(graph), 0);
    const std::string printed = testing::internal::GetCapturedStderr();
    EXPECT_NE(printed.find("aclnnMul"), std::string::npos) << printed;
    EXPECT_EQ(aclmdlRIDestroy(graph), 0);
}

}  // namespace
}  // namespace opweld::npu::test
