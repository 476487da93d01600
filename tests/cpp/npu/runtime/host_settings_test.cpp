#include "npu/runtime/host_settings.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <thread>

namespace opweld::npu {
namespace {

int slack() { return prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL); }

int slack_of_new_thread() {
    int found = 0;
    std::thread([&] { found = slack(); }).join();
    return found;
}

TEST(HostSettings, ThreadsMadeInBetweenHaveLenientTimers) {
    const int before = slack();
    lenient_timers_for_new_threads();
    EXPECT_GE(slack_of_new_thread(), 1'000'000);
    exact_timers_again();
    EXPECT_EQ(slack(), before);
    EXPECT_EQ(slack_of_new_thread(), before);
}

TEST(HostSettings, AskingTwiceKeepsWhatWasFirst) {
    const int before = slack();
    lenient_timers_for_new_threads();
    lenient_timers_for_new_threads();
    exact_timers_again();
    exact_timers_again();
    EXPECT_EQ(slack(), before);
}

}  // namespace
}  // namespace opweld::npu
