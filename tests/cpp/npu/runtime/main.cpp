#include <gtest/gtest.h>

#include <cstdlib>

// A small machine with two devices, whatever the environment of the test run says.
int main(int argc, char** argv) {
    setenv("OPWELD_DEVICES", "2", 1);
    setenv("OPWELD_HBM_GIB", "0.25", 1);
    unsetenv("OPWELD_SOC");
    unsetenv("OPWELD_CANN_VERSION");
    unsetenv("ASCEND_RT_VISIBLE_DEVICES");
    testing::InitGoogleTest(&argc, argv);
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    return RUN_ALL_TESTS();
}
