// pyproject.toml and CMakeLists.txt of a generated project.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "codegen/generators.h"
#include "codegen/text.h"

namespace opweld::codegen {

namespace {

// The way from the project's folder to the spec's, if there is a relative one.
std::string spec_directory(const PackagePlan& plan) {
    const std::filesystem::path from =
        std::filesystem::weakly_canonical(std::filesystem::absolute(plan.options.output));
    const std::string& directory =
        plan.package->directory;  // empty where the spec was named without a folder
    const std::filesystem::path to =
        std::filesystem::weakly_canonical(std::filesystem::absolute(directory.empty() ? "." : directory));
    const std::filesystem::path way = to.lexically_relative(from);
    return way.empty() ? to.generic_string() : "${CMAKE_CURRENT_SOURCE_DIR}/" + way.generic_string();
}

bool has_converter_files(const PackagePlan& plan) {
    return std::any_of(plan.ops.begin(), plan.ops.end(), [](const OperatorPlan& op) {
        return op.op->converter.kind == spec::Converter::Kind::File;
    });
}

std::string spec_folder(const PackagePlan& plan) {
    if (plan.cpp_kernels().empty() && !has_converter_files(plan)) {
        return {};
    }
    return fmt::format(
        "\nset(OPWELD_SPEC_DIR \"{}\" CACHE PATH \"Folder of the spec: its files are relative to it\")\n",
        spec_directory(plan));
}

// Converters that the spec's author wrote: modules of the package.
std::string converter_files(const PackagePlan& plan) {
    std::string installs;
    std::set<std::string> seen;
    for (const OperatorPlan& op : plan.ops) {
        const spec::Converter& converter = op.op->converter;
        if (converter.kind == spec::Converter::Kind::File && seen.insert(converter.file).second) {
            installs += fmt::format(
                "install(FILES \"${{OPWELD_SPEC_DIR}}/{}\" DESTINATION {}/converter_files RENAME {}.py)\n",
                converter.file, plan.package->name, converter_module(converter));
        }
    }
    return installs.empty() ? "" : "\n# The converters that the spec names.\n" + installs;
}

std::string kernel_library(const PackagePlan& plan) {
    if (plan.cpp_kernels().empty()) {
        return {};
    }
    std::string sources;
    for (const std::string& source : plan.kernel_sources()) {
        sources += fmt::format("    \"${{OPWELD_SPEC_DIR}}/{}\"\n", source);
    }
    return fill(R"cmake(
# The kernels, compiled once: for PyTorch's CPU device and for the vendor library.
find_package(Threads REQUIRED)
add_library(kernels OBJECT csrc/kernels.cpp
@sources@)
target_link_libraries(kernels PUBLIC options Threads::Threads)
target_include_directories(kernels PUBLIC csrc)
target_compile_options(kernels PRIVATE $<$<CONFIG:Release>:-O3>)
if(OPWELD_NATIVE)
    target_compile_options(kernels PRIVATE -march=native)
endif()
)cmake",
                {{"sources", sources}});
}

std::string vendor_library(const PackagePlan& plan) {
    std::string sources;
    for (const SourceFile& file : aclnn_files(plan)) {
        sources += fmt::format("    {}\n", file.path.generic_string());
    }
    if (sources.empty()) {
        return "set(OPWELD_HAS_VENDOR_LIBRARY False)\n";
    }
    return fill(R"cmake(
# The aclnn functions, where torch_npu looks for them. BIND_NOW: on a CANN without opweld's functions the library is not
# loaded at all, instead of failing when it is called.
find_library(OPWELD_NNOPBASE nnopbase PATHS "${OPWELD_CANN_HOME}/lib64" NO_DEFAULT_PATH)
if(NOT OPWELD_NNOPBASE)
    message(FATAL_ERROR "libnnopbase.so of the software NPU is not in '${OPWELD_CANN_HOME}/lib64': build with "
                        "`opweld build`, or set OPWELD_CANN_HOME to the `cann` folder of opweld")
endif()
add_library(cust_opapi SHARED
@sources@)
target_link_libraries(cust_opapi PRIVATE kernels "${OPWELD_NNOPBASE}")
target_link_options(cust_opapi PRIVATE -Wl,-z,now -Wl,--no-undefined)
set_target_properties(cust_opapi PROPERTIES SKIP_BUILD_RPATH ON)
install(TARGETS cust_opapi LIBRARY DESTINATION @package@/vendors/@package@/op_api/lib)
set(OPWELD_HAS_VENDOR_LIBRARY True)
)cmake",
                {{"package", plan.package->name}, {"sources", sources}});
}

