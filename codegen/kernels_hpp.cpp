// csrc/<package>_kernels.hpp, which hand-written kernels implement, and csrc/kernels.cpp, which makes C
// functions of them.

#include <fmt/format.h>

#include "codegen/cpp_types.h"
#include "codegen/generators.h"
#include "codegen/kernel_call.h"
#include "codegen/text.h"

namespace opweld::codegen {

namespace {

std::string comment(const std::string& text) {
    return text.empty() ? "" : paragraph(text, "// ", line_limit - 4);
}

// A member of the argument struct: only names of namespaces that follow in it can't be used.
std::string field_name(const std::string& name) {
    return name == "std" || name == "opweld" ? name + "_" : name;
}

std::string member(const std::string& type, const std::string& name, const std::string& doc) {
    return comment(doc) + fmt::format("{} {};\n", type, name);
}

std::string members(const OperatorPlan& plan) {
    const spec::Operator& op = *plan.op;
    std::string text;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        text += member(kernel_type(op.inputs[i]), field_name(op.inputs[i].name), op.inputs[i].doc);
    }
    for (std::size_t i = 0; i < op.attrs.size(); ++i) {
        if (reaches_kernel(op.attrs[i])) {
            text += member(kernel_type(op.attrs[i]), field_name(op.attrs[i].name), op.attrs[i].doc);
        }
    }
    for (const std::size_t i : plan.made_outputs()) {
        text += member(kernel_type(op.outputs[i]), field_name(op.outputs[i].name), op.outputs[i].doc);
        if (is_data_dependent(op.outputs[i])) {
            text += member(
                "opweld::MutableTensorView", op.outputs[i].name + "_shape",
                fmt::format("int64, one entry per dimension: the kernel writes here what it used of {}",
                            plan.outputs[i]));
        }
    }
    return text;
}

// using x_types = opweld::TypeList<float, opweld::Half>;
std::string type_lists(const OperatorPlan& plan) {
    std::string text;
    for (std::size_t i = 0; i < plan.op->inputs.size(); ++i) {
        std::vector<std::string> types;
        for (const spec::DType dtype : plan.op->inputs[i].types.dtypes) {
            if (const std::string type = element_type(dtype); !type.empty()) {
                types.push_back(type);
            }
        }
        if (!types.empty()) {
            text += wrap(fmt::format("using {}_types = opweld::TypeList<", plan.op->inputs[i].name), types,
                         ">;\n", 4);
        }
    }
    return text.empty() ? "" : "\n// The element types that dispatch() must cover.\n" + text;
}

std::string declaration(const OperatorPlan& plan) {
    const std::string name = kernel_name(plan);
    std::string doc = comment(plan.op->doc);
    return fill(R"(// ---- @qualified@ ----
@doc@
struct @name@Args {
    @members@
    @types@
};

// Implemented in @source@.
void @function@(const @name@Args& args);
)",
                {{"qualified", plan.qualified},
                 {"doc", doc},
                 {"name", plan.op->ge_op},
                 {"members", members(plan)},
                 {"types", type_lists(plan)},
                 {"source", plan.cpp->source},
                 {"function", name}});
}

std::string adapter(const OperatorPlan& plan, const std::string& package) {
    const spec::Operator& op = *plan.op;
    std::vector<std::string> fields;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        fields.push_back(
            fmt::format(".{} = {}", field_name(op.inputs[i].name), kernel_read(op.inputs[i], i)));
    }
    std::size_t slot = 0;
    for (std::size_t i = 0; i < op.attrs.size(); ++i) {
        if (reaches_kernel(op.attrs[i])) {
            fields.push_back(
                fmt::format(".{} = {}", field_name(op.attrs[i].name), kernel_read(op.attrs[i], slot)));
            slot += kernel_slots(op.attrs[i]);
        }
    }
    const std::size_t attribute_count = slot;
    slot = 0;
    for (const std::size_t i : plan.made_outputs()) {
        fields.push_back(
            fmt::format(".{} = {}", field_name(op.outputs[i].name), kernel_read(op.outputs[i], slot++)));
        if (is_data_dependent(op.outputs[i])) {
            fields.push_back(fmt::format(".{}_shape = reader.output({})", op.outputs[i].name, slot++));
        }
    }
    return fill(R"(int32_t @symbol@(const OpweldCall* call, char* error, size_t error_size) {
    return opweld::guarded(call, error, error_size, [](const OpweldCall& raw) {
        const opweld::CallReader reader(raw, @inputs@, @attributes@, @outputs@);
        @package@::@function@({
            @fields@
        });
    });
}
)",
                {{"symbol", kernel_symbol(plan, package)},
                 {"package", package},
                 {"function", kernel_name(plan)},
                 {"inputs", std::to_string(op.inputs.size())},
                 {"attributes", std::to_string(attribute_count)},
                 {"outputs", std::to_string(slot)},
                 {"fields", join(fields, ",\n") + ","}});
}

}  // namespace

std::vector<SourceFile> kernel_interface(const PackagePlan& plan) {
    if (plan.cpp_kernels().empty()) {
        return {};
    }
    const std::string& package = plan.package->name;
    std::string declarations;
    std::string symbols;
    std::string adapters;
    for (const OperatorPlan* op : plan.cpp_kernels()) {
        declarations += declaration(*op) + "\n";
        symbols += fmt::format("int32_t {}(const OpweldCall* call, char* error, size_t error_size);\n",
                               kernel_symbol(*op, package));
        adapters += adapter(*op, package) + "\n";
    }
    const std::string header =
        fill(R"(@banner@
#pragma once

#include <opweld/kernel.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

// What the kernels of this package are given, and the functions that hand-written files implement. A kernel runs on CPU
// tensors and on the software NPU alike; it reports a fault by throwing a std::exception, and may be called from any
// thread.
namespace @package@ {

@declarations@

}  // namespace @package@
)",
             {{"banner", banner(plan, "//")}, {"package", package}, {"declarations", declarations}});
    const std::string functions = fill(R"(@banner@
#pragma once

#include <opweld/kernel.h>

// The kernels as C functions: for PyTorch's CPU device and for the vendor library.
extern "C" {
@symbols@
}
)",
                                       {{"banner", banner(plan, "//")}, {"symbols", symbols}});
    const std::string source =
        fill(R"(@banner@
#include "kernel_functions.h"

#include "@package@_kernels.hpp"

@adapters@
)",
             {{"banner", banner(plan, "//")}, {"package", package}, {"adapters", adapters}});
    return {{"csrc/" + package + "_kernels.hpp", header},
            {"csrc/kernel_functions.h", functions},
            {"csrc/kernels.cpp", source}};
}

}  // namespace opweld::codegen
