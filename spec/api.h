// The front door: everything that the command line, the Python binding and the generators call. Free
// functions without state, safe to call from several threads; bad input never throws, it is reported.
// (std::bad_alloc may pass.)
#ifndef OPWELD_SPEC_API_H
#define OPWELD_SPEC_API_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/diagnostics.h"
#include "spec/model.h"
#include "spec/render.h"

namespace opweld::spec {

struct CheckOptions {
    bool for_generation = false;  // missing shapes and dtypes are errors
    bool check_files = true;      // kernel sources and converter files must exist
};

struct LoadResult {
    std::optional<Package> package;       // there if and only if no diagnostic is an error
    std::vector<Diagnostic> diagnostics;  // sorted by place
};

struct CheckResult {
    std::vector<Diagnostic> diagnostics;  // of all files, sorted by file and place
    std::size_t files = 0;
    std::size_t errors = 0;
    std::size_t warnings = 0;
    std::size_t notes = 0;

    // 0: right; 1: faults. Warnings count with `strict` only.
    [[nodiscard]] int exit_code(bool strict) const {
        return errors != 0 || (strict && warnings != 0) ? 1 : 0;
    }
};

// One spec: YAML, or msopgen's JSON if the name ends in .json.
LoadResult load_package(const std::string& path, const CheckOptions& options = {});

// The same from text; `file` is what diagnostics call it, and by its ending decides between YAML and JSON.
// `directory`: where relative paths in the spec start.
LoadResult load_text(std::string_view text, const std::string& file, const CheckOptions& options = {},
                     const std::string& directory = {});

CheckResult check_files(const std::vector<std::string>& paths, const CheckOptions& options = {});

// JSON Schema (draft 2020-12) of the YAML form, for editors.
std::string json_schema();

// The package as YAML, without anything that is the default anyway. Loading it gives an equal model.
std::string write_yaml(const Package& package);

// The model as JSON, for Python and for comparisons. `positions`: with the places in the file.
std::string model_json(const Package& package, bool positions = false);

struct ImportEntry {
    enum class Outcome { Full, SchemaOnly, Skipped };
    Outcome outcome = Outcome::Full;
    std::string name;    // as in the source, with overload
    std::string reason;  // of SchemaOnly and Skipped
    std::size_t line = 0;
};

struct ImportResult {
    std::string yaml;  // a spec; empty if there was nothing to import
    std::vector<ImportEntry> entries;
    std::vector<Diagnostic> diagnostics;

    [[nodiscard]] std::size_t count(ImportEntry::Outcome outcome) const;
    // A few lines: how many of which outcome, and the commonest reasons.
    [[nodiscard]] std::string summary() const;
};

// op-plugin's op_plugin_functions.yaml, for one PyTorch version ("v2.13" or "2.13"). Operators that torch_npu
// or PyTorch define already get namespaces of their own (`npu_import`, `aten_import`). `package`: the name of
// the package written. `file`: what diagnostics call the text. `take`: which operators the spec gets; only a
// spec of complete ones can be generated from.
enum class Take { all, complete };
ImportResult import_op_plugin(std::string_view text, const std::string& version,
                              const std::string& package = "op_plugin_import",
                              const std::string& file = "op_plugin_functions.yaml", Take take = Take::all);

// msopgen's project JSON.
ImportResult import_msopgen(std::string_view text, const std::string& package = "msopgen_import",
                            const std::string& file = "msopgen.json");

}  // namespace opweld::spec

#endif
