#include <numeric>

#include "runtime_test.h"

namespace opweld::npu::test {
namespace {

class CopyTest : public RuntimeTest {};

std::vector<int> counted(size_t count) {
    std::vector<int> values(count);
    std::iota(values.begin(), values.end(), 1);
    return values;
}

TEST_F(CopyTest, GoesThereAndBackAndAcross) {
    const auto values = counted(1000);
    void* first = allocate(4000);
    ASSERT_EQ(aclrtSetDevice(1), 0);
    void* second = allocate(4000);
    write(first, values);
    ASSERT_EQ(aclrtMemcpy(second, 4000, first, 4000, kD2D), 0) << message();
    EXPECT_EQ(read<int>(second, 1000), values);
    std::vector<int> by_address(1000);
    ASSERT_EQ(aclrtMemcpy(by_address.data(), 4000, second, 4000, 4), 0) << message();
    EXPECT_EQ(by_address, values);
}

TEST_F(CopyTest, AsynchronousCopiesKeepTheOrderOfTheStream) {
    void* stream = make_stream();
    void* device = allocate(4000);
    void* pinned = nullptr;
    ASSERT_EQ(aclrtMallocHost(&pinned, 4000), 0);
    const auto values = counted(1000);
    std::memcpy(pinned, values.data(), 4000);
    Barrier barrier(stream);
    ASSERT_EQ(aclrtMemsetAsync(device, 4000, 0xff, 4000, stream), 0) << message();
    ASSERT_EQ(aclrtMemcpyAsync(device, 4000, pinned, 4000, kH2D, stream), 0) << message();
    ASSERT_EQ(aclrtMemsetAsync(device, 4000, 0, 400, stream), 0) << message();
    ASSERT_EQ(aclrtMemcpyAsync(pinned, 4000, device, 4000, kD2H, stream), 0) << message();
    EXPECT_EQ(static_cast<int*>(pinned)[0], 1) << "nothing has run yet";
    barrier.open();
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0) << message();
    auto expected = values;
    std::fill_n(expected.begin(), 100, 0);
    EXPECT_EQ(std::vector<int>(static_cast<int*>(pinned), static_cast<int*>(pinned) + 1000), expected);
    EXPECT_EQ(aclrtFreeHost(pinned), 0);
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(CopyTest, PageableMemoryMayBeReusedAtOnce) {
    void* stream = make_stream();
    void* device = allocate(4000);
    auto values = counted(1000);
    ASSERT_EQ(aclrtMemcpyAsync(device, 4000, values.data(), 4000, kH2D, stream), 0) << message();
    std::fill(values.begin(), values.end(), -1);
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_EQ(read<int>(device, 1000), counted(1000));
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(CopyTest, RowsOfDifferentPitch) {
    void* device = allocate(64 * 3);
    ASSERT_EQ(aclrtMemset(device, 192, 0, 192), 0);
    const std::vector<uint8_t> rows{1, 2, 3, 4, 5, 6};
    ASSERT_EQ(aclrtMemcpy2d(device, 64, rows.data(), 2, 2, 3, kH2D), 0) << message();
    const auto seen = read<uint8_t>(device, 192);
    EXPECT_EQ(seen[0], 1);
    EXPECT_EQ(seen[1], 2);
    EXPECT_EQ(seen[2], 0);
    EXPECT_EQ(seen[64], 3);
    EXPECT_EQ(seen[129], 6);
    std::vector<uint8_t> back(6);
    void* stream = make_stream();
    ASSERT_EQ(aclrtMemcpy2dAsync(back.data(), 2, device, 64, 2, 3, kD2H, stream), 0) << message();
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_EQ(back, rows);
    EXPECT_EQ(aclrtMemcpy2d(device, 64, rows.data(), 1, 2, 3, kH2D), kInvalidParam);
    EXPECT_EQ(aclrtMemcpy2d(device, 64, rows.data(), 2, 2, 4, kH2D), kRtParamInvalid);
    EXPECT_EQ(aclrtMemcpy2d(device, SIZE_MAX, rows.data(), SIZE_MAX, 2, 4, kH2D), kInvalidParam);
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(CopyTest, BatchesNameTheCopyThatFails) {
    void* first = allocate(64);
    void* second = allocate(64);
    std::vector<uint8_t> ones(64, 1);
    std::vector<uint8_t> back(64);
    write(second, std::vector<uint8_t>(64, 2));
    std::vector<void*> dsts{first, back.data()};
    std::vector<void*> srcs{ones.data(), second};
    std::vector<size_t> sizes{64, 64};
    std::vector<BatchAttributes> attributes(2);
    attributes[0].destination.type = 1;
    attributes[1].source.type = 1;
    std::vector<size_t> indexes{0, 1};
    size_t failed = 0;
    ASSERT_EQ(aclrtMemcpyBatch(dsts.data(), sizes.data(), srcs.data(), sizes.data(), 2, attributes.data(),
                               indexes.data(), 2, &failed),
              0)
        << message();
    EXPECT_EQ(read<uint8_t>(first, 64), ones);
    EXPECT_EQ(back, std::vector<uint8_t>(64, 2));
    void* stream = make_stream();
    sizes[1] = 65;
    EXPECT_NE(aclrtMemcpyBatchAsync(dsts.data(), sizes.data(), srcs.data(), sizes.data(), 2,
                                    attributes.data(), indexes.data(), 2, &failed, stream),
              0);
    EXPECT_EQ(failed, 1U);
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(CopyTest, WrongAddressesAreFoundBeforeAnythingMoves) {
    void* device = allocate(64);
    std::vector<uint8_t> host(128, 1);
    EXPECT_EQ(aclrtMemcpy(device, 128, host.data(), 128, kH2D), kRtParamInvalid);
    EXPECT_NE(message().find("128 bytes from"), std::string::npos);
    EXPECT_EQ(aclrtMemcpy(device, 64, host.data(), 65, kH2D), kInvalidParam);
    EXPECT_EQ(aclrtMemcpy(host.data(), 64, host.data() + 64, 64, kH2D), kRtParamInvalid);
    EXPECT_NE(message().find("`dst` is no NPU memory"), std::string::npos);
    EXPECT_EQ(aclrtMemcpy(host.data(), 64, device, 64, kH2D), kRtParamInvalid);
    EXPECT_EQ(aclrtMemcpy(host.data(), 64, device, 64, 0), kRtParamInvalid);
    EXPECT_NE(message().find("`src` is NPU memory, but the kind of copy is host to host"), std::string::npos);
    EXPECT_EQ(aclrtMemcpy(host.data(), 64, device, 64, 11), kInvalidParam);
    EXPECT_EQ(aclrtMemcpy(nullptr, 64, device, 64, kD2H), kInvalidParam);
    EXPECT_EQ(aclrtMemcpy(nullptr, 0, nullptr, 0, kD2H), 0);
    EXPECT_EQ(aclrtMemset(host.data(), 64, 0, 64), kRtParamInvalid);
    EXPECT_EQ(aclrtMemset(device, 64, 0, 65), kInvalidParam);
    EXPECT_EQ(aclrtMemset(device, 65, 0, 65), kRtParamInvalid);
    ASSERT_EQ(aclrtFree(device), 0);
    EXPECT_EQ(aclrtMemcpy(device, 64, host.data(), 64, kH2D), kRtParamInvalid);
    EXPECT_NE(message().find("freed by aclrtFree"), std::string::npos);
}

}  // namespace
}  // namespace opweld::npu::test
