// Output dtypes given as a list that pairs up with the inputs' lists: made into an expression.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "spec/expression.h"
#include "spec/names.h"
#include "spec/sections.h"

namespace opweld::spec {
namespace {

// Inputs whose dtypes can decide: there for certain, with a paired list of the full length.
std::vector<const InputDesc*> deciding_inputs(const Operator& op, std::size_t length) {
    std::vector<const InputDesc*> inputs;
    for (const InputDesc& input : op.inputs) {
        if (input.kind == InputKind::Tensor && input.types.kind == TypeSet::Kind::Paired &&
            input.types.dtypes.size() == length) {
            inputs.push_back(&input);
        }
    }
    return inputs;
}

// One branch for each different combination of input dtypes; nothing if the inputs don't decide the output.
using Branches = std::vector<std::pair<std::vector<DType>, DType>>;
std::optional<Branches> branches(const std::vector<const InputDesc*>& inputs,
                                 const std::vector<DType>& outputs) {
    std::map<std::vector<DType>, DType> seen;
    Branches result;
    for (std::size_t at = 0; at < outputs.size(); ++at) {
        std::vector<DType> key;
        for (const InputDesc* input : inputs) {
            key.push_back(input->types.dtypes[at]);
        }
        const auto [known, fresh] = seen.emplace(key, outputs[at]);
        if (known->second != outputs[at]) {
            return std::nullopt;
        }
        if (fresh) {
            result.emplace_back(std::move(key), outputs[at]);
        }
    }
    return result;
}

std::string chain(const std::vector<const InputDesc*>& inputs, const Branches& cases) {
    std::string text;
    for (std::size_t at = 0; at + 1 < cases.size(); ++at) {
        std::string condition;
        for (std::size_t index = 0; index < inputs.size(); ++index) {
            condition += fmt::format("{}{}.dtype == {}", index == 0 ? "" : " and ", inputs[index]->name,
                                     name(cases[at].first[index]));
        }
        text += fmt::format("{} if {} else ", name(cases[at].second), condition);
    }
    return text + std::string(name(cases.back().second));
}

std::optional<std::string> type_expression(const Operator& op, const std::vector<DType>& outputs) {
    if (std::all_of(outputs.begin(), outputs.end(), [&](DType dtype) { return dtype == outputs.front(); })) {
        return std::string(name(outputs.front()));
    }
    const std::vector<const InputDesc*> inputs = deciding_inputs(op, outputs.size());
    for (const InputDesc* input : inputs) {
        if (input->types.dtypes == outputs) {
            return input->name + ".dtype";
        }
    }
    for (const InputDesc* input : inputs) {
        if (const auto cases = branches({input}, outputs)) {
            return chain({input}, *cases);
        }
    }
    if (inputs.empty()) {
        return std::nullopt;
    }
    const auto cases = branches(inputs, outputs);
    return cases ? std::optional(chain(inputs, *cases)) : std::nullopt;
}

}  // namespace

void pair_output_types(OperatorContext& context, OutputDesc& output, Position at, const expr::Scope& scope) {
    const std::size_t length = context.op.paired_length();
    if (output.type_list.empty()) {
        context.out().report("OW106", {at, 1}, "'type' is an empty list",
                             "an expression, or a list of dtypes");
        return;
    }
    if (length != 0 && length != output.type_list.size()) {
        context.out().report("OW207", {at, 1},
                             fmt::format("'{}' has {} and the inputs have {}", output.name,
                                         count_of(output.type_list.size(), "dtype"), length),
                             count_of(length, "dtype"), "lists pair up by position");
        return;
    }
    const auto text = type_expression(context.op, output.type_list);
    if (!text) {
        context.out().report(
            "OW308", {at, 1},
            fmt::format("the inputs' dtypes don't decide which of the list '{}' has", output.name),
            "an input that is always there with a list that decides it",
            "write an expression, for instance 'type: x.dtype'");
        return;
    }
    output.dtype = Expression{*text, at, nullptr};
    compile(*output.dtype, nullptr, scope, expr::Type::dtype(), context.out());
}

}  // namespace opweld::spec
