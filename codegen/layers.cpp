// The kernels of an operator between autograd and the device: autocast, vmap, functionalization,
// BackendSelect.

#include <fmt/format.h>

#include <algorithm>

#include "codegen/cpp_types.h"
#include "codegen/expressions.h"
#include "codegen/generators.h"
#include "codegen/text.h"

namespace opweld::codegen {

using spec::InputKind;
using spec::OutputDesc;
using spec::OutputKind;

namespace {

std::string signature(const OperatorPlan& plan, const std::string& suffix,
                      const std::vector<std::string>& first_parameters = {}) {
    std::vector<std::string> parameters = first_parameters;
    for (const std::string& item : plan.parameter_items()) {
        parameters.push_back(item);
    }
    return wrap(fmt::format("{} {}_{}(", return_type(*plan.op), plan.name, suffix), parameters, ") {\n");
}

// The arguments with what `replace` makes of the tensor ones.
template <typename Replace>
std::vector<std::string> arguments_with(const OperatorPlan& plan, const Replace& replace) {
    std::vector<std::string> arguments;
    for (const Parameter& parameter : plan.parameters) {
        arguments.push_back(parameter.input != nullptr ? replace(parameter) : parameter.cpp);
    }
    return arguments;
}

}  // namespace

std::string autocast_kernels(const OperatorPlan& plan) {
    const spec::Autocast rule = plan.op->autocast;
    if (rule == spec::Autocast::None || !plan.op->has_tensor_argument()) {
        return {};
    }
    const std::vector<std::string> casts = arguments_with(plan, [](const Parameter& parameter) {
        // What an operator writes into must stay the caller's tensor.
        return parameter.input->mutates ? parameter.cpp : fmt::format("cast({})", parameter.cpp);
    });
    std::string type;
    std::string statements;
    switch (rule) {
        case spec::Autocast::Lower:
            type = "at::autocast::get_autocast_dtype(device)";
            break;
        case spec::Autocast::Fp32:
            type = "at::kFloat";
            break;
        default: {
            std::vector<std::string> inputs;
            for (const Parameter& parameter : plan.parameters) {
                if (parameter.input != nullptr) {
                    inputs.push_back(parameter.cpp);
                }
            }
            type = wrap("support::widest_type(at::autocast::get_autocast_dtype(device), ", inputs, ")", 8);
            break;
        }
    }
    return fill(R"(template <c10::DeviceType device>
@signature@
    const c10::impl::ExcludeDispatchKeyGuard guard(support::autocast_keys(device));
    const support::AutocastTo cast(@type@, device);
    @call@
}
)",
                {{"signature", signature(plan, "autocast")},
                 {"type", type},
                 {"call", wrap(fmt::format("return {}_handle().call(", plan.name), casts, ");\n", 4)}});
}

std::string batching_kernel(const OperatorPlan& plan) {
    if (plan.op->batching.empty() || plan.mutates()) {
        return {};
    }
    const auto dim_of = [&](const Parameter& parameter) -> const spec::BatchedInput* {
        for (const spec::BatchedInput& batched : plan.op->batching) {
            if (&plan.op->inputs[batched.input] == parameter.input) {
                return &batched;
            }
        }
        return nullptr;
    };
    std::string unwraps;
    std::vector<std::string> conditions;
    std::vector<std::string> sizes;
    for (const Parameter& parameter : plan.parameters) {
        if (parameter.input == nullptr) {
            continue;
        }
        if (spec::is_list(parameter.input->kind)) {
            unwraps += fmt::format("batch.refuse_batched({}, {});\n",
                                   cpp_string(plan.qualified + ": " + parameter.input->name), parameter.cpp);
            continue;
        }
        unwraps += fmt::format("const auto [{0}_value, {0}_dim] = batch.unwrap({0});\n", parameter.cpp);
        conditions.push_back(
            fmt::format("{}{}_dim.has_value()", dim_of(parameter) != nullptr ? "" : "!", parameter.cpp));
    }
    const auto value = [](const Parameter& parameter, const std::string& text) {
        return parameter.input->kind == InputKind::OptionalTensor
                   ? fmt::format("support::optional_tensor({})", text)
                   : text;
    };
    const std::vector<std::string> whole = arguments_with(plan, [&](const Parameter& parameter) {
        if (spec::is_list(parameter.input->kind)) {
            return parameter.cpp;
        }
        const spec::BatchedInput* batched = dim_of(parameter);
        const std::string text = parameter.cpp + "_value";
        return value(parameter, batched != nullptr ? fmt::format("{0}.movedim(*{1}_dim, {2})", text,
                                                                 parameter.cpp, batched->dim)
                                                   : text);
    });
    const std::vector<std::string> part = arguments_with(plan, [&](const Parameter& parameter) {
        return spec::is_list(parameter.input->kind)
                   ? parameter.cpp
                   : value(parameter, fmt::format("batch.part({0}_value, {0}_dim, i)", parameter.cpp));
    });
    const std::int64_t out_dim = plan.op->batching.front().dim;
    return fill(
        R"(// All examples in one call where exactly the inputs of the spec's `batching` are batched, else one after the other.
@signature@
    const support::BatchedCall batch;
    @unwraps@
    if (@conditions@) {
        @whole@
    }
    return batch.each<@type@>([&](int64_t i) {
        @part@
    });
}
)",
        {{"signature", signature(plan, "batched")},
         {"unwraps", unwraps},
         {"conditions", join(conditions, " && ")},
         {"type", return_type(*plan.op)},
         {"whole", wrap(fmt::format("return batch.wrap({}_handle().call(", plan.name), whole,
                        fmt::format("), {});\n", out_dim), 8)},
         {"part", wrap(fmt::format("return {}_handle().call(", plan.name), part, ");\n", 8)}});
}

