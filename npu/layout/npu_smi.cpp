// npu-smi for the software NPU: the questions that scripts ask, in the form in which they expect the answers.
//
// Exit code 0, or 1 with a sentence on standard error.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "npu/soc/soc.h"

extern "C" {
int aclrtGetDeviceCount(unsigned* count);
int aclrtSetDevice(int device);
int aclrtGetMemInfo(int attribute, size_t* free, size_t* total);
const char* aclrtGetSocName();
const char* aclGetRecentErrMsg();
}

namespace {

constexpr int kHbm = 1;  // aclrtMemAttr: device memory
constexpr size_t kMiB = size_t{1} << 20;
constexpr std::string_view kUsage =
    "usage: npu-smi info [-l | -m | -t board|usages|common|memory [-i ID]]\n"
    "       npu-smi -v\n";

void check(int code, const char* what) {
    if (code != 0) {
        const char* message = aclGetRecentErrMsg();
        throw std::runtime_error(fmt::format("{} failed with code {}: {}", what, code,
                                             message == nullptr ? "no message" : message));
    }
}

struct Machine {
    unsigned devices = 0;
    std::string chip;  // "910B1"
    unsigned ai_cores = 0;

    static Machine ask() {
        Machine machine;
        check(aclrtGetDeviceCount(&machine.devices), "aclrtGetDeviceCount");
        const char* soc_name = aclrtGetSocName();
        if (soc_name == nullptr) {
            throw std::runtime_error("the SoC is unknown; OPWELD_SOC must be one of " +
                                     opweld::npu::soc_names());
        }
        machine.chip = soc_name;
        if (const auto* soc = opweld::npu::find_soc(machine.chip)) {
            machine.ai_cores = soc->ai_cores;
        }
        constexpr std::string_view prefix = "Ascend";
        if (machine.chip.starts_with(prefix)) {
            machine.chip.erase(0, prefix.size());
        }
        return machine;
    }
};

struct Memory {
    size_t total_mib = 0;
    size_t used_mib = 0;

