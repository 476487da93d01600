#include "module.h"

#include <exception>
#include <filesystem>

PYBIND11_MODULE(_core, module) {
    module.doc() = "Specs and generators, in C++.";
    pybind11::register_local_exception_translator([](std::exception_ptr pointer) {
        try {
            if (pointer) {
                std::rethrow_exception(pointer);
            }
        } catch (const std::filesystem::filesystem_error& error) {
            pybind11::set_error(
                PyExc_OSError,
                pybind11::make_tuple(error.code().value(), error.code().message(), error.path1().string()));
        }
    });
    opweld::bindings::add_spec(module);
    opweld::bindings::add_codegen(module);
    opweld::bindings::add_verification(module);
}
