#include "npu/runtime/handle_table.h"

#include <gtest/gtest.h>

#include <thread>

namespace opweld::npu {
namespace {

struct Thing {
    explicit Thing(int number, std::atomic<int>* destroyed = nullptr)
        : number(number), destroyed(destroyed) {}
    ~Thing() {
        if (destroyed != nullptr) {
            destroyed->fetch_add(1);
        }
    }
    int number;
    std::atomic<int>* destroyed;
};

std::string refusal(const HandleTable<Thing>& table, const void* handle) {
    try {
        table.get(handle);
    } catch (const AclException& error) {
        EXPECT_EQ(error.code(), kRtInvalidHandle);
        return error.what();
    }
    return "accepted";
}

TEST(HandleTable, GivesBackWhatWasAdded) {
    HandleTable<Thing> table("thing", kRtResourceAllocation);
    void* one = table.add(std::make_unique<Thing>(1));
    void* two = table.add(std::make_unique<Thing>(2));
    EXPECT_EQ(table.get(one)->number, 1);
    EXPECT_EQ(table.get(two)->number, 2);
    EXPECT_EQ(table.size(), 2U);
    EXPECT_EQ(table.remove(one)->number, 1);
    EXPECT_FALSE(table.live(one));
    EXPECT_TRUE(table.live(two));
}

TEST(HandleTable, TellsForeignPointersFromDestroyedHandles) {
    HandleTable<Thing> table("thing", kRtResourceAllocation);
    void* handle = table.add(std::make_unique<Thing>(1));
    int other = 0;
    EXPECT_NE(refusal(table, &other).find("is not a thing"), std::string::npos);
    EXPECT_NE(refusal(table, nullptr).find("is not a thing"), std::string::npos);
    EXPECT_NE(refusal(table, static_cast<char*>(handle) + 1).find("is not a thing"), std::string::npos);
    table.remove(handle);
    EXPECT_NE(refusal(table, handle).find("thing"), std::string::npos);
    EXPECT_NE(refusal(table, handle).find("was destroyed already"), std::string::npos);
}

TEST(HandleTable, DoesNotReuseAHandleSoon) {
    HandleTable<Thing> table("thing", kRtResourceAllocation);
    void* handle = table.add(std::make_unique<Thing>(1));
    table.remove(handle);
    for (int i = 0; i < 1000; ++i) {
        void* next = table.add(std::make_unique<Thing>(i));
        ASSERT_NE(next, handle);
        table.remove(next);
    }
}

TEST(HandleTable, KeepsAnObjectWhileItIsPinned) {
    HandleTable<Thing> table("thing", kRtResourceAllocation);
    std::atomic<int> destroyed{0};
    void* handle = table.add(std::make_unique<Thing>(1, &destroyed));
    std::thread remover;
    {
        const auto pin = table.get(handle);
        remover = std::thread([&] { table.remove(handle); });
        while (table.live(handle)) {
            std::this_thread::yield();
        }
        EXPECT_EQ(destroyed.load(), 0);
        EXPECT_EQ(pin->number, 1);
    }
    remover.join();
    EXPECT_EQ(destroyed.load(), 1);
}

TEST(HandleTable, SurvivesUseAndRemovalFromManyThreads) {
    HandleTable<Thing> table("thing", kRtResourceAllocation);
    std::atomic<int> destroyed{0};
    constexpr int kRounds = 300;
    for (int round = 0; round < kRounds; ++round) {
        void* handle = table.add(std::make_unique<Thing>(round, &destroyed));
        std::vector<std::thread> users;
        for (int i = 0; i < 3; ++i) {
            users.emplace_back([&] {
                try {
                    while (true) {
                        ASSERT_EQ(table.get(handle)->number, round);
                    }
                } catch (const AclException&) {
                    return;
                }
            });
        }
        table.remove(handle);
        for (auto& user : users) {
            user.join();
        }
    }
    EXPECT_EQ(destroyed.load(), kRounds);
}

}  // namespace
}  // namespace opweld::npu