    static Memory ask(unsigned device) {
        check(aclrtSetDevice(static_cast<int>(device)), "aclrtSetDevice");
        size_t free = 0;
        size_t total = 0;
        check(aclrtGetMemInfo(kHbm, &free, &total), "aclrtGetMemInfo");
        return {total / kMiB, (total - free) / kMiB};
    }
};

std::string bus_id(unsigned device) { return fmt::format("0000:{:02X}:00.0", device + 1); }

void print_table(const Machine& machine) {
    const std::string title = fmt::format("npu-smi {0:<24} Version: {0}", OPWELD_VERSION);
    const std::string rule = fmt::format("+{0:-<27}+{0:-<15}+{0:-<52}+\n", "");
    const std::string double_rule = fmt::format("+{0:=<27}+{0:=<15}+{0:=<52}+\n", "");
    fmt::print("+{:-<96}+\n| {:<95}|\n{}", "", title, rule);
    fmt::print("| {:<6}{:<20}| {:<14}| {:<12}{:<18}{:<21}|\n", "NPU", "Name", "Health", "Power(W)", "Temp(C)",
               "Hugepages-Usage(page)");
    fmt::print("| {:<26}| {:<14}| {:<12}{:<18}{:<21}|\n{}", "Chip", "Bus-Id", "AICore(%)", "Memory-Usage(MB)",
               "HBM-Usage(MB)", double_rule);
    for (unsigned device = 0; device < machine.devices; ++device) {
        const Memory memory = Memory::ask(device);
        fmt::print("| {:<6}{:<20}| {:<14}| {:<12}{:<18}{:<21}|\n", device, machine.chip, "OK", "NA", "NA",
                   "0    / 0");
        fmt::print("| {:<26}| {:<14}| {:<12}{:<18}{:<21}|\n{}", 0, bus_id(device), 0, "0    / 0",
                   fmt::format("{:<5}/ {}", memory.used_mib, memory.total_mib), double_rule);
    }
    fmt::print("| {:<6}{:<20}| {:<14}| {:<51}|\n{}", "NPU", "Chip", "Process id", "Process memory(MB)",
               double_rule);
    fmt::print("| {:<95}|\n{}", "No running processes are listed: each process has a software NPU of its own",
               rule);
}

void print_field(std::string_view name, std::string_view value) { fmt::print("\t{:<31}: {}\n", name, value); }

template <class T>
void print_field(std::string_view name, const T& value) {
    print_field(name, std::string_view(fmt::to_string(value)));
}

void print_list(const Machine& machine) {
    print_field("Total Count", machine.devices);
    for (unsigned device = 0; device < machine.devices; ++device) {
        fmt::print("\n");
        print_field("NPU ID", device);
        print_field("Chip Count", 1);
    }
}

void print_mapping(const Machine& machine) {
    fmt::print("\t{:<31}{:<31}{:<31}{}\n", "NPU ID", "Chip ID", "Chip Logic ID", "Chip Name");
    for (unsigned device = 0; device < machine.devices; ++device) {
        fmt::print("\t{:<31}{:<31}{:<31}Ascend {}\n", device, 0, device, machine.chip);
    }
}

void print_details(const Machine& machine, std::string_view type, unsigned device) {
    const Memory memory = Memory::ask(device);
    const size_t used = memory.total_mib == 0 ? 0 : memory.used_mib * 100 / memory.total_mib;
    print_field("NPU ID", device);
    if (type == "board") {
        print_field("Product Name", "opweld software NPU");
        print_field("Software Version", OPWELD_VERSION);
        print_field("PCIe Bus Info", bus_id(device));
        print_field("Chip Count", 1);
        print_field("Chip Name", machine.chip);
    } else if (type == "memory") {
        print_field("HBM Capacity(MB)", memory.total_mib);
    } else {
        print_field("Chip Count", 1);
        fmt::print("\n");
        if (type == "common") {
            print_field("Aicore Count", machine.ai_cores);
        }
        print_field("HBM Capacity(MB)", memory.total_mib);
        print_field("HBM Usage Rate(%)", used);
        print_field("Aicore Usage Rate(%)", 0);
        print_field("Chip ID", 0);
    }
}

struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void run_info(const std::vector<std::string_view>& options) {
    std::string_view type;
    std::optional<unsigned> device;
    char form = 't';
    for (size_t i = 0; i < options.size(); ++i) {
        const std::string_view option = options[i];
        if (option == "-l" || option == "-m") {
            form = option[1];
            continue;
        }
        if ((option != "-t" && option != "-i" && option != "-c") || i + 1 == options.size()) {
            throw UsageError(fmt::format("option '{}' is unknown or lacks its value", option));
        }
        const std::string_view value = options[++i];
        if (option == "-t") {
            type = value;
            continue;
        }
        unsigned number = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
        if (error != std::errc() || end != value.data() + value.size()) {
            throw UsageError(fmt::format("'{}' is no number of a device or chip", value));
        }
        if (option == "-i") {
            device = number;
        } else if (number != 0) {
            throw UsageError(fmt::format("chip {} does not exist; each device has chip 0 only", number));
        }
    }
    if (!type.empty() && type != "board" && type != "usages" && type != "common" && type != "memory") {
        throw UsageError(fmt::format("type '{}' is not known to the software NPU", type));
    }
    const Machine machine = Machine::ask();
    if (form == 'l') {
        print_list(machine);
    } else if (form == 'm') {
        print_mapping(machine);
    } else if (type.empty()) {
        print_table(machine);
    } else if (device.has_value() && *device >= machine.devices) {
        throw UsageError(
            fmt::format("device {} does not exist; there are {} (OPWELD_DEVICES)", *device, machine.devices));
    } else if (device.has_value()) {
        print_details(machine, type, *device);
    } else {
        for (unsigned each = 0; each < machine.devices; ++each) {
            print_details(machine, type, each);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const std::vector<std::string_view> arguments(argv + 1, argv + argc);
        if (!arguments.empty() && (arguments[0] == "-v" || arguments[0] == "--version")) {
            fmt::print("npu-smi version: {}\n", OPWELD_VERSION);
            return EXIT_SUCCESS;
        }
        if (!arguments.empty() && (arguments[0] == "-h" || arguments[0] == "--help")) {
            fmt::print("{}", kUsage);
            return EXIT_SUCCESS;
        }
        if (arguments.empty() || arguments[0] != "info") {
            throw UsageError("the software NPU's npu-smi answers `info` only");
        }
        unsetenv("ASCEND_RT_VISIBLE_DEVICES");  // npu-smi shows the machine, not what one program may use
        run_info({arguments.begin() + 1, arguments.end()});
        return EXIT_SUCCESS;
    } catch (const UsageError& error) {
        fmt::print(stderr, "npu-smi: {}\n{}", error.what(), kUsage);
    } catch (const std::exception& error) {
        fmt::print(stderr, "npu-smi: {}\n", error.what());
    }
    return EXIT_FAILURE;
}