// The prototypes, which a graph engine reads from the vendor package.
std::string prototype_library(const PackagePlan& plan) {
    std::string sources;
    std::string headers;
    for (const SourceFile& file : prototype_files(plan)) {
        const bool header = file.path.extension() == ".h";
        (header ? headers : sources) += fmt::format("    {}\n", file.path.generic_string());
    }
    if (sources.empty()) {
        return {};
    }
    return fill(R"cmake(
# The prototypes of the graph's operators. libgraph.so is the graph engine's; its headers are those of CANN where there
# is one (OPWELD_GRAPH_INCLUDE_DIR), else opweld's.
find_library(OPWELD_GRAPH graph PATHS "${OPWELD_CANN_HOME}/lib64" NO_DEFAULT_PATH)
if(NOT OPWELD_GRAPH_INCLUDE_DIR)  # folder of graph/operator_reg.h
    set(OPWELD_GRAPH_INCLUDE_DIR "${OPWELD_INCLUDE_DIR}")
endif()
if(OPWELD_GRAPH)
    add_library(cust_opsproto SHARED
@sources@)
    target_include_directories(cust_opsproto PRIVATE csrc "${OPWELD_GRAPH_INCLUDE_DIR}")
    target_link_libraries(cust_opsproto PRIVATE options "${OPWELD_GRAPH}")
    target_link_options(cust_opsproto PRIVATE -Wl,--allow-shlib-undefined)
    set_target_properties(cust_opsproto PROPERTIES SKIP_BUILD_RPATH ON)
    install(TARGETS cust_opsproto
        LIBRARY DESTINATION @package@/vendors/@package@/op_proto/lib/linux/${CMAKE_SYSTEM_PROCESSOR})
    install(FILES
@headers@        DESTINATION @package@/vendors/@package@/op_proto/inc)
else()
    message(STATUS "libgraph.so is not in '${OPWELD_CANN_HOME}/lib64': @package@ gets no prototypes for graphs")
endif()
)cmake",
                {{"package", plan.package->name}, {"sources", sources}, {"headers", headers}});
}

