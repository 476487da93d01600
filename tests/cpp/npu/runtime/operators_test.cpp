#include "npu/runtime/operators.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "npu/runtime/failures.h"

namespace opweld::npu {
namespace {

std::vector<std::string> running() {
    const OperatorChain chain = running_operators();
    return {chain.names().begin(), chain.names().end()};
}

nlohmann::json failures() { return nlohmann::json::parse(opweldFailures()); }

TEST(Operators, AreNestedPerThread) {
    enter_operator("aten::linear");
    enter_operator(std::string("aten::addmm"));
    EXPECT_EQ(running(), (std::vector<std::string>{"aten::linear", "aten::addmm"}));
    std::thread([] { EXPECT_TRUE(running().empty()); }).join();
    leave_operator(false);
    EXPECT_EQ(running(), std::vector<std::string>{"aten::linear"});
    leave_operator(false);
    EXPECT_TRUE(running().empty());
}

TEST(Operators, OfADeepChainTheInnermostAreKept) {
    for (int i = 0; i < 20; ++i) {
        enter_operator("level " + std::to_string(i));
    }
    EXPECT_EQ(running().size(), OperatorChain::kDepth);
    EXPECT_EQ(running().back(), "level 19");
    EXPECT_EQ(running().front(), "level 12");
    for (int i = 0; i < 20; ++i) {
        leave_operator(false);
    }
    EXPECT_TRUE(running().empty());
}

TEST(Operators, LeavingNothingIsNoFault) {
    leave_operator(true);
    EXPECT_TRUE(running().empty());
}

TEST(Operators, NamesOutliveWhoGaveThem) {
    auto name = std::make_unique<std::string>("my_ops::scale with a long name");
    enter_operator(*name);
    const OperatorChain chain = running_operators();
    leave_operator(false);
    *name = "overwritten, overwritten, overwritten";
    name.reset();
    EXPECT_STREQ(chain.names()[0], "my_ops::scale with a long name");
}

TEST(Failures, TheDeepestOperatorThatRaisesIsKept) {
    enter_operator("outer::op");
    enter_operator("inner::op");
    leave_operator(true);
    leave_operator(true);
    EXPECT_EQ(failures()["raised"]["operators"], (nlohmann::json{"outer::op", "inner::op"}));
    EXPECT_EQ(failures()["raised"]["since"], 0);
    enter_operator("later::op");
    leave_operator(false);
    EXPECT_EQ(failures()["raised"]["since"], 1);
    std::thread([] { EXPECT_EQ(failures()["raised"]["since"], -1); }).join();
}

TEST(Failures, CallsAreKeptWithTheOperatorThatMadeThem) {
    enter_operator("my_ops::fails");
    note_failed_call(107000, "aclnnFails: no");
    leave_operator(false);
    const auto last = failures()["calls"].back();
    EXPECT_EQ(last["code"], 107000);
    EXPECT_EQ(last["error"], "107000 ACL_ERROR_RT_PARAM_INVALID");
    EXPECT_EQ(last["message"], "aclnnFails: no");
    EXPECT_EQ(last["operators"], nlohmann::json{"my_ops::fails"});
}

TEST(Failures, OnlyTheLatestAreKept) {
    for (int i = 0; i < 20; ++i) {
        note_failed_call(i, "call " + std::to_string(i));
    }
    EXPECT_EQ(failures()["calls"].size(), 8U);
    EXPECT_EQ(failures()["calls"].back()["message"], "call 19");
}

TEST(Failures, TextsThatAreNoUtf8AreMended) {
    note_failed_call(1, "caf\xe9");
    EXPECT_EQ(failures()["calls"].back()["message"], "caf\xef\xbf\xbd");
}

class Known final : public Task, public OperatorTask {
  public:
    void run() override {}
    std::string_view name() const noexcept override { return "aclnnKnown"; }
    OperatorChain operators() const noexcept override { return operators_; }
    std::vector<Detail> details() const override { return {{"self", "float32[2]"}}; }

  private:
    OperatorChain operators_ = running_operators();
};

TEST(Failures, ATaskTellsOfItsOperator) {
    enter_operator("my_ops::known");
    const Known task;
    leave_operator(false);
    note_failed_task(task, 507015, "aclnnKnown: broken", 1, 7);
    const auto last = failures()["tasks"].back();
    EXPECT_EQ(last["task"], "aclnnKnown");
    EXPECT_EQ(last["operators"], nlohmann::json{"my_ops::known"});
    EXPECT_EQ(last["arguments"]["self"], "float32[2]");
    EXPECT_EQ(last["device"], 1);
    EXPECT_EQ(last["stream"], 7);
}

}  // namespace
}  // namespace opweld::npu
