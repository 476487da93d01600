// Names and choices of the trace; what it writes is tested by tests/python/test_trace.py.
#include "npu/runtime/trace.h"

#include <gtest/gtest.h>

#include "npu/runtime/log.h"

namespace opweld::npu {
namespace {

TEST(Trace, EachProcessHasAFile) {
    EXPECT_EQ(trace_path("trace.json", 12), "trace.12.json");
    EXPECT_EQ(trace_path("a.b/trace", 12), "a.b/trace.12");
    EXPECT_EQ(trace_path("out/.hidden", 12), "out/.hidden.12");
    EXPECT_EQ(trace_path("out/%p/trace.json", 12), "out/12/trace.json");
    EXPECT_EQ(trace_path("t-%p", 12), "t-12");
}

TEST(Trace, QuestionsAreNotTold) {
    EXPECT_TRUE(is_traced("aclrtMemcpy"));
    EXPECT_TRUE(is_traced("aclrtSynchronizeStream"));
    EXPECT_FALSE(is_traced("aclrtGetDevice"));
    EXPECT_FALSE(is_traced("aclrtStreamQuery"));
    EXPECT_FALSE(is_traced("enqueue"));
}

TEST(Trace, IsOffByItself) { EXPECT_FALSE(Trace::on()); }

TEST(Log, LevelsHaveNames) {
    EXPECT_EQ(parse_log_level("debug"), LogLevel::debug);
    EXPECT_EQ(parse_log_level("off"), LogLevel::none);
    EXPECT_EQ(parse_log_level("DEBUG"), std::nullopt);
    EXPECT_EQ(parse_log_level(""), std::nullopt);
}

}  // namespace
}  // namespace opweld::npu
