#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "npu/runtime/acl_api.h"
#include "npu/runtime/config.h"
#include "npu/runtime/context.h"
#include "npu/runtime/error.h"
#include "npu/runtime/process.h"

using namespace opweld::npu;

namespace {

constexpr int kPackages = 8;  // CANN, runtime, compiler, HCCL, toolkit, OPP, OPP kernels, driver
constexpr int kDriver = 7;
constexpr int kHostMode = 1;
constexpr int kInfNanMode = 1;

// The driver has versions of its own; this one belongs to the CANN releases that are reported by default.
constexpr std::string_view kDriverVersion = "25.5.0";

constexpr std::array<std::string_view, 28> kPackageNames{
    "acl_extend",     "aoe",        "asc-devkit",  "ascendnpu-ir", "asc-tools",        "bisheng-compiler",
    "dflow-executor", "dvpp",       "ge-compiler", "ge-executor",  "graph_autofusion", "hccl",
    "hcomm",          "hixl",       "metadef",     "ncs",          "oam_tools",        "opbase",
    "ops_cv",         "ops_legacy", "ops_math",    "ops_nn",       "ops_transformer",  "pto_isa",
    "pyACL",          "runtime",    "tbe-tik",     "test-ops"};

std::vector<std::string> parts_of(std::string_view version) {
    std::vector<std::string> parts(1);
    for (const char c : version) {
        if (c == '.' || c == '-') {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    parts.resize(std::max<size_t>(parts.size(), 4), "0");
    return parts;
}

template <size_t n>
void put(char (&field)[n], std::string_view text) {
    const size_t length = std::min(n - 1, text.size());
    std::memcpy(field, text.data(), length);
    field[length] = '\0';
}

size_t checked_option(int option) {
    if (option < 0 || static_cast<size_t>(option) >= kOptionCount) {
        raise(kInvalidParam,
              "{} is no system parameter: 0 (deterministic), 1 (debug kernels) and 2 (strong "
              "consistency) are",
              option);
    }
    return static_cast<size_t>(option);
}

}  // namespace

const char* aclrtGetSocName() { return soc_name(); }

int aclrtGetVersion(int32_t* major, int32_t* minor, int32_t* patch) {
    return entry<InChild::allowed>(__func__, [&] {
        // The version of the runtime interface, which is not the version of CANN.
        *required(major, "majorVersion") = 1;
        *required(minor, "minorVersion") = 14;
        *required(patch, "patchVersion") = 0;
    });
}

int aclsysGetCANNVersion(int package, PackageVersion* version) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            required(version, "version");
            if (package < 0 || package >= kPackages) {
                raise(kInvalidParam, "{} is no package: 0 to {} are", package, kPackages - 1);
            }
            const std::string_view text =
                package == kDriver ? kDriverVersion : std::string_view(config().cann_version);
            const std::vector<std::string> parts = parts_of(text);
            *version = {};
            put(version->version, text);
            put(version->major, parts[0]);
            put(version->minor, parts[1]);
            put(version->release, parts[2]);
            put(version->patch, parts[3]);
        },
        package);
}

int aclsysGetVersionStr(char* package, char* version) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            const std::string_view name = required(package, "pkgName");
            if (std::find(kPackageNames.begin(), kPackageNames.end(), name) == kPackageNames.end()) {
                raise(kInvalidParam, "there is no package named \"{}\"", name);
            }
            // The caller's buffer holds 128 bytes.
            std::array<char, 128> text{};
            config().cann_version.copy(text.data(), text.size() - 1);
            std::memcpy(required(version, "versionStr"), text.data(), std::strlen(text.data()) + 1);
        },
        package == nullptr ? "null" : package);
}

int aclrtGetRunMode(int* mode) {
    return entry<InChild::allowed>(__func__, [&] { *required(mode, "runMode") = kHostMode; });
}

int aclrtSetSysParamOpt(int option, int64_t value) {
    return entry(
        __func__, [&] { Process::instance().set_option(checked_option(option), value); }, option, value);
}

int aclrtGetSysParamOpt(int option, int64_t* value) {
    return entry<InChild::allowed>(
        __func__,
        [&] { *required(value, "value") = Process::instance().option(checked_option(option)).value_or(0); },
        option);
}

int aclrtCtxSetSysParamOpt(int option, int64_t value) {
    return entry(
        __func__, [&] { contexts().get(current_context())->set_option(checked_option(option), value); },
        option, value);
}

int aclrtCtxGetSysParamOpt(int option, int64_t* value) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            required(value, "value");
            const auto set = contexts().get(current_context())->option(checked_option(option));
            if (!set.has_value()) {
                raise(kRtOptionNotSet, "system parameter {} was not set in this context", option);
            }
            *value = *set;
        },
        option);
}

int aclrtSetDeviceSatMode(int mode) {
    return entry(
        __func__,
        [&] {
            if (mode != kInfNanMode) {
                raise(kRtFeatureNotSupported,
                      "overflow mode {} is not available: the software NPU computes with infinities and NaN "
                      "(mode 1), as "
                      "{} does by default",
                      mode, soc_name());
            }
        },
        mode);
}

int aclrtGetDeviceSatMode(int* mode) {
    return entry<InChild::allowed>(__func__, [&] { *required(mode, "mode") = kInfNanMode; });
}

int aclrtSetOpExecuteTimeOut(uint32_t seconds) {
    return entry(__func__, [] {}, seconds);
}

int aclrtSetOpWaitTimeout(uint32_t seconds) {
    return entry(
        __func__, [&] { Stream::set_wait_limit(std::min<uint32_t>(seconds, UINT32_MAX / 1000) * 1000); },
        seconds);
}
