// csrc/aclnn_*.cpp: the vendor library's functions, two phases for each graph-engine type.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/cpp_types.h"
#include "codegen/expressions.h"
#include "codegen/generators.h"
#include "codegen/kernel_call.h"
#include "codegen/text.h"

namespace opweld::codegen {

namespace {

using spec::AttrDesc;
using spec::AttrKind;
using spec::InputDesc;
using spec::InputKind;
using spec::OutputDesc;
using spec::OutputKind;
using spec::expr::Flavour;

struct Argument {
    std::string parameters;  // "const aclTensor* x"
    std::string value;       // "vendor::tensor(\"x\", x, …)"
};

std::string dtype_mask(const spec::TypeSet& types) {
    std::vector<std::string> names;
    for (const spec::DType dtype : types.dtypes) {
        if (!element_type(dtype).empty()) {
            names.push_back(opweld_dtype(dtype));
        }
    }
    return fmt::format("{{{}}}", join(names));
}

Argument input_argument(const InputDesc& input, const std::string& name) {
    const bool optional = spec::is_optional(input.kind);
    const std::string tail =
        fmt::format("({}, {}, {})", cpp_string(input.name), name, dtype_mask(input.types));
    if (spec::is_list(input.kind)) {
        return {"const aclTensorList* " + name,
                (input.kind == InputKind::ListOfOptionals ? "vendor::list_of_optionals"
                 : optional                               ? "vendor::optional_list"
                                                          : "vendor::list") +
                    tail};
    }
    return {"const aclTensor* " + name, (optional ? "vendor::optional_tensor" : "vendor::tensor") + tail};
}

std::vector<Argument> attribute_arguments(const AttrDesc& attr, const std::string& name) {
    const std::string text = cpp_string(attr.name);
    const char* optional = attr.type.optional ? ", true" : "";
    if (attr.type.kind == AttrKind::Generator) {
        return {{fmt::format("int64_t {}_seed", name),
                 fmt::format("vendor::integer(\"{}_seed\", {}_seed)", attr.name, name)},
                {fmt::format("int64_t {}_offset", name),
                 fmt::format("vendor::integer(\"{}_offset\", {}_offset)", attr.name, name)}};
    }
    if (attr.type.list_depth > 0) {
        const bool floats = attr.type.kind == AttrKind::Float;
        const bool bools = attr.type.kind == AttrKind::Bool;
        std::vector<Argument> result{{fmt::format("const {}* {}",
                                                  floats  ? "aclFloatArray"
                                                  : bools ? "aclBoolArray"
                                                          : "aclIntArray",
                                                  name),
                                      fmt::format("vendor::{}({}, {}{})",
                                                  floats  ? "floats"
                                                  : bools ? "bools"
                                                          : "integers",
                                                  text, name, optional)}};
        if (attr.type.list_depth == 2) {
            result.push_back(
                {fmt::format("const aclIntArray* {}_lengths", name),
                 fmt::format("vendor::integers(\"{}_lengths\", {}_lengths{})", attr.name, name, optional)});
        }
        return result;
    }
    switch (attr.type.kind) {
        case AttrKind::Str:
            return {{"const char* " + name, fmt::format("vendor::string({}, {}{})", text, name, optional)}};
        case AttrKind::Scalar:
            return {
                {"const aclScalar* " + name, fmt::format("vendor::scalar({}, {}{})", text, name, optional)}};
        default:
            break;
    }
    std::string type = "int64_t";
    std::string maker = "integer";
    if (attr.type.kind == AttrKind::Bool) {
        type = "bool";
        maker = "boolean";
    } else if (attr.type.kind == AttrKind::Float) {
        type = "double";
        maker = "real";
    } else if (attr.type.kind == AttrKind::ScalarType) {
        type = "int32_t";
        maker = "dtype";
    }
    if (!attr.type.optional) {
        return {{fmt::format("{} {}", type, name), fmt::format("vendor::{}({}, {})", maker, text, name)}};
    }
    return {{fmt::format("bool has_{}, {} {}", name, type, name),
             fmt::format("has_{0} ? vendor::{1}({2}, {0}) : vendor::absent({2})", name, maker, text)}};
}

std::vector<Argument> output_arguments(const OperatorPlan& plan) {
    std::vector<Argument> result;
    for (const std::size_t i : plan.made_outputs()) {
        const OutputDesc& output = plan.op->outputs[i];
        const std::string& name = plan.outputs[i];
        const std::string text = cpp_string(output.name);
        if (output.kind == OutputKind::TensorList) {
            result.push_back(
                {"const aclTensorList* " + name, fmt::format("vendor::list({}, {}, {{}})", text, name)});
        } else {
            result.push_back({"const aclTensor* " + name,
                              fmt::format("vendor::{}({}, {}, {{}})",
                                          output.present ? "optional_tensor" : "tensor", text, name)});
        }
        if (is_data_dependent(output)) {
            result.push_back({fmt::format("const aclTensor* {}_shape", name),
                              fmt::format("vendor::tensor(\"{0}_shape\", {1}_shape, {{OPWELD_INT64}})",
                                          output.name, name)});
        }
    }
    return result;
}

// ---- the check of the first phase
// ----------------------------------------------------------------------------------

std::string host_input(const InputDesc& input, const std::string& name, std::size_t slot) {
    InputDesc plain = input;
    plain.mutates = false;
    return fmt::format("const auto {} = vendor::shape_of({});\n", name, kernel_read(plain, slot));
}

std::string host_attr(const AttrDesc& attr, const std::string& name, std::size_t slot) {
    if (attr.type.kind == AttrKind::ScalarType || attr.type.kind == AttrKind::Scalar) {
        return fmt::format("const auto {} = vendor::value_of({});\n", name,
                           fmt::format("{}({})", kernel_type(attr), kernel_read(attr, slot)));
    }
    return fmt::format("const {} {} = {};\n", kernel_type(attr), name, kernel_read(attr, slot));
}

std::string pairing(const OperatorPlan& plan) {
    std::string text;
    for (std::size_t i = 0; i < plan.op->inputs.size(); ++i) {
        const InputDesc& input = plan.op->inputs[i];
        if (input.types.kind == spec::TypeSet::Kind::Paired && input.types.dtypes.size() > 1) {
            InputDesc plain = input;
            plain.mutates = false;
            text += fmt::format("\n    .add({}, {}, {})", cpp_string(input.name), kernel_read(plain, i),
                                dtype_mask(input.types));
        }
    }
    return text.empty() ? "" : "vendor::PairedTypes()" + text + ";\n";
}

std::string shape_checks(const OperatorPlan& plan, const Expressions& expressions) {
    std::string text;
    std::size_t slot = 0;
    for (const std::size_t i : plan.made_outputs()) {
        const OutputDesc& output = plan.op->outputs[i];
        const std::string shape = expressions.cpp(output.shape.expression, Flavour::host);
        const std::string name = cpp_string(output.name);
        const std::string dtype = expressions.cpp(*output.dtype, Flavour::host);
        if (output.kind == OutputKind::TensorList) {
            Expressions indexed = expressions;
            indexed.rename("i", "i");
            text += fmt::format(
                "vendor::require_list({0}, reader.output_list({1}), {2}, [&]([[maybe_unused]] int64_t i) {{\n"
                "    return vendor::Expected({3}, {4});\n}});\n",
                name, slot, expressions.cpp(*output.count, Flavour::host),
                indexed.cpp(output.shape.expression, Flavour::host),
                indexed.cpp(*output.dtype, Flavour::host));
        } else if (output.present) {
            text += wrap("vendor::require_output(",
                         {name, kernel_read(output, slot), expressions.cpp(*output.present, Flavour::host),
                          shape, dtype},
                         ");\n", 8);
        } else {
            text +=
                wrap("vendor::require_output(", {name, kernel_read(output, slot), shape, dtype}, ");\n", 8);
        }
        slot += is_data_dependent(output) ? 2 : 1;
    }
    return text;
}

std::string check_function(const OperatorPlan& plan) {
    const spec::Operator& op = *plan.op;
    Expressions expressions(plan);
    std::vector<const spec::Expression*> all;
    for (const spec::Constraint& constraint : op.constraints) {
        all.push_back(&constraint.expr);
    }
    for (const std::size_t i : plan.made_outputs()) {
        for (const spec::Expression* expression : expressions_of(op.outputs[i])) {
            all.push_back(expression);
        }
    }
    const std::set<std::string> names = expressions.used(all);
    std::string body;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        if (names.contains(op.inputs[i].name)) {
            body += host_input(op.inputs[i], plan.inputs[i], i);
        }
    }
    std::size_t slot = 0;
    for (std::size_t i = 0; i < op.attrs.size(); ++i) {
        const bool known = reaches_kernel(op.attrs[i]) && op.attrs[i].type.kind != AttrKind::Generator;
        if (names.contains(op.attrs[i].name) && known) {
            body += host_attr(op.attrs[i], plan.attrs[i], slot);
        }
        slot += kernel_slots(op.attrs[i]);
    }
    body += pairing(plan);
    const auto usable = [&](const spec::Expression& expression) {
        // Device, Layout, MemoryFormat and Generator arguments are not known here.
        const std::set<std::string> used = expressions.used({&expression});
        return std::none_of(op.attrs.begin(), op.attrs.end(), [&](const AttrDesc& attr) {
            return used.contains(attr.name) &&
                   (!reaches_kernel(attr) || attr.type.kind == AttrKind::Generator);
        });
    };
    body += expressions.declare_lets(names, Flavour::host);
    for (const spec::Constraint& constraint : op.constraints) {
        if (usable(constraint.expr)) {
            body += wrap("vendor::require(",
                         {expressions.cpp(constraint.expr, Flavour::host), cpp_string(constraint.message)},
                         ");\n", 8);
        }
    }
    body += shape_checks(plan, expressions);
    std::size_t outputs = 0;
    for (const std::size_t i : plan.made_outputs()) {
        outputs += is_data_dependent(op.outputs[i]) ? 2 : 1;
    }
    return fill(
        R"(// Dtypes that go together, the spec's constraints, and whether the outputs have the shapes that it says.
int32_t check(const OpweldCall* call, char* error, size_t error_size) {
    return opweld::guarded(call, error, error_size, [](const OpweldCall& raw) {
        const opweld::CallReader reader(raw, @inputs@, @attributes@, @outputs@);
        @body@
    });
}
)",
        {{"inputs", std::to_string(op.inputs.size())},
         {"attributes", std::to_string(slot)},
         {"outputs", std::to_string(outputs)},
         {"body", body}});
}

