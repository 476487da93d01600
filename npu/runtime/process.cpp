#include "npu/runtime/process.h"

#include <charconv>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "npu/runtime/config.h"
#include "npu/runtime/device.h"

namespace opweld::npu {
namespace {

int parse_default_device(const nlohmann::json& value, const char* path) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    int device = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), device);
    if (error != std::errc() || end != text.data() + text.size() || device < 0 || device >= device_count()) {
        raise(kInvalidParam, "{}: defaultDevice.default_device is {}; a device from 0 to {} is expected",
              path, value.dump(), device_count() - 1);
    }
    return device;
}

std::optional<int> read_default_device(const char* path) {
    if (path == nullptr || *path == '\0') {
        return std::nullopt;
    }
    std::ifstream file(path);
    if (!file) {
        raise(kInvalidFile, "the configuration file {} can't be read: {}", path, std::strerror(errno));
    }
    const nlohmann::json parsed = nlohmann::json::parse(file, nullptr, false);
    if (parsed.is_discarded() || !parsed.is_object()) {
        raise(kParseFile, "the configuration file {} holds no JSON object", path);
    }
    const auto section = parsed.find("defaultDevice");
    if (section == parsed.end() || !section->is_object() || !section->contains("default_device")) {
        return std::nullopt;
    }
    return parse_default_device(section->at("default_device"), path);
}

}  // namespace

Process& Process::instance() {
    static auto& process = *new Process;
    return process;
}

void Process::initialise(const char* config_path) {
    config();
    const std::lock_guard lock(mutex_);
    if (initialised_) {
        raise(kRepeatInitialise, "the process is initialised already");
    }
    default_device_ = read_default_device(config_path);
    if (!config().faults.empty()) {
        Faults::instance().set(config().faults);
    }
    initialised_ = true;
    finalised_ = false;
}

void Process::finalise() {
    {
        const std::lock_guard lock(mutex_);
        if (!initialised_) {
            raise(finalised_ ? kRepeatFinalise : kUninitialised, "{}",
                  finalised_ ? "the process is finalised already" : "aclInit was not called");
        }
        initialised_ = false;
        finalised_ = true;
        default_device_.reset();
    }
    if (forked_child()) {
        return;
    }
    for (int id = 0; id < device_count(); ++id) {
        device(id).report_lost_errors();
    }
}

std::optional<int> Process::default_device() const {
    const std::lock_guard lock(mutex_);
    return default_device_;
}

void Process::set_option(size_t option, int64_t value) {
    const std::lock_guard lock(mutex_);
    options_.at(option) = value;
}

std::optional<int64_t> Process::option(size_t option) const {
    const std::lock_guard lock(mutex_);
    return options_.at(option);
}

}  // namespace opweld::npu
