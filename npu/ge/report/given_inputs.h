// Sizes, and values where they decide shapes, that somebody gives for the inputs of a model.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "npu/ge/engine/inference.h"

namespace opweld::npu::graph {

struct GivenInput {
    std::vector<int64_t> shape;
    std::optional<std::vector<int64_t>> value;  // of an integer input, row by row
};

// By the number of an input or by its name.
using GivenInputs = std::map<std::string, GivenInput>;

// Reads {"0": {"shape": [2, 3], "value": […]}}. Throws GraphError.
GivenInputs parse_given_inputs(std::string_view json);

struct InputForms {
    std::vector<Form> forms;  // empty where an input is open
    std::string open;  // which input's sizes nobody says, and how to say them; empty where all are known
};

// Throws GraphError for an input that does not exist, and for sizes that contradict the model's.
InputForms input_forms(const Program& program, const GivenInputs& given);

}  // namespace opweld::npu::graph
