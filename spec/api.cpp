#include "spec/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "spec/load.h"
#include "spec/msopgen.h"

namespace opweld::spec {
namespace {

// The file's text; nothing if it can't be read or is beyond the limit (then `fault` says so).
std::optional<std::string> read_file(const std::string& path, std::string& fault) {
    std::error_code code;
    if (!std::filesystem::is_regular_file(path, code)) {
        fault = std::filesystem::is_directory(path, code) ? "is a folder" : "does not exist";
        return std::nullopt;
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        fault = "can't be opened";
        return std::nullopt;
    }
    std::string text;
    std::vector<char> buffer(std::size_t{1} << 16U);
    while (file && text.size() <= kMaxFileBytes) {
        file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
        text.append(buffer.data(), static_cast<std::size_t>(file.gcount()));
    }
    return text;
}

}  // namespace

LoadResult load_text(std::string_view text, const std::string& file, const CheckOptions& options,
                     const std::string& directory) {
    Diagnostics out(file, text);
    LoadOptions load_options;
    load_options.for_generation = options.for_generation;
    load_options.check_files = options.check_files;
    load_options.directory = directory;
    LoadResult result;
    if (file.ends_with(".json")) {
        load_options.msopgen = true;
        const std::string stem = std::filesystem::path(file).stem().string();
        const Tree tree = msopgen_tree(read_json(text, out), package_name_of(stem), out);
        result.package = load_tree(tree, load_options, out);
    } else {
        result.package = load(text, load_options, out);
    }
    if (out.has_errors()) {
        result.package.reset();
    }
    result.diagnostics = out.sorted();
    return result;
}

LoadResult load_package(const std::string& path, const CheckOptions& options) {
    std::string fault;
    const auto text = read_file(path, fault);
    if (!text) {
        Diagnostics out(path, {});
        out.report("OW115", {}, fmt::format("'{}' {}", path, fault), "a file that can be read");
        return {std::nullopt, out.sorted()};
    }
    return load_text(*text, path, options, std::filesystem::path(path).parent_path().string());
}

CheckResult check_files(const std::vector<std::string>& paths, const CheckOptions& options) {
    CheckResult result;
    result.files = paths.size();
    for (const std::string& path : paths) {
        LoadResult loaded = load_package(path, options);
        std::move(loaded.diagnostics.begin(), loaded.diagnostics.end(),
                  std::back_inserter(result.diagnostics));
    }
    std::stable_sort(result.diagnostics.begin(), result.diagnostics.end(), before);
    for (const Diagnostic& diagnostic : result.diagnostics) {
        ++(diagnostic.severity == Severity::Error     ? result.errors
           : diagnostic.severity == Severity::Warning ? result.warnings
                                                      : result.notes);
    }
    return result;
}

std::size_t ImportResult::count(ImportEntry::Outcome outcome) const {
    return static_cast<std::size_t>(std::count_if(
        entries.begin(), entries.end(), [&](const ImportEntry& entry) { return entry.outcome == outcome; }));
}

std::string ImportResult::summary() const {
    std::string text =
        fmt::format("{} entries: {} full specs, {} with the schema only, {} skipped\n", entries.size(),
                    count(ImportEntry::Outcome::Full), count(ImportEntry::Outcome::SchemaOnly),
                    count(ImportEntry::Outcome::Skipped));
    for (const auto outcome : {ImportEntry::Outcome::SchemaOnly, ImportEntry::Outcome::Skipped}) {
        std::map<std::string, std::size_t> reasons;
        for (const ImportEntry& entry : entries) {
            if (entry.outcome == outcome) {
                ++reasons[entry.reason.substr(0, entry.reason.find(": "))];
            }
        }
        std::vector<std::pair<std::size_t, std::string>> ranked;
        ranked.reserve(reasons.size());
        for (const auto& [reason, number] : reasons) {
            ranked.emplace_back(number, reason);
        }
        std::sort(ranked.begin(), ranked.end(), std::greater<>());
        for (const auto& [number, reason] : ranked) {
            text += fmt::format("  {}: {:>4}  {}\n",
                                outcome == ImportEntry::Outcome::Skipped ? "skipped" : "schema only", number,
                                reason);
        }
    }
    return text;
}

}  // namespace opweld::spec
