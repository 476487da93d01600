#include "npu/ge/report/given_inputs.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <numeric>

#include "npu/ge/model/reader.h"

namespace opweld::npu::graph {
namespace {

const Node& input(const Program& program, size_t index) {
    return program.graph.nodes[static_cast<size_t>(program.graph.data[index])];
}

size_t input_index(const Program& program, const std::string& key) {
    const size_t count = program.graph.data.size();
    size_t number = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
    if (error == std::errc() && end == key.data() + key.size() && number < count) {
        return number;
    }
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) {
        if (input(program, i).name == key) {
            return i;
        }
        names.push_back(fmt::format("{} '{}'", i, input(program, i).name));
    }
    throw GraphError(fmt::format("graph '{}' has no input '{}'; its inputs are: {}", program.graph.name, key,
                                 fmt::join(names, ", ")));
}

bool known_rank(const std::vector<int64_t>& shape) {
    return std::ranges::none_of(shape, [](int64_t size) { return size < -1; });
}

bool open(const std::vector<int64_t>& shape) {
    return std::ranges::any_of(shape, [](int64_t size) { return size < 0; });
}

bool fits(const std::vector<int64_t>& shape, const std::vector<int64_t>& declared) {
    return !known_rank(declared) || std::ranges::equal(shape, declared, [](int64_t size, int64_t expected) {
        return expected < 0 || size == expected;
    });
}

Form form_of(const Node& node, size_t index, const GivenInput& given) {
    const TensorInfo& info = node.outputs.front();
    if (!fits(given.shape, info.shape)) {
        throw GraphError(fmt::format("input {} ('{}') has the shape {}; the sizes given for it are {}", index,
                                     node.name, shape_text(info.shape), shape_text(given.shape)));
    }
    const at::ScalarType dtype = dtype_of(info.dtype.number);
    if (!given.value) {
        return {meta_tensor(dtype, given.shape), {}};
    }
    const int64_t elements =
        std::accumulate(given.shape.begin(), given.shape.end(), int64_t{1}, std::multiplies<>());
    if (!at::isIntegralType(dtype, false) || elements != static_cast<int64_t>(given.value->size())) {
        throw GraphError(fmt::format("input {} ('{}') is {} {}; it cannot have {} integers as its value",
                                     index, node.name, dtype_name(info.dtype), shape_text(given.shape),
                                     given.value->size()));
    }
    at::Tensor value = at::empty(given.shape, at::kLong);
    std::ranges::copy(*given.value, value.mutable_data_ptr<int64_t>());
    return known(value.to(dtype));
}

}  // namespace

GivenInputs parse_given_inputs(std::string_view json) {
    try {
        GivenInputs given;
        const nlohmann::json all = nlohmann::json::parse(json);
        for (const auto& [key, one] : all.items()) {
            GivenInput& input = given[key];
            input.shape = one.at("shape").get<std::vector<int64_t>>();
            if (one.contains("value")) {
                input.value = one.at("value").get<std::vector<int64_t>>();
            }
        }
        return given;
    } catch (const nlohmann::json::exception& error) {
        throw GraphError(fmt::format("the sizes of inputs cannot be read: {}", error.what()));
    }
}

InputForms input_forms(const Program& program, const GivenInputs& given) {
    std::map<size_t, const GivenInput*> by_index;
    for (const auto& [key, one] : given) {
        by_index[input_index(program, key)] = &one;
    }
    InputForms result;
    for (size_t i = 0; i < program.graph.data.size(); ++i) {
        const Node& node = input(program, i);
        const TensorInfo& info = node.outputs.front();
        if (const auto found = by_index.find(i); found != by_index.end()) {
            result.forms.push_back(form_of(node, i, *found->second));
        } else if (!open(info.shape)) {
            result.forms.push_back({meta_tensor(dtype_of(info.dtype.number), info.shape), {}});
        } else {
            result.forms.clear();
            result.open = fmt::format(
                "input {} ('{}') has the open shape {}; say which sizes to show, with --shape {}=…", i,
                node.name, shape_text(info.shape), i);
            return result;
        }
    }
    return result;
}

}  // namespace opweld::npu::graph