std::string argument_table(const std::string& name, const std::vector<Argument>& arguments) {
    if (arguments.empty()) {
        return {};
    }
    std::string lines;
    for (const Argument& argument : arguments) {
        lines += fmt::format("    {},\n", argument.value);
    }
    return fmt::format("const OpweldArgument {}[] = {{\n{}}};\n", name, lines);
}

std::string table_use(const std::string& name, const std::vector<Argument>& arguments) {
    return arguments.empty() ? "nullptr, 0" : fmt::format("{}, std::size({})", name, name);
}

}  // namespace

std::vector<SourceFile> aclnn_files(const PackagePlan& plan) {
    std::vector<SourceFile> files;
    if (plan.options.target != Target::Software) {
        return files;
    }
    for (const OperatorPlan* op : plan.cpp_kernels()) {
        if (!op->calls_own_function) {
            continue;
        }
        std::vector<Argument> inputs;
        std::vector<Argument> attributes;
        for (std::size_t i = 0; i < op->op->inputs.size(); ++i) {
            inputs.push_back(input_argument(op->op->inputs[i], op->inputs[i]));
        }
        for (std::size_t i = 0; i < op->op->attrs.size(); ++i) {
            if (reaches_kernel(op->op->attrs[i])) {
                for (Argument& argument : attribute_arguments(op->op->attrs[i], op->attrs[i])) {
                    attributes.push_back(std::move(argument));
                }
            }
        }
        const std::vector<Argument> outputs = output_arguments(*op);
        std::vector<std::string> parameters;
        for (const std::vector<Argument>* list :
             {&std::as_const(inputs), &std::as_const(attributes), &outputs}) {
            for (const Argument& argument : *list) {
                parameters.push_back(argument.parameters);
            }
        }
        parameters.emplace_back("uint64_t* workspace_size");
        parameters.emplace_back("aclOpExecutor** executor");
        const std::string function = "aclnn" + op->op->ge_op;
        const std::string tables = argument_table("inputs", inputs) +
                                   argument_table("attributes", attributes) +
                                   argument_table("outputs", outputs);
        const std::string text = fill(
            R"(@banner@
#include <opweld/launch.h>
#include <opweld/vendor.hpp>

#include <cstdint>
#include <iterator>

#include "kernel_functions.h"

// @function@: what the NPU kernels of @qualified@ and its variants call.
namespace {

namespace vendor = opweld::vendor;
namespace expr = opweld::expr::host;

@check@

constexpr OpweldOperator op{OPWELD_KERNEL_ABI, 0, "@function@", @symbol@, check};

}  // namespace

extern "C" {

@signature@
    @tables@
    return opweldPrepare(&op, @uses@,
                         workspace_size, executor);
}

@second@
    return opweldLaunch(workspace, workspace_size, executor, stream);
}

}  // extern "C"
)",
            {{"banner", banner(plan, "//")},
             {"function", function},
             {"qualified", op->qualified},
             {"check", check_function(*op)},
             {"symbol", kernel_symbol(*op, plan.package->name)},
             {"signature", wrap(fmt::format("OPWELD_VENDOR_EXPORT int32_t {}GetWorkspaceSize(", function),
                                parameters, ") {")},
             {"second",
              wrap(fmt::format("OPWELD_VENDOR_EXPORT int32_t {}(", function),
                   {"void* workspace", "uint64_t workspace_size", "aclOpExecutor* executor", "void* stream"},
                   ") {")},
             {"tables", tables},
             {"uses", table_use("inputs", inputs) + ", " + table_use("attributes", attributes) + ", " +
                          table_use("outputs", outputs)}});
        files.push_back({"csrc/aclnn_" + snake_case(op->op->ge_op) + ".cpp", text});
    }
    return files;
}

}  // namespace opweld::codegen