std::string functionalize_kernel(const OperatorPlan& plan) {
    if (!plan.mutates()) {
        return {};
    }
    std::string sync;
    std::string clones;
    std::string commits;
    for (const Parameter& parameter : plan.parameters) {
        if (parameter.input == nullptr) {
            continue;
        }
        sync += fmt::format("const auto {0}_value = support::functional_value({0});\n", parameter.cpp);
        if (parameter.input->mutates) {
            clones += fmt::format("const auto {0}_new = support::clone({0}_value);\n", parameter.cpp);
            commits += fmt::format("support::commit({0}, {0}_new);\n", parameter.cpp);
        }
    }
    const std::vector<std::string> arguments = arguments_with(plan, [](const Parameter& parameter) {
        return parameter.cpp + (parameter.input->mutates ? "_new" : "_value");
    });
    std::string results;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
        const OutputDesc& output = plan.op->outputs[i];
        if (output.alias_of) {
            const bool list = output.kind == OutputKind::TensorList;
            const bool optional = plan.op->inputs[*output.alias_of].kind == InputKind::OptionalTensor;
            const std::string& source = plan.inputs[*output.alias_of];
            names.push_back(list       ? source + ".vec()"
                            : optional ? source + ".value_or(at::Tensor())"
                                       : source);
        } else {
            names.push_back(output.is_tensor() ? fmt::format("support::to_functional({})", plan.outputs[i])
                                               : plan.outputs[i]);
        }
    }
    const bool uses_results = std::any_of(plan.op->outputs.begin(), plan.op->outputs.end(),
                                          [](const OutputDesc& output) { return !output.alias_of; });
    std::string call = fmt::format("{}_handle().call(", plan.name);
    if (uses_results) {
        std::vector<std::string> targets;
        for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
            targets.push_back(plan.outputs[i] + (plan.op->outputs[i].alias_of ? "_alias" : ""));
        }
        call = targets.size() == 1
                   ? fmt::format("const auto {} = {}", targets[0], call)
                   : fmt::format("[[maybe_unused]] const auto [{}] = {}", join(targets), call);
    }
    const std::string last = names.empty()       ? ""
                             : names.size() == 1 ? fmt::format("return {};\n", names[0])
                                                 : fmt::format("return {{{}}};\n", join(names));
    return fill(
        R"(// Functionalization: the operator works on copies, which then take the place of the tensors it writes into.
@signature@
    @sync@
    @clones@
    {
        const at::AutoDispatchSkipFunctionalize guard;
        @call@
        @commits@
        @last@
    }
}
)",
        {{"signature", signature(plan, "functionalize")},
         {"sync", sync},
         {"clones", ""},
         {"call", clones + wrap(call, arguments, ");\n", 8)},
         {"commits", commits},
         {"last", last}});
}

std::string backend_select_kernel(const OperatorPlan& plan) {
    if (plan.op->has_tensor_argument()) {
        return {};
    }
    std::string device = "at::Device(at::kCPU)";
    for (const Parameter& parameter : plan.parameters) {
        if (parameter.attr != nullptr && parameter.attr->type.kind == spec::AttrKind::Device &&
            parameter.attr->type.list_depth == 0) {
            device = parameter.attr->type.optional ? parameter.cpp + ".value_or(at::Device(at::kCPU))"
                                                   : parameter.cpp;
        }
    }
    std::vector<std::string> arguments{fmt::format("support::backend_keys({})", device)};
    for (const std::string& name : plan.parameter_names()) {
        arguments.push_back(name);
    }
    return fill(
        R"(@signature@
    @call@
}
)",
        {{"signature", signature(plan, "backend_select")},
         {"call", wrap(fmt::format("return {}_handle().redispatch(", plan.name), arguments, ");\n", 4)}});
}

}  // namespace opweld::codegen
