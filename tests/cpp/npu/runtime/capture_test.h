// What the tests of captured graphs share.
#pragma once

#include "runtime_test.h"

namespace opweld::npu::test {

inline constexpr int kGlobal = 0;
inline constexpr int kThreadLocal = 1;
inline constexpr int kRelaxed = 2;
inline constexpr int kNone = 0;
inline constexpr int kActive = 1;
inline constexpr int kInvalidated = 2;

class CaptureTest : public RuntimeTest {
  protected:
    static void begin(void* stream, int mode = kGlobal) {
        ASSERT_EQ(aclmdlRICaptureBegin(stream, mode), 0) << message();
    }

    static void* end(void* stream) {
        void* graph = nullptr;
        EXPECT_EQ(aclmdlRICaptureEnd(stream, &graph), 0) << message();
        return graph;
    }

    // The code with which the capture ends that no graph comes of.
    static int failing_end(void* stream) {
        void* graph = stream;
        const int code = aclmdlRICaptureEnd(stream, &graph);
        EXPECT_EQ(graph, nullptr);
        EXPECT_EQ(status_of(stream), kNone);
        return code;
    }

    static int status_of(void* stream, void** graph = nullptr) {
        int status = -1;
        void* known = nullptr;
        EXPECT_EQ(aclmdlRICaptureGetInfo(stream, &status, graph == nullptr ? &known : graph), 0) << message();
        return status;
    }

    static void replay(void* graph, void* stream) {
        ASSERT_EQ(aclmdlRIExecuteAsync(graph, stream), 0) << message();
        ASSERT_EQ(aclrtSynchronizeStream(stream), 0) << message();
    }
};

}  // namespace opweld::npu::test