std::string cmake_lists(const PackagePlan& plan) {
    const bool kernels = !plan.cpp_kernels().empty();
    return fill(R"cmake(@banner@
cmake_minimum_required(VERSION 3.25)
project(@package@ LANGUAGES CXX)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
option(OPWELD_WERROR "Treat warnings as errors" OFF)
option(OPWELD_NATIVE "Compile the kernels for this machine's processor only" OFF)
find_program(OPWELD_CCACHE ccache)
if(OPWELD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${OPWELD_CCACHE}")
endif()

# Where torch, torch_npu and opweld are installed; none of them is imported for that.
find_package(Python REQUIRED COMPONENTS Interpreter)
function(find_python_package name variable)
    execute_process(
        COMMAND "${Python_EXECUTABLE}" -c
                "import importlib.util as u; s = u.find_spec('${name}'); print(';'.join(s.submodule_search_locations if s else []))"
        OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    set(${variable} "${folder}" PARENT_SCOPE)
endfunction()
find_python_package(torch torch_folder)
find_python_package(torch_npu torch_npu_folder)
find_python_package(opweld opweld_folder)
if(NOT torch_folder)
    message(FATAL_ERROR "torch is not installed for ${Python_EXECUTABLE}")
endif()
file(STRINGS "${torch_folder}/version.py" torch_version REGEX "^__version__ = ")
string(REGEX REPLACE "^__version__ = '(.*)'$" "\\1" torch_version "${torch_version}")

# A source tree's headers go before installed ones.
set(opweld_includes "")
foreach(folder IN LISTS opweld_folder)
    list(PREPEND opweld_includes "${folder}/../../include")
    list(APPEND opweld_includes "${folder}/include")
    if(NOT OPWELD_CANN_HOME AND EXISTS "${folder}/cann")
        set(opweld_cann "${folder}/cann")
    endif()
endforeach()
# What an earlier run found is looked for anew, so that another opweld is noticed; what -D sets stays.
foreach(found IN ITEMS OPWELD_INCLUDE_DIR OPWELD_GRAPH_INCLUDE_DIR OPWELD_NNOPBASE OPWELD_GRAPH)
    get_property(help CACHE ${found} PROPERTY HELPSTRING)
    if(help MATCHES "^(Path to a|Folder of) ")
        unset(${found} CACHE)
    endif()
endforeach()
if(NOT OPWELD_INCLUDE_DIR)  # opweld's headers
    find_path(OPWELD_INCLUDE_DIR opweld/kernel.h HINTS ${opweld_includes} REQUIRED)
endif()
if(DEFINED ENV{OPWELD_CANN})
    set(opweld_cann "$ENV{OPWELD_CANN}")
endif()
if(NOT OPWELD_CANN_HOME)  # the software NPU
    set(OPWELD_CANN_HOME "${opweld_cann}")
endif()

add_library(options INTERFACE)
target_compile_options(options INTERFACE -Wall -Wextra $<$<BOOL:${OPWELD_WERROR}>:-Werror>)
# The first errors say what is wrong; those that follow from them do not.
target_compile_options(options INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-fmax-errors=5> $<$<CXX_COMPILER_ID:Clang>:-ferror-limit=5>)
target_include_directories(options INTERFACE "${OPWELD_INCLUDE_DIR}")

# Headers are SYSTEM: their warnings are not ours.
add_library(torch INTERFACE)
target_include_directories(torch SYSTEM INTERFACE
    "${torch_folder}/include" "${torch_folder}/include/torch/csrc/api/include")
target_compile_definitions(torch INTERFACE AT_PER_OPERATOR_HEADERS)
target_link_libraries(torch INTERFACE "${torch_folder}/lib/libtorch_cpu.so" "${torch_folder}/lib/libc10.so")
@spec_folder@
@kernel_library@

# Schema, Meta, CPU, autograd: a model runs where there is no NPU.
add_library(@package@ SHARED csrc/register.cpp)
target_link_libraries(@package@ PRIVATE options torch@kernels@)
set_target_properties(@package@ PROPERTIES SKIP_BUILD_RPATH ON)
install(TARGETS @package@ LIBRARY DESTINATION @package@/lib)

# The NPU kernels.
if(torch_npu_folder)
    add_library(@package@_npu SHARED csrc/register_npu.cpp)
    target_link_libraries(@package@_npu PRIVATE options torch "${torch_npu_folder}/lib/libtorch_npu.so")
    target_link_options(@package@_npu PRIVATE -Wl,--allow-shlib-undefined)
    set_target_properties(@package@_npu PROPERTIES SKIP_BUILD_RPATH ON)
    install(TARGETS @package@_npu LIBRARY DESTINATION @package@/lib)
else()
    message(STATUS "torch_npu is not installed: @package@ gets no NPU kernels")
endif()
@vendor_library@
@prototype_library@
@converter_files@

file(CONFIGURE OUTPUT _build_info.py CONTENT
[[# Generated when @package@ was built.
TORCH_VERSION = "@at@torch_version@at@"
HAS_VENDOR_LIBRARY = @at@OPWELD_HAS_VENDOR_LIBRARY@at@
]] @at_only@)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/_build_info.py" DESTINATION @package@)
)cmake",
                {{"banner", banner(plan, "#")},
                 {"package", plan.package->name},
                 {"kernel_library", kernel_library(plan)},
                 {"kernels", kernels ? " kernels" : ""},
                 {"vendor_library", vendor_library(plan)},
                 {"prototype_library", prototype_library(plan)},
                 {"spec_folder", spec_folder(plan)},
                 {"converter_files", converter_files(plan)},
                 {"at", "@"},
                 {"at_only", "@ONLY"}});
}

std::string pyproject(const PackagePlan& plan) {
    const std::string doc = plan.package->doc.empty()
                                ? fmt::format("The operators of {}", plan.package->name)
                                : plan.package->doc.substr(0, plan.package->doc.find('\n'));
    const bool vendor = !aclnn_files(plan).empty() || !prototype_files(plan).empty();
    const std::string entry_point =
        vendor ? fmt::format(
                     "\n# Where torch_npu finds the aclnn functions; read by opweld without importing the "
                     "package.\n"
                     "[project.entry-points.\"opweld.vendor\"]\n{0} = \"{0}:vendors.{0}\"\n",
                     plan.package->name)
               : "";
    return fill(R"(@banner@
[build-system]
requires = ["scikit-build-core>=0.11", "torch"]
build-backend = "scikit_build_core.build"

[project]
name = "@package@"
version = "0.1.0"
description = @doc@
requires-python = ">=3.10"
dependencies = ["torch"]
@entry_point@

[tool.scikit-build]
minimum-version = "0.11"
cmake.build-type = "Release"
wheel.packages = ["python/@package@"]

[tool.pytest.ini_options]
testpaths = ["tests"]
markers = ["npu: needs an NPU, a real or the software one"]
)",
                {{"banner", banner(plan, "#")},
                 {"package", plan.package->name},
                 {"doc", python_string(doc)},
                 {"entry_point", entry_point}});
}

}  // namespace

std::vector<SourceFile> build_files(const PackagePlan& plan) {
    return {{"CMakeLists.txt", cmake_lists(plan)}, {"pyproject.toml", pyproject(plan)}};
}

}  // namespace opweld::codegen
