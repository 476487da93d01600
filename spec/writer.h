// The model as YAML.
#ifndef OPWELD_SPEC_WRITER_H
#define OPWELD_SPEC_WRITER_H

#include <string>
#include <string_view>
#include <vector>

#include "spec/model.h"

namespace opweld::spec {

// As write_yaml (api.h), with a comment line before operator k where comments[k] is not empty. `comments` may
// be shorter than the list of operators.
std::string write_package(const Package& package, const std::vector<std::string>& comments);

// A text as a YAML scalar that is read back as this very text, in block and flow style.
std::string yaml_scalar(std::string_view text);

}  // namespace opweld::spec

#endif
