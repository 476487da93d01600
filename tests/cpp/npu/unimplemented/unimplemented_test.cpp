// Every function of npu/unimplemented/functions.tsv, called through dlsym: it fails and says its name.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <ostream>
#include <string>
#include <string_view>

#include "npu/unimplemented/objects.h"

extern "C" const char* aclGetRecentErrMsg();

namespace {

struct Case {
    const char* library;
    const char* symbol;
    const char* name;
    std::string_view failure;
    size_t object_size;

    friend void PrintTo(const Case& value, std::ostream* out) { *out << value.name; }
};

constexpr Case kCases[] = {
#include "cases.inc"
};

void* find(const char* library, const char* symbol) {
    const std::string file = std::string("lib") + library + ".so";
    void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD);
    EXPECT_NE(handle, nullptr) << file << " is not loaded: " << dlerror();
    return handle == nullptr ? nullptr : dlsym(handle, symbol);
}

// Arguments that a function which ignores them must not touch.
constexpr uint64_t kTrap = 8;

template <class Result>
Result call(void* address) {
    using Function = Result (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
    return reinterpret_cast<Function>(address)(kTrap, kTrap, kTrap, kTrap, kTrap, kTrap);
}

template <size_t Size>
bool returns_empty(void* address) {
    const auto object = call<opweld::npu::EmptyObject<Size>>(address);
    unsigned char bytes[sizeof object];
    std::memcpy(bytes, &object, sizeof object);
    const unsigned char zeros[sizeof object] = {};
    return std::memcmp(bytes, zeros, sizeof object) == 0;
}

bool returns_empty(void* address, size_t size) {
    switch (size) {
        case 16:
            return returns_empty<16>(address);
        case 24:
            return returns_empty<24>(address);
        case 40:
            return returns_empty<40>(address);
        default:
            ADD_FAILURE() << "objects of " << size << " bytes are not tested";
            return false;
    }
}

// Whether exactly the object's bytes are cleared.
bool constructs_empty(void* address, size_t size) {
    unsigned char bytes[64];
    std::memset(bytes, 0xab, sizeof bytes);
    reinterpret_cast<void (*)(void*, uint64_t)>(address)(bytes, kTrap);
    for (size_t i = 0; i < sizeof bytes; ++i) {
        if (bytes[i] != (i < size ? 0 : 0xab)) {
            return false;
        }
    }
    return true;
}

void expect_failure(const Case& row, void* address) {
    if (row.failure == "acl_error") {
        EXPECT_EQ(call<int32_t>(address), 207000);
    } else if (row.failure == "hccl_error") {
        EXPECT_EQ(call<int32_t>(address), 5);
    } else if (row.failure == "ge_error" || row.failure == "msprof_error") {
        EXPECT_EQ(call<int32_t>(address), -1);
    } else if (row.failure == "null") {
        EXPECT_EQ(call<void*>(address), nullptr);
    } else if (row.failure == "zero") {
        EXPECT_EQ(call<uint64_t>(address), 0U);
    } else if (row.failure == "false") {
        EXPECT_FALSE(call<bool>(address));
    } else if (row.failure == "empty_text") {
        EXPECT_STREQ(call<const char*>(address), "");
    } else if (row.failure == "nothing") {
        call<void>(address);
    } else if (row.failure == "return") {
        EXPECT_TRUE(returns_empty(address, row.object_size));
    } else if (row.failure == "construct") {
        EXPECT_TRUE(constructs_empty(address, row.object_size));
    } else {
        ADD_FAILURE() << "failure kind " << row.failure << " is not tested";
    }
}

class Unimplemented : public testing::TestWithParam<Case> {};

TEST_P(Unimplemented, FailsByItsName) {
    const Case& row = GetParam();
    void* address = find(row.library, row.symbol);
    ASSERT_NE(address, nullptr) << row.symbol << " is not exported by lib" << row.library << ".so";
    expect_failure(row, address);
    const char* message = aclGetRecentErrMsg();
    ASSERT_NE(message, nullptr);
    const std::string expected = std::string(row.name) + " is not implemented by opweld's software NPU (";
    EXPECT_NE(std::string_view(message).find(expected), std::string_view::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(All, Unimplemented, testing::ValuesIn(kCases));

TEST(Unimplemented, GraphEngineGivesTheMessageAsAnOlderString) {
    ASSERT_NE(find("ge_runner", "_ZN2ge13GEGetErrorMsgEv"), nullptr);
    call<int32_t>(find("msprofiler", "aclprofWarmup"));
    // An older std::string is one pointer to its characters, which stand three words into their block of
    // memory.
    struct OlderString {
        const char* characters = nullptr;
        OlderString() = default;
        OlderString(const OlderString&) = delete;
        OlderString& operator=(const OlderString&) = delete;
        ~OlderString() {
            if (characters != nullptr) {
                ::operator delete(const_cast<char*>(characters) - 3 * sizeof(size_t));
            }
        }
    };
    using Function = OlderString (*)();
    const OlderString text = reinterpret_cast<Function>(find("ge_runner", "_ZN2ge13GEGetErrorMsgEv"))();
    ASSERT_NE(text.characters, nullptr);
    EXPECT_NE(std::string_view(text.characters).find("aclprofWarmup is not implemented"),
              std::string_view::npos);
}

}  // namespace
