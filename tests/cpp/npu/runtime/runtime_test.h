// What the runtime's tests share: a device in use, tasks made of functions, streams that can be held up.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "npu/runtime/acl_api.h"
#include "npu/runtime/acl_types.h"

namespace opweld::npu::test {

inline constexpr int kH2D = 1;
inline constexpr int kD2H = 2;
inline constexpr int kD2D = 3;
inline constexpr size_t kMiB = size_t{1} << 20;

// The calling thread's message, or "" where there is none.
inline std::string message() {
    const char* text = aclGetRecentErrMsg();
    return text == nullptr ? "" : text;
}

class FunctionTask final : public Task {
  public:
    FunctionTask(std::string name, std::function<void()> function)
        : name_(std::move(name)), function_(std::move(function)) {}
    void run() override { function_(); }
    std::string_view name() const noexcept override { return name_; }

  private:
    std::string name_;
    std::function<void()> function_;
};

inline int launch(void* stream, std::function<void()> function, std::string name = "task") {
    return enqueue(stream, std::make_unique<FunctionTask>(std::move(name), std::move(function)));
}

// Two devices are configured (see main.cpp); device 0 is the current one.
class RuntimeTest : public ::testing::Test {
  protected:
    void SetUp() override { ASSERT_EQ(aclrtSetDevice(0), 0) << message(); }

    static void* make_stream() {
        void* stream = nullptr;
        EXPECT_EQ(aclrtCreateStream(&stream), 0) << message();
        return stream;
    }

    static void* make_event(uint32_t flags = kEventSync | kEventTimeline) {
        void* event = nullptr;
        EXPECT_EQ(aclrtCreateEventExWithFlag(&event, flags), 0) << message();
        return event;
    }

    static void* allocate(size_t bytes) {
        void* device = nullptr;
        EXPECT_EQ(aclrtMalloc(&device, bytes, 0), 0) << message();
        return device;
    }

    template <class T>
    static std::vector<T> read(const void* device, size_t count) {
        std::vector<T> values(count);
        EXPECT_EQ(aclrtMemcpy(values.data(), count * sizeof(T), device, count * sizeof(T), kD2H), 0)
            << message();
        return values;
    }

    template <class T>
    static void write(void* device, const std::vector<T>& values) {
        const size_t bytes = values.size() * sizeof(T);
        EXPECT_EQ(aclrtMemcpy(device, bytes, values.data(), bytes, kH2D), 0) << message();
    }
};

// Holds a stream up until open() is called, without holding up the thread that puts work on it.
class Barrier {
  public:
    explicit Barrier(void* stream) {
        EXPECT_EQ(aclrtCreateEvent(&event_), 0) << message();
        EXPECT_EQ(aclrtCreateStream(&opener_), 0) << message();
        EXPECT_EQ(aclrtStreamWaitEvent(stream, event_), 0) << message();
    }
    Barrier(const Barrier&) = delete;
    Barrier& operator=(const Barrier&) = delete;
    ~Barrier() {
        open();
        EXPECT_EQ(aclrtDestroyStream(opener_), 0) << message();
        EXPECT_EQ(aclrtDestroyEvent(event_), 0) << message();
    }
    void open() {
        if (!std::exchange(opened_, true)) {
            EXPECT_EQ(aclrtRecordEvent(event_, opener_), 0) << message();
        }
    }

  private:
    void* event_ = nullptr;
    void* opener_ = nullptr;
    bool opened_ = false;
};

}  // namespace opweld::npu::test
