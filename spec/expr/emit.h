// Expressions as C++ (three flavours) and as Python.
//
// C++ text calls functions of a support header shipped with generated code; the file that holds the text says
//     #include <opweld/expr/sym.h>                        // or host.h, graph.h
//     namespace expr = opweld::expr::sym;                 // or ::host, ::graph
// Values that do not exist (an index out of range, a division by zero, shapes that do not broadcast) throw
// opweld::expr::Error, a std::runtime_error; generated code keeps it from crossing a C boundary.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "spec/expr/expression.h"

namespace opweld::spec::expr {

enum class Flavour {
    // PyTorch: names are bound to what a schema's C++ signature has (at::Tensor, std::optional<at::Tensor>,
    // TensorList,
    // int64_t, c10::SymInt, IntArrayRef, SymIntArrayRef, string_view, ScalarType, Scalar, c10::List …).
    // Results of
    // symbolic type (Type::symbolic) are c10::SymInt, std::vector<c10::SymInt>, c10::SymBool.
    sym,
    // Vendor functions: tensors are bound to expr::Tensor, lists to anything with size() and [] (std::span,
    // std::vector), ints to expr::Int or int64_t, strings to std::string or std::string_view.
    host,
    // InferShape: every name is bound to a value of cpp_type(type, Flavour::graph), where each number, bool,
    // dtype,
    // list length may be unknown. A bool is three-valued (known_true, known_false or neither).
    graph
};

struct EmitOptions {
    // Name of the operator -> what stands for it in the emitted text. Names that are missing stand for
    // themselves.
    std::map<std::string, std::string, std::less<>> names;
    // Flavour sym: make the result one of symbolic type (c10::SymInt, expr::Sizes, c10::SymBool), whatever it
    // is.
    bool symbolic_result = false;
};

// The text converts implicitly to cpp_type(type). It is one expression without side effects; it binds as
// tightly as a conditional expression, so put it in brackets beside an operator.
std::string emit_cpp(const Expression& expression, Flavour flavour, const EmitOptions& options = {});

// The C++ type of a result (not of an argument) of that type: `c10::SymInt`, `expr::Ints`,
// `std::optional<…>`.
std::string cpp_type(const Type& type, Flavour flavour);

// Python text over torch tensors; it needs the functions of python_prelude() in scope.
std::string emit_python(const Expression& expression, const EmitOptions& options = {});
std::string_view python_prelude();

}  // namespace opweld::spec::expr
