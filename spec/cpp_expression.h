// C++ expressions of op-plugin's YAML (sizes, dtypes, extra parameters) in the language of specs, where they
// fit it.
#ifndef OPWELD_SPEC_CPP_EXPRESSION_H
#define OPWELD_SPEC_CPP_EXPRESSION_H

#include <optional>
#include <string>
#include <string_view>

#include "spec/expr/type.h"

namespace opweld::spec {

enum class CppPlace {
    Size,   // a tensor's name stands for its sizes
    DType,  // a tensor's name stands for its dtype
    Value,
};

struct CppTranslation {
    std::optional<std::string> text;
    std::string obstacle;  // where there is no text: "unknown function 'glu_npu_output_size'"
};

// Never throws on bad text. The result is not type-checked.
CppTranslation translate_cpp(std::string_view text, CppPlace place, const expr::Scope& scope);

}  // namespace opweld::spec

#endif
