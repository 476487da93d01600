#include "support.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "spec/api.h"

namespace opweld::codegen::testing {

namespace fs = std::filesystem;

fs::path source_directory() { return OPWELD_SOURCE_DIR; }

std::string read_file(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

namespace {

spec::Package take(spec::LoadResult result) {
    for (const spec::Diagnostic& diagnostic : result.diagnostics) {
        if (diagnostic.severity == spec::Severity::Error) {
            ADD_FAILURE() << diagnostic.file << ":" << diagnostic.span.at.line << ": " << diagnostic.rule
                          << " " << diagnostic.message;
        }
    }
    if (!result.package) {
        throw std::runtime_error("the spec has faults");
    }
    return *std::move(result.package);
}

}  // namespace

spec::Package load(const std::string& path) {
    spec::CheckOptions options;
    options.for_generation = true;
    return take(spec::load_package((source_directory() / path).string(), options));
}

spec::Package load_spec_text(const std::string& ops) {
    spec::CheckOptions options;
    options.for_generation = true;
    options.check_files = false;
    return take(spec::load_text("version: 1\npackage: demo\nops:\n" + ops, "demo.yaml", options));
}

std::vector<SourceFile> render_all(const spec::Package& package, Target target) {
    GenerateOptions options;
    options.target = target;
    options.output = fs::path(package.directory) / "build" / "opweld";
    std::vector<spec::Diagnostic> diagnostics;
    std::vector<SourceFile> files = render(package, options, diagnostics);
    for (const spec::Diagnostic& diagnostic : diagnostics) {
        ADD_FAILURE() << diagnostic.rule << " " << diagnostic.message;
    }
    return files;
}

const std::string& text_of(const std::vector<SourceFile>& files, const std::string& path) {
    for (const SourceFile& file : files) {
        if (file.path == path) {
            return file.text;
        }
    }
    throw std::runtime_error("no file " + path);
}

TemporaryFolder::TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "opweld-codegen-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error("cannot make a temporary folder");
    }
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace opweld::codegen::testing
