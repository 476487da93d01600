// opweld._core is thin: each function calls one of the C++ front doors and hands back plain values. The GIL
// is released while C++ works. An exception of C++ becomes a Python exception: std::invalid_argument a
// ValueError, std::filesystem::filesystem_error an OSError, anything else a RuntimeError.
#ifndef OPWELD_BINDINGS_MODULE_H
#define OPWELD_BINDINGS_MODULE_H

#include <pybind11/pybind11.h>

namespace opweld::bindings {

void add_spec(pybind11::module_& module);
void add_codegen(pybind11::module_& module);
void add_verification(pybind11::module_& module);

}  // namespace opweld::bindings

#endif
