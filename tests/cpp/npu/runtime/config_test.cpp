#include "npu/runtime/config.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "npu/runtime/acl_types.h"
#include "npu/runtime/interface.h"

namespace opweld::npu {
namespace {

constexpr uint64_t kGiB = uint64_t{1} << 30;
std::map<std::string, std::string> variables;

const char* lookup(const char* name) {
    const auto entry = variables.find(name);
    return entry == variables.end() ? nullptr : entry->second.c_str();
}

Config parse(std::map<std::string, std::string> values, uint64_t host_bytes = 16 * kGiB) {
    variables = std::move(values);
    return parse_config(lookup, host_bytes);
}

std::string refusal(std::map<std::string, std::string> values) {
    try {
        parse(std::move(values));
    } catch (const AclException& error) {
        EXPECT_EQ(error.code(), kInvalidParam);
        return error.what();
    }
    return "accepted";
}

TEST(Config, HasOne910B1ByDefault) {
    const Config config = parse({});
    EXPECT_STREQ(config.soc->name, "Ascend910B1");
    EXPECT_EQ(config.visible, std::vector<int>{0});
    EXPECT_EQ(config.streams, StreamMode::inline_when_idle);
    EXPECT_EQ(config.cann_version, "8.5.0");
}

TEST(Config, MemoryIsTheSocsOrAShareOfTheHosts) {
    EXPECT_EQ(parse({}, 1024 * kGiB).hbm_bytes, 64 * kGiB);
    const uint64_t share = parse({{"OPWELD_DEVICES", "2"}}, 20 * kGiB).hbm_bytes;
    EXPECT_LE(share, 8 * kGiB);
    EXPECT_GT(share, 8 * kGiB - (uint64_t{4} << 20));
    EXPECT_EQ(parse({{"OPWELD_HBM_GIB", "0.5"}}).hbm_bytes, kGiB / 2);
}

TEST(Config, VisibleDevicesAreRenumberedAndEndAtTheFirstMistake) {
    const auto visible = [](const char* text) {
        return parse({{"OPWELD_DEVICES", "4"}, {"ASCEND_RT_VISIBLE_DEVICES", text}}).visible;
    };
    EXPECT_EQ(visible("3,1"), (std::vector<int>{3, 1}));
    EXPECT_EQ(visible("2, 0"), (std::vector<int>{2, 0}));
    EXPECT_EQ(visible("1,9,2"), (std::vector<int>{1}));
    EXPECT_EQ(visible("1,1"), (std::vector<int>{1}));
    EXPECT_EQ(visible(""), std::vector<int>{});
    EXPECT_EQ(visible("x"), std::vector<int>{});
}

TEST(Config, NamesTheFaultyVariable) {
    EXPECT_EQ(refusal({{"OPWELD_SOC", "Ascend1"}}),
              "OPWELD_SOC is \"Ascend1\"; the software NPU knows Ascend910B1, Ascend950PR");
    EXPECT_NE(refusal({{"OPWELD_DEVICES", "many"}}).find("OPWELD_DEVICES is \"many\""), std::string::npos);
    EXPECT_NE(refusal({{"OPWELD_DEVICES", "-1"}}).find("from 0 to 64"), std::string::npos);
    EXPECT_NE(refusal({{"OPWELD_HBM_GIB", "0"}}).find("OPWELD_HBM_GIB"), std::string::npos);
    EXPECT_NE(refusal({{"OPWELD_HBM_GIB", "8GB"}}).find("OPWELD_HBM_GIB"), std::string::npos);
    EXPECT_NE(refusal({{"OPWELD_STREAMS", "fast"}}).find("\"inline\" or \"async\""), std::string::npos);
    EXPECT_EQ(refusal({{"OPWELD_LOG", "loud"}}),
              "OPWELD_LOG is \"loud\"; debug, info, warning, error or off is expected");
}

TEST(Config, FaultsAreRead) {
    const Config config = parse({{"OPWELD_FAULTS", "oom@3 ; kernel@2+:aclnnAdd;hang@1;"}});
    ASSERT_EQ(config.faults.size(), 3U);
    EXPECT_EQ(config.faults[0].kind, FaultKind::oom);
    EXPECT_EQ(config.faults[0].first, 3U);
    EXPECT_FALSE(config.faults[0].all_after);
    EXPECT_EQ(config.faults[1].kind, FaultKind::kernel);
    EXPECT_TRUE(config.faults[1].all_after);
    EXPECT_EQ(config.faults[1].name, "aclnnAdd");
    EXPECT_EQ(config.faults[2].kind, FaultKind::hang);
}

TEST(Config, FaultyFaultsAreShown) {
    for (const char* text : {"oom", "fire@1", "oom@0", "oom@x", "oom@", "oom@1:aclnnAdd",
                             "kernel@1:", "hang@-1", "kernel@99999999999999999999"}) {
        const std::string message = refusal({{"OPWELD_FAULTS", text}});
        EXPECT_NE(message.find("OPWELD_FAULTS"), std::string::npos) << text;
        EXPECT_NE(message.find(text), std::string::npos) << message;
        EXPECT_NE(message.find("KIND@N"), std::string::npos) << message;
    }
}

TEST(Config, EmptyVariablesAreAbsent) {
    const Config config = parse({{"OPWELD_SOC", ""}, {"OPWELD_DEVICES", ""}, {"OPWELD_STREAMS", ""}});
    EXPECT_STREQ(config.soc->name, "Ascend910B1");
    EXPECT_EQ(config.visible.size(), 1U);
}

TEST(Soc, TableIsConsistent) {
    for (const Soc& soc : all_socs()) {
        EXPECT_EQ(find_soc(soc.name), &soc);
        EXPECT_GT(soc.ai_cores, 0U);
        EXPECT_GE(soc.vector_cores, soc.ai_cores);
        EXPECT_EQ(soc.matmul_dtypes & ~soc.compute_dtypes, 0U) << soc.name;
        EXPECT_EQ(soc.matmul_dtypes & dtype_bit(OPWELD_FLOAT64), 0U) << soc.name;
    }
    EXPECT_EQ(find_soc("Ascend"), nullptr);
}

}  // namespace
}  // namespace opweld::npu
