#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "module.h"
#include "spec/api.h"

namespace opweld::bindings {
namespace {

struct CheckReport {
    std::string report;
    std::size_t errors = 0;
    std::size_t warnings = 0;
};

std::string render(const spec::CheckResult& result, const std::string& format, bool color) {
    if (format == "json") {
        return spec::render_json(result.diagnostics);
    }
    if (format == "sarif") {
        return spec::render_sarif(result.diagnostics);
    }
    if (result.diagnostics.empty()) {
        return {};
    }
    return spec::render_text(result.diagnostics, {.color = color}) +
           spec::render_summary(result.diagnostics, result.files);
}

CheckReport check(const std::vector<std::string>& specs, const std::string& format, bool color) {
    const spec::CheckResult result = spec::check_files(specs);
    return {render(result, format, color), result.errors, result.warnings};
}

struct Import {
    std::string yaml;
    std::string summary;
    std::string report;
};

Import import_spec(const std::string& text, const std::string& file, const std::string& format,
                   const std::string& version, bool complete_only, bool color) {
    const spec::ImportResult result =
        format == "msopgen" ? spec::import_msopgen(text, "msopgen_import", file)
                            : spec::import_op_plugin(text, version, "op_plugin_import", file,
                                                     complete_only ? spec::Take::complete : spec::Take::all);
    return {result.yaml, result.summary(), spec::render_text(result.diagnostics, {.color = color})};
}

}  // namespace

void add_spec(pybind11::module_& module) {
    using pybind11::arg;
    const pybind11::call_guard<pybind11::gil_scoped_release> without_gil;
    pybind11::class_<CheckReport>(module, "CheckResult")
        .def_readonly("report", &CheckReport::report)
        .def_readonly("errors", &CheckReport::errors)
        .def_readonly("warnings", &CheckReport::warnings);
    pybind11::class_<Import>(module, "ImportResult")
        .def_readonly("yaml", &Import::yaml)
        .def_readonly("summary", &Import::summary)
        .def_readonly("report", &Import::report);
    module.def("check", &check, arg("specs"), arg("report_format"), arg("color"), without_gil);
    module.def("import_spec", &import_spec, arg("text"), arg("file"), arg("source"), arg("version"),
               arg("complete_only"), arg("color"), without_gil);
    module.def("json_schema", &spec::json_schema, without_gil);
}

}  // namespace opweld::bindings
