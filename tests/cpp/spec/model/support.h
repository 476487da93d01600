// What the tests of the spec share.
#ifndef OPWELD_TESTS_SPEC_MODEL_SUPPORT_H
#define OPWELD_TESTS_SPEC_MODEL_SUPPORT_H

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "spec/api.h"

namespace opweld::spec::test {

inline std::filesystem::path source_dir() { return OPWELD_SOURCE_DIR; }
inline std::filesystem::path data_dir() { return source_dir() / "tests" / "data" / "spec"; }

inline std::string read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// "line:col severity rule message" for each diagnostic.
inline std::string listed(const std::vector<Diagnostic>& diagnostics) {
    std::string text;
    for (const Diagnostic& item : diagnostics) {
        text += std::to_string(item.span.at.line) + ":" + std::to_string(item.span.at.column) + " " +
                std::string(name(item.severity)) + " " + item.rule + " " + item.message + "\n";
    }
    return text;
}

// A package of the operators given, each indented as in a file ("  - op: ...").
inline std::string spec_of(std::string_view ops) {
    return "version: 1\npackage: tested\nops:\n" + std::string(ops);
}

inline LoadResult load_ops(std::string_view ops) {
    CheckOptions options;
    options.check_files = false;
    return load_text(spec_of(ops), "tested.yaml", options);
}

// The package; the test fails with the list of faults if there is none.
inline Package good(std::string_view ops) {
    LoadResult result = load_ops(ops);
    EXPECT_TRUE(result.package) << listed(result.diagnostics);
    return result.package.value_or(Package{});
}

// The rules that are reported as errors, in order.
inline std::vector<std::string> errors(std::string_view ops) {
    std::vector<std::string> rules;
    for (const Diagnostic& item : load_ops(ops).diagnostics) {
        if (item.severity == Severity::Error) {
            rules.push_back(item.rule);
        }
    }
    return rules;
}

}  // namespace opweld::spec::test

#endif
