#include "npu/runtime/config.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "npu/runtime/error.h"

namespace opweld::npu {
namespace {

constexpr int kMaxDevices = 64;
constexpr uint64_t kGiB = uint64_t{1} << 30;
constexpr uint64_t kHugePage = uint64_t{2} << 20;

const char* from_environment(const char* name) { return std::getenv(name); }

std::string_view text_of(const char* value) {
    return value == nullptr ? std::string_view() : std::string_view(value);
}

std::optional<int> integer(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

const Soc* parse_soc(std::string_view name) {
    if (name.empty()) {
        return &default_soc();
    }
    const Soc* soc = find_soc(name);
    if (soc == nullptr) {
        raise(kInvalidParam, "OPWELD_SOC is \"{}\"; the software NPU knows {}", name, soc_names());
    }
    return soc;
}

int parse_devices(std::string_view text) {
    if (text.empty()) {
        return 1;
    }
    const auto count = integer(text);
    if (!count || *count < 0 || *count > kMaxDevices) {
        raise(kInvalidParam, "OPWELD_DEVICES is \"{}\"; a number from 0 to {} is expected", text,
              kMaxDevices);
    }
    return *count;
}

// As the device's driver does it: the list ends at the first entry that is no device.
std::vector<int> parse_visible(const char* text, int devices) {
    std::vector<int> visible;
    if (text == nullptr) {
        for (int i = 0; i < devices; ++i) {
            visible.push_back(i);
        }
        return visible;
    }
    std::string_view rest(text);
    while (!rest.empty()) {
        const size_t comma = rest.find(',');
        std::string_view item = rest.substr(0, comma);
        while (!item.empty() && item.front() == ' ') {
            item.remove_prefix(1);
        }
        while (!item.empty() && item.back() == ' ') {
            item.remove_suffix(1);
        }
        const auto device = integer(item);
        if (!device || *device < 0 || *device >= devices ||
            std::find(visible.begin(), visible.end(), *device) != visible.end()) {
            break;
        }
        visible.push_back(*device);
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
    return visible;
}

uint64_t parse_memory(const char* text, const Soc& soc, int devices, uint64_t host_bytes) {
    if (text_of(text).empty()) {
        const uint64_t share = host_bytes / 5 * 4 / static_cast<uint64_t>(std::max(devices, 1));
        return std::max(kHugePage, std::min(soc.hbm_bytes, share) / kHugePage * kHugePage);
    }
    char* end = nullptr;
    const double gib = std::strtod(text, &end);
    if (end == text || *end != '\0' || !std::isfinite(gib) || gib <= 0 || gib > 4096) {
        raise(kInvalidParam,
              "OPWELD_HBM_GIB is \"{}\"; a number of GiB above 0 is expected, such as 8 or 0.5", text);
    }
    return std::max(kHugePage,
                    static_cast<uint64_t>(gib * static_cast<double>(kGiB)) / kHugePage * kHugePage);
}

StreamMode parse_streams(std::string_view text) {
    if (text.empty() || text == "inline") {
        return StreamMode::inline_when_idle;
    }
    if (text == "async") {
        return StreamMode::always_async;
    }
    raise(kInvalidParam, "OPWELD_STREAMS is \"{}\"; \"inline\" or \"async\" is expected", text);
}

uint64_t host_memory_bytes() {
    const auto pages = sysconf(_SC_PHYS_PAGES);
    const auto page = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && page > 0 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(page) : 4 * kGiB;
}

}  // namespace

Config parse_config(const char* (*variable)(const char* name), uint64_t host_bytes) {
    Config parsed;
    parsed.soc = parse_soc(text_of(variable("OPWELD_SOC")));
    const int devices = parse_devices(text_of(variable("OPWELD_DEVICES")));
    parsed.visible = parse_visible(variable("ASCEND_RT_VISIBLE_DEVICES"), devices);
    parsed.hbm_bytes = parse_memory(variable("OPWELD_HBM_GIB"), *parsed.soc, devices, host_bytes);
    parsed.streams = parse_streams(text_of(variable("OPWELD_STREAMS")));
    const std::string_view version = text_of(variable("OPWELD_CANN_VERSION"));
    parsed.cann_version = version.empty() ? std::string_view("8.5.0") : version;
    try {
        parsed.faults = parse_faults(text_of(variable("OPWELD_FAULTS")));
    } catch (const AclException& error) {
        raise(kInvalidParam, "OPWELD_FAULTS: {}", error.what());
    }
    const std::string_view log = text_of(variable("OPWELD_LOG"));
    if (!log.empty() && !parse_log_level(log)) {
        raise(kInvalidParam, "OPWELD_LOG is \"{}\"; debug, info, warning, error or off is expected", log);
    }
    return parsed;
}

const Config& config() {
    static const Config parsed = parse_config(from_environment, host_memory_bytes());
    return parsed;
}

const char* requested_soc() noexcept {
    const char* name = std::getenv("OPWELD_SOC");
    return name == nullptr || *name == '\0' ? default_soc().name : name;
}

}  // namespace opweld::npu
