// The way in: everything that `opweld gen`, `build` and `new` need, as free functions over plain data.
//
// All functions may be called from any thread; two that write to the same folder must not run at the same
// time. Faults of a spec are diagnostics; what the file system refuses is a
// std::filesystem::filesystem_error.
#ifndef OPWELD_CODEGEN_API_H
#define OPWELD_CODEGEN_API_H

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "spec/diagnostics.h"
#include "spec/model.h"

namespace opweld::codegen {

// What the operators will run on. It decides which kernel of the spec is taken: `software` takes cpp, compose
// and aclnn; `npu` takes compose and aclnn.
enum class Target { Software, Npu };

struct GenerateOptions {
    Target target = Target::Software;
    std::filesystem::path output;  // the folder of the generated project; it is made
};

// A file of the generated project, relative to its folder.
struct SourceFile {
    std::filesystem::path path;
    std::string text;
};

struct WrittenFile {
    std::filesystem::path path;  // relative to GenerateOptions::output
    bool changed = false;        // false: the file was there with the same content and keeps its time stamp
};

struct GenerateResult {
    std::vector<WrittenFile> files;
    std::vector<spec::Diagnostic> diagnostics;

    // Whether the files were written: no diagnostic is an error.
    [[nodiscard]] bool ok() const;
};

// Writes the project of a package. With an error among the diagnostics nothing is written. A file that is
// there and was not generated is an error, never overwritten. Generated files of earlier runs that are no
// longer part of the project are removed.
GenerateResult generate(const spec::Package& package, const GenerateOptions& options);

// The same without the disk: the files in the order of their paths. `output` is only used to express the way
// to the spec's folder. Diagnostics are appended.
std::vector<SourceFile> render(const spec::Package& package, const GenerateOptions& options,
                               std::vector<spec::Diagnostic>& diagnostics);

// Writes a new operator project (`opweld new`): spec.yaml, kernels/, tests/, README.md; it builds as it is.
// `name` is the Python package and must be an identifier. Throws std::invalid_argument for a bad name and
// where the folder is not empty. Returns the files, relative to `directory`.
std::vector<std::filesystem::path> new_project(std::string_view name, const std::filesystem::path& directory);

}  // namespace opweld::codegen

#endif
