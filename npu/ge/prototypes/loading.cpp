#include "npu/ge/prototypes/loading.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <set>
#include <system_error>

namespace opweld::npu::prototypes {

namespace {

namespace fs = std::filesystem;

constexpr int kLoadFailed = 500000;  // ACL_ERROR_INTERNAL_ERROR

thread_local std::string current;               // NOLINT: a library's static objects cannot be told otherwise
thread_local std::vector<std::string>* faults;  // NOLINT: likewise

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        if (end > begin) {
            parts.push_back(text.substr(begin, end - begin));
        }
        begin = end + 1;
    }
    return parts;
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::string trim(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// The names after load_priority= in a vendors/config.ini.
std::vector<std::string> priorities(const fs::path& file) {
    std::ifstream lines(file);
    std::string line;
    while (std::getline(lines, line)) {
        const std::size_t sign = line.find('=');
        if (sign != std::string::npos && trim(line.substr(0, sign)) == "load_priority") {
            std::vector<std::string> names = split(line.substr(sign + 1), ',');
            std::ranges::transform(names, names.begin(), trim);
            return names;
        }
    }
    return {};
}

std::vector<fs::path> vendors(const fs::path& folder) {
    std::vector<fs::path> result;
    for (const std::string& name : priorities(folder / "config.ini")) {
        result.push_back(folder / name);
    }
    std::vector<fs::path> others;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (entry.is_directory(error) && std::ranges::find(result, entry.path()) == result.end()) {
            others.push_back(entry.path());
        }
    }
    std::ranges::sort(others);
    result.insert(result.end(), others.begin(), others.end());
    return result;
}

bool is_for_this_machine(const fs::path& file) {
#if defined(__x86_64__)
    constexpr const char* kOther = "aarch64";
#else
    constexpr const char* kOther = "x86_64";
#endif
    return std::ranges::find(file, fs::path(kOther)) == file.end();
}

// For what nobody returns to the caller.
void tell(const std::string& text) { std::fputs(("opweld: " + text + "\n").c_str(), stderr); }

void add_libraries(const fs::path& folder, std::vector<fs::path>& libraries) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->is_regular_file(error) && entry->path().extension() == ".so" &&
            is_for_this_machine(entry->path().lexically_relative(folder))) {
            found.push_back(fs::weakly_canonical(entry->path(), error));
        }
    }
    std::ranges::sort(found);
    for (fs::path& library : found) {
        if (std::ranges::find(libraries, library) == libraries.end()) {
            libraries.push_back(std::move(library));
        }
    }
}

void load(const fs::path& library, std::vector<std::string>& all_faults) {
    current = library.string();
    faults = &all_faults;
    // RTLD_GLOBAL is not wanted: libraries have functions of the same names.
    if (dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
        const char* reason = dlerror();
        all_faults.push_back(library.string() + " cannot be loaded: " + (reason == nullptr ? "" : reason));
    }
    current.clear();
    faults = nullptr;
}

}  // namespace

std::vector<fs::path> prototype_libraries() {
    std::vector<fs::path> libraries;
    for (const std::string& folder : split(environment("ASCEND_CUSTOM_OPP_PATH"), ':')) {
        add_libraries(fs::path(folder) / "op_proto", libraries);
    }
    if (const std::string opp = environment("ASCEND_OPP_PATH"); !opp.empty()) {
        for (const fs::path& vendor : vendors(fs::path(opp) / "vendors")) {
            add_libraries(vendor / "op_proto", libraries);
        }
        add_libraries(fs::path(opp) / "op_proto" / "custom", libraries);
    }
    return libraries;
}

void load_prototype_libraries() {
    static auto* const mutex = new std::mutex;
    static auto* const loaded = new std::set<fs::path>;
    const std::lock_guard lock(*mutex);
    std::vector<std::string> all_faults;
    for (const fs::path& library : prototype_libraries()) {
        if (!loaded->contains(library)) {
            const std::size_t before = all_faults.size();
            load(library, all_faults);
            if (all_faults.size() == before) {
                loaded->insert(library);
            }
        }
    }
    if (!all_faults.empty()) {
        std::string message = "prototype libraries have faults:";
        for (const std::string& fault : all_faults) {
            message += "\n  " + fault;
        }
        throw AclException(kLoadFailed, message);
    }
}

std::string loading() { return current; }

void report(const std::string& fault) {
    if (faults != nullptr) {
        faults->push_back(current + ": " + fault);
    } else {
        tell("error: " + fault);
    }
}

void report_second(const Prototype& before, const Prototype& second) {
    tell("warning: operator type " + second.type + " of " + second.library +
         " is left out: " + before.library + " has another one of that name");
}

}  // namespace opweld::npu::prototypes
