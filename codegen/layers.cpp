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
    if (rule == spec::Autocast::None || !plan.op->has_tensor_argument() || plan.is_view()) {
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
    if (plan.op->batching.empty() || plan.mutates() || plan.is_view()) {
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
        unwraps += fmt::format("const auto {0}_batch = batch.unwrap({0});\n", parameter.cpp);
        conditions.push_back(fmt::format("{}{}_batch.dim.has_value()",
                                         dim_of(parameter) != nullptr ? "" : "!", parameter.cpp));
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
        const std::string text = parameter.cpp + "_batch.value";
        return value(parameter, batched != nullptr ? fmt::format("{0}.movedim(*{1}_batch.dim, {2})", text,
                                                                 parameter.cpp, batched->dim)
                                                   : text);
    });
    const std::vector<std::string> part = arguments_with(plan, [&](const Parameter& parameter) {
        return spec::is_list(parameter.input->kind)
                   ? parameter.cpp
                   : value(parameter, fmt::format("batch.part({}_batch, i)", parameter.cpp));
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

// ---- functionalization
// ---------------------------------------------------------------------------------------------

std::string functional_name(const OperatorPlan& plan) {
    const std::string base =
        plan.op->name.ends_with('_') ? plan.op->name.substr(0, plan.op->name.size() - 1) : plan.op->name;
    return base + "_functional";
}

namespace {

// Inputs that the operator writes into, as arguments of it.
std::vector<const Parameter*> mutated_parameters(const OperatorPlan& plan) {
    std::vector<const Parameter*> result;
    for (const Parameter& parameter : plan.parameters) {
        if (parameter.input != nullptr && parameter.input->mutates) {
            result.push_back(&parameter);
        }
    }
    return result;
}

std::vector<std::size_t> own_outputs(const OperatorPlan& plan) {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
        if (!plan.op->outputs[i].alias_of) {
            result.push_back(i);
        }
    }
    return result;
}

std::string functional_return_type(const OperatorPlan& plan) {
    std::vector<std::string> types;
    for (const Parameter* parameter : mutated_parameters(plan)) {
        types.emplace_back(spec::is_list(parameter->input->kind) ? "std::vector<at::Tensor>" : "at::Tensor");
    }
    for (const std::size_t i : own_outputs(plan)) {
        types.push_back(result_type(plan.op->outputs[i]));
    }
    return types.size() == 1 ? types.front() : fmt::format("std::tuple<{}>", join(types));
}

}  // namespace

std::string functional_schema(const OperatorPlan& plan) {
    // The arguments as they stand, without the marks of mutation.
    const std::string& schema = plan.op->schema;
    const std::size_t open = schema.find('(');
    const std::size_t close = schema.rfind(") ->");
    std::string arguments;
    for (std::size_t i = open + 1; i < close; ++i) {
        const bool mark = schema[i] == '(' && schema.compare(i - 6, 6, "Tensor") == 0;
        if (mark) {
            i = schema.find(')', i);
        } else {
            arguments += schema[i];
        }
    }
    std::vector<std::string> results;
    for (const Parameter* parameter : mutated_parameters(plan)) {
        results.emplace_back(spec::is_list(parameter->input->kind) ? "Tensor[]" : "Tensor");
    }
    for (const std::size_t i : own_outputs(plan)) {
        results.push_back(spec::schema_type(plan.op->outputs[i], *plan.op));
    }
    return fmt::format("{}{}({}) -> {}", functional_name(plan),
                       plan.op->overload.empty() ? "" : "." + plan.op->overload, arguments,
                       results.size() == 1 ? results.front() : "(" + join(results) + ")");
}

std::string functionalize_kernel(const OperatorPlan& plan) {
    if (!plan.returns_mutated()) {
        return {};
    }
    std::string copies;
    std::string values;
    std::string commits;
    std::vector<std::string> results;
    const std::vector<const Parameter*> mutated = mutated_parameters(plan);
    for (const Parameter* parameter : mutated) {
        copies += fmt::format("const auto {0}_new = support::copy_of({0});\n", parameter->cpp);
        results.push_back(fmt::format("support::as_result({}_new)", parameter->cpp));
    }
    for (const Parameter& parameter : plan.parameters) {
        if (parameter.input != nullptr) {
            values += fmt::format("const auto {0}_value = support::functional_value({0});\n", parameter.cpp);
        }
    }
    const std::vector<std::size_t> own = own_outputs(plan);
    const bool tuple = mutated.size() + own.size() > 1;
    const auto result = [&](std::size_t position) {
        return tuple ? fmt::format("std::get<{}>(results)", position) : std::string("results");
    };
    std::vector<std::string> returns(plan.outputs.size());
    for (std::size_t k = 0; k < mutated.size(); ++k) {
        commits += fmt::format("support::commit({}, {});\n", mutated[k]->cpp, result(k));
    }
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
        const OutputDesc& output = plan.op->outputs[i];
        if (output.alias_of) {
            const std::string& source = plan.inputs[*output.alias_of];
            const bool optional = plan.op->inputs[*output.alias_of].kind == InputKind::OptionalTensor;
            returns[i] = output.kind == OutputKind::TensorList ? source + ".vec()"
                         : optional                            ? source + ".value_or(at::Tensor())"
                                                               : source;
        }
    }
    std::vector<std::string> own_names;
    for (std::size_t k = 0; k < own.size(); ++k) {
        const bool tensor = plan.op->outputs[own[k]].is_tensor();
        const std::string value = result(mutated.size() + k);
        returns[own[k]] = tensor ? fmt::format("support::to_functional({})", value) : value;
        results.push_back(plan.outputs[own[k]]);
    }
    const std::vector<std::string> copied = arguments_with(plan, [](const Parameter& parameter) {
        return parameter.cpp + (parameter.input->mutates ? "_new" : "");
    });
    const std::vector<std::string> plain =
        arguments_with(plan, [](const Parameter& parameter) { return parameter.cpp + "_value"; });
    std::vector<std::string> targets;
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
        targets.push_back(plan.outputs[i] + (plan.op->outputs[i].alias_of ? "_alias" : ""));
    }
    const std::string call = fmt::format("{}_handle().call(", plan.name);
    std::string run = wrap(own.empty() ? call
                           : targets.size() == 1
                               ? fmt::format("const auto {} = {}", targets[0], call)
                               : fmt::format("[[maybe_unused]] const auto [{}] = {}", join(targets), call),
                           copied, ");\n", 4);
    std::vector<std::string> types;
    for (const Parameter& parameter : plan.parameters) {
        types.push_back(parameter.type);
    }
    return fill(R"(// The operator without its mutation: it works on copies and returns them.
@functional_signature@
    @copies@
    @run@
    return @results@;
}

@alias@

@signature@
    static const auto op = support::find_operator<@camel@FunctionalSignature>(@functional@, @overload@);
    @values@
    const auto results = [&] {
        const at::AutoDispatchSkipFunctionalize guard;
        @call@
    }();
    @commits@
    return @returns@;
}
)",
                {{"functional_signature",
                  wrap(fmt::format("{} {}_functional(", functional_return_type(plan), plan.name),
                       plan.parameter_items(), ") {")},
                 {"copies", copies},
                 {"run", run},
                 {"results", results.size() == 1 ? results.front() : "{" + join(results) + "}"},
                 {"alias", wrap(fmt::format("using {}FunctionalSignature = {}(", plan.camel,
                                            functional_return_type(plan)),
                                types, ");")},
                 {"signature", signature(plan, "functionalize")},
                 {"camel", plan.camel},
                 {"functional", cpp_string(plan.op->ns + "::" + functional_name(plan))},
                 {"overload", cpp_string(plan.op->overload)},
                 {"values", values},
                 {"call", wrap("return op.call(", plain, ");", 8)},
                 {"commits", commits},
                 {"returns", returns.size() == 1 ? returns.front() : "{" + join(returns) + "}"}});
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
