#include <pybind11/stl.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "codegen/api.h"
#include "module.h"
#include "spec/api.h"

namespace opweld::bindings {
namespace {

struct WrittenFile {
    std::string path;
    bool changed = false;
};

struct GenerateReport {
    bool ok = false;
    std::string report;
    std::vector<WrittenFile> files;
};

codegen::Target target_from(const std::string& name) {
    if (name == "software") {
        return codegen::Target::Software;
    }
    if (name == "npu") {
        return codegen::Target::Npu;
    }
    throw std::invalid_argument("target '" + name + "' does not exist; it is software or npu");
}

std::string render(const std::vector<spec::Diagnostic>& diagnostics, bool color) {
    if (diagnostics.empty()) {
        return {};
    }
    return spec::render_text(diagnostics, {.color = color}) + spec::render_summary(diagnostics, 1) + "\n";
}

GenerateReport generate(const std::string& spec_path, const std::string& output, const std::string& target,
                        bool color) {
    const codegen::GenerateOptions options{.target = target_from(target), .output = output};
    spec::LoadResult loaded = spec::load_package(spec_path, {.for_generation = true});
    if (!loaded.package) {
        return {false, render(loaded.diagnostics, color), {}};
    }
    codegen::GenerateResult result = codegen::generate(*loaded.package, options);
    std::vector<spec::Diagnostic> diagnostics = std::move(loaded.diagnostics);
    diagnostics.insert(diagnostics.end(), result.diagnostics.begin(), result.diagnostics.end());
    GenerateReport report{result.ok(), render(diagnostics, color), {}};
    for (const codegen::WrittenFile& file : result.files) {
        report.files.push_back({file.path.generic_string(), file.changed});
    }
    return report;
}

std::vector<std::string> new_project(const std::string& name, const std::string& directory) {
    std::vector<std::string> files;
    for (const std::filesystem::path& file : codegen::new_project(name, directory)) {
        files.push_back(file.generic_string());
    }
    return files;
}

}  // namespace

void add_codegen(pybind11::module_& module) {
    using pybind11::arg;
    const pybind11::call_guard<pybind11::gil_scoped_release> without_gil;
    pybind11::class_<WrittenFile>(module, "WrittenFile")
        .def_readonly("path", &WrittenFile::path)
        .def_readonly("changed", &WrittenFile::changed);
    pybind11::class_<GenerateReport>(module, "GenerateResult")
        .def_readonly("ok", &GenerateReport::ok)
        .def_readonly("report", &GenerateReport::report)
        .def_readonly("files", &GenerateReport::files);
    module.def("generate", &generate, arg("spec"), arg("output"), arg("target"), arg("color"), without_gil);
    module.def("new_project", &new_project, arg("name"), arg("directory"), without_gil);
}

}  // namespace opweld::bindings
