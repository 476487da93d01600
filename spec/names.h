// Names: which are allowed, and how one is derived from another.
#ifndef OPWELD_SPEC_NAMES_H
#define OPWELD_SPEC_NAMES_H

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opweld::spec {

bool is_identifier(std::string_view text);

// "C++", "Python" or "C++ and Python" for a keyword of theirs; empty for any other word.
std::string_view keyword_of(std::string_view word);

// Whether a package of this name would hide or replace what generated code itself needs: a Python package
// that stands beside it in site-packages, or a C++ namespace.
bool is_reserved_package(std::string_view name);

// npu::npu_abs.out in its parts. Nothing is checked but the separators.
struct OperatorName {
    std::string ns;  // "npu" where none is given
    std::string name;
    std::string overload;

    [[nodiscard]] std::string qualified() const;
};
OperatorName split_operator_name(std::string_view text);

// npu_custom_linear -> CustomLinear; with an overload (out) CustomLinearOut.
std::string default_ge_op(const OperatorName& name);
// CustomLinear -> npu_custom_linear; IFMRHead2D -> npu_ifmr_head2d.
std::string operator_name_of_ge_op(std::string_view ge_op);

// Whether torch_npu (the pinned version) defines npu::<name> itself.
bool is_torch_npu_operator(std::string_view name);

// "did you mean 'input_desc'?", or nothing if no candidate is close.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

// "1 dtype", "3 dtypes"
std::string count_of(std::size_t number, std::string_view what);

// "a, b and c"
std::string join_words(const std::vector<std::string>& words, std::string_view last = "and");

}  // namespace opweld::spec

#endif
