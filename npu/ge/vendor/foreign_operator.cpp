#include "npu/ge/vendor/foreign_operator.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>

#include "npu/ge/prototypes/instance.h"
#include "npu/ge/prototypes/registry.h"
#include "npu/ge/vendor/aclnn_call.h"

namespace opweld::npu::graph {
namespace {

namespace prototypes = opweld::npu::prototypes;

struct Foreign : Operator {
    const prototypes::Prototype* prototype = nullptr;
    AclnnFunction function;
    std::vector<InputSpec> input_specs;
    std::vector<OutputSpec> output_specs;
    std::vector<AttributeSpec> attribute_specs;
};

const Foreign& foreign(const Call& call) { return static_cast<const Foreign&>(call.op()); }

InputKind input_kind(prototypes::PortKind kind) {
    switch (kind) {
        case prototypes::PortKind::kOptional:
            return InputKind::optional;
        case prototypes::PortKind::kDynamic:
            return InputKind::dynamic;
        default:
            return InputKind::required;
    }
}

AttributeKind attribute_kind(const prototypes::Attribute& attribute, const std::string& type) {
    constexpr std::array<std::pair<std::string_view, AttributeKind>, 9> kKinds{{
        {"VT_INT", AttributeKind::integer},
        {"VT_FLOAT", AttributeKind::real},
        {"VT_BOOL", AttributeKind::boolean},
        {"VT_STRING", AttributeKind::text},
        {"VT_DATA_TYPE", AttributeKind::dtype},
        {"VT_LIST_INT", AttributeKind::integers},
        {"VT_LIST_FLOAT", AttributeKind::reals},
        {"VT_LIST_BOOL", AttributeKind::booleans},
        {"VT_LIST_LIST_INT", AttributeKind::nested_integers},
    }};
    const auto* found = std::ranges::find(kKinds, attribute.type, &decltype(kKinds)::value_type::first);
    if (found == kKinds.end()) {
        throw GraphError(
            fmt::format("operator type {}: attribute '{}' of type {} is not supported in vendor packages",
                        type, attribute.name, attribute.type));
    }
    return found->second;
}

// A prototype's default as an attribute of a graph.
Attribute to_attribute(const prototypes::AttributeValue& value) {
    return std::visit(
        [](const auto& held) -> Attribute {
            using T = std::remove_cvref_t<decltype(held)>;
            if constexpr (std::is_same_v<T, ::ge::DataType>) {
                return DataType{static_cast<int32_t>(held)};
            } else if constexpr (std::is_constructible_v<Attribute, T> &&
                                 !std::is_same_v<T, std::monostate>) {
                return Attribute(held);
            } else {
                return {};
            }
        },
        value);
}

prototypes::AttributeValue from_attribute(const Attribute& value) {
    return std::visit(
        [](const auto& held) -> prototypes::AttributeValue {
            using T = std::remove_cvref_t<decltype(held)>;
            if constexpr (std::is_same_v<T, DataType>) {
                return static_cast<::ge::DataType>(held.number);
            } else if constexpr (std::is_same_v<T, Constant> || std::is_same_v<T, std::vector<DataType>>) {
                return {};
            } else {
                return held;
            }
        },
        value);
}

// A model does not tell what an empty list is a list of.
Attribute empty_list(const std::string& type) {
    if (type == "VT_LIST_FLOAT") {
        return std::vector<float>();
    }
    if (type == "VT_LIST_BOOL") {
        return std::vector<bool>();
    }
    if (type == "VT_LIST_LIST_INT") {
        return std::vector<std::vector<int64_t>>();
    }
    return std::vector<int64_t>();
}

// The node's attributes with the defaults of those that it leaves out.
Attribute attribute_value(const Call& call, size_t index) {
    const prototypes::Attribute& declared = foreign(call).prototype->attributes[index];
    const auto given = call.node().attributes.find(declared.name);
    if (given == call.node().attributes.end()) {
        return to_attribute(declared.default_value);
    }
    if (const auto* number = std::get_if<int64_t>(&given->second);
        number != nullptr && declared.type == "VT_DATA_TYPE") {
        return DataType{static_cast<int32_t>(*number)};
    }
    if (const auto* list = std::get_if<std::vector<int64_t>>(&given->second);
        list != nullptr && list->empty()) {
        return empty_list(declared.type);
    }
    return given->second;
}

::ge::TensorDesc description(const at::Tensor& tensor) {
    return ::ge::TensorDesc(::ge::Shape(tensor.sizes().vec()), ::ge::FORMAT_ND,
                            static_cast<::ge::DataType>(dtype_number(tensor.scalar_type()).number));
}

prototypes::Instance instance_of(const Call& call) {
    const prototypes::Prototype& prototype = *foreign(call).prototype;
    prototypes::Instance instance{
        .name = call.node().name, .inputs = {}, .attributes = {}, .dynamic_outputs = {}};
    for (size_t i = 0; i < prototype.inputs.size(); ++i) {
        const bool dynamic = prototype.inputs[i].kind == prototypes::PortKind::kDynamic;
        const Argument& argument = call.arguments()[i];
        for (size_t k = 0; k < argument.tensors.size(); ++k) {
            prototypes::InstanceInput input{
                .name = prototype.inputs[i].name + (dynamic ? std::to_string(k) : ""),
                .desc = description(argument.tensors[k]),
                .constant = std::nullopt};
            if (k < argument.values.size() && argument.values[k].defined()) {
                const at::Tensor value = argument.values[k].contiguous();
                input.constant.emplace(input.desc, static_cast<const uint8_t*>(value.const_data_ptr()),
                                       value.nbytes());
            }
            instance.inputs.push_back(std::move(input));
        }
    }
    for (size_t i = 0; i < prototype.attributes.size(); ++i) {
        instance.attributes[prototype.attributes[i].name] = from_attribute(attribute_value(call, i));
    }
    for (const prototypes::Port& output : prototype.outputs) {
        if (output.kind == prototypes::PortKind::kDynamic) {
            instance.dynamic_outputs[output.name] =
                static_cast<int>(std::ranges::count_if(call.node().outputs, [&](const TensorInfo& info) {
                    return info.name.starts_with(output.name) &&
                           info.name.find_first_not_of("0123456789", output.name.size()) == std::string::npos;
                }));
        }
    }
    return instance;
}

// The input that an output of the same name is: the operator writes into it.
std::optional<size_t> mutated_input(const prototypes::Prototype& prototype, const prototypes::Port& output) {
    const auto found = std::ranges::find(prototype.inputs, output.name, &prototypes::Port::name);
    return found == prototype.inputs.end()
               ? std::nullopt
               : std::optional(static_cast<size_t>(found - prototype.inputs.begin()));
}

// InferShape's word for an output that this operator does not have.
bool is_absent(const ::ge::TensorDesc& desc) { return desc.GetDataType() == ::ge::DT_UNDEFINED; }

Results infer_foreign(Call& call) {
    const prototypes::Prototype& prototype = *foreign(call).prototype;
    Results results;
    for (const ::ge::TensorDesc& desc : prototypes::infer(prototype, instance_of(call))) {
        if (results.size() < prototype.outputs.size()) {
            if (const auto input = mutated_input(prototype, prototype.outputs[results.size()])) {
                results.push_back(call.tensor(*input));
                continue;
            }
        }
        if (is_absent(desc)) {
            results.push_back(meta_tensor(at::kFloat, {0}));
            continue;
        }
        const std::vector<int64_t> shape = desc.GetShape().GetDims();
        if (std::ranges::any_of(shape, [](int64_t size) { return size < 0; })) {
            throw ValueUnknown(fmt::format("node '{}' of type {}: InferShape leaves the shape {} open",
                                           call.node().name, call.node().type, shape_text(shape)),
                               {});
        }
        results.push_back(meta_tensor(dtype_of(static_cast<int64_t>(desc.GetDataType())), shape));
    }
    return results;
}

// Functions take a list of lists as all its numbers and the lists' lengths.
void add_nested(const std::vector<std::vector<int64_t>>& lists, std::vector<AclnnArgument>& arguments) {
    std::vector<int64_t> numbers;
    std::vector<int64_t> lengths;
    for (const std::vector<int64_t>& list : lists) {
        numbers.insert(numbers.end(), list.begin(), list.end());
        lengths.push_back(static_cast<int64_t>(list.size()));
    }
    arguments.emplace_back(std::move(numbers));
    arguments.emplace_back(std::move(lengths));
}

void add_attribute(const Call& call, size_t index, std::vector<AclnnArgument>& arguments) {
    const Attribute value = attribute_value(call, index);
    std::visit(
        [&](const auto& held) {
            using T = std::remove_cvref_t<decltype(held)>;
            if constexpr (std::is_same_v<T, float>) {
                arguments.emplace_back(static_cast<double>(held));
            } else if constexpr (std::is_same_v<T, DataType>) {
                arguments.emplace_back(held.number);
            } else if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, bool> ||
                                 std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<int64_t>> ||
                                 std::is_same_v<T, std::vector<float>> ||
                                 std::is_same_v<T, std::vector<bool>>) {
                arguments.emplace_back(held);
            } else if constexpr (std::is_same_v<T, std::vector<std::vector<int64_t>>>) {
                add_nested(held, arguments);
            } else {
                call.refuse(fmt::format("attribute '{}' cannot be passed to {}",
                                        foreign(call).prototype->attributes[index].name,
                                        foreign(call).function.name));
            }
        },
        value);
}

// A number of any dtype is two attributes of a prototype, `x_dtype` and `x`, and one argument of a function.
bool is_scalar(const prototypes::Prototype& prototype, size_t index) {
    const auto& attributes = prototype.attributes;
    return index + 1 < attributes.size() && attributes[index].type == "VT_DATA_TYPE" &&
           attributes[index + 1].type == "VT_FLOAT" &&
           attributes[index].name == attributes[index + 1].name + "_dtype";
}

void add_scalar(const Call& call, size_t index, std::vector<AclnnArgument>& arguments) {
    const Attribute dtype = attribute_value(call, index);
    const Attribute value = attribute_value(call, index + 1);
    if (!std::holds_alternative<DataType>(dtype) || !std::holds_alternative<float>(value)) {
        call.refuse(
            fmt::format("attribute '{}' is no number", foreign(call).prototype->attributes[index + 1].name));
    }
    const at::ScalarType type = dtype_of(std::get<DataType>(dtype).number);
    const auto number = static_cast<double>(std::get<float>(value));
    if (type == at::kBool) {
        arguments.emplace_back(at::Scalar(number != 0));
    } else if (at::isIntegralType(type, false)) {
        arguments.emplace_back(at::Scalar(static_cast<int64_t>(number)));
    } else {
        arguments.emplace_back(at::Scalar(number));
    }
}

// Which outputs the operator does not have; none where all have elements.
std::vector<bool> absent_outputs(const Call& call, std::span<const at::Tensor> outputs) {
    std::vector<bool> absent(outputs.size());
    if (std::ranges::any_of(outputs, [](const at::Tensor& output) { return output.numel() == 0; })) {
        const auto descs = prototypes::infer(*foreign(call).prototype, instance_of(call));
        std::transform(descs.begin(), descs.end(), absent.begin(), is_absent);
    }
    return absent;
}

// Whether an attribute says that the next one, `x` or `x_dtype`, counts, and functions take no such flag:
// they take a null pointer for what does not.
bool is_flag_of_pointer(const prototypes::Prototype& prototype, size_t index) {
    const auto& attributes = prototype.attributes;
    if (index + 1 >= attributes.size() || attributes[index].type != "VT_BOOL") {
        return false;
    }
    const bool scalar = is_scalar(prototype, index + 1);
    const prototypes::Attribute& value = attributes[index + (scalar ? 2 : 1)];
    return attributes[index].name == "has_" + value.name &&
           (scalar || value.type == "VT_STRING" || value.type.starts_with("VT_LIST"));
}

// Appends what the function takes for one attribute or for those that belong together; returns how many these
// are.
size_t add_attributes(const Call& call, size_t index, std::vector<AclnnArgument>& arguments) {
    const prototypes::Prototype& prototype = *foreign(call).prototype;
    if (is_flag_of_pointer(prototype, index)) {
        const Attribute flag = attribute_value(call, index);
        if (const bool* there = std::get_if<bool>(&flag); there != nullptr && !*there) {
            const bool nested = prototype.attributes[index + 1].type.starts_with("VT_LIST_LIST");
            arguments.insert(arguments.end(), nested ? 2 : 1, std::optional<at::Tensor>());
            return is_scalar(prototype, index + 1) ? 3 : 2;
        }
        return 1 + add_attributes(call, index + 1, arguments);
    }
    if (is_scalar(prototype, index)) {
        add_scalar(call, index, arguments);
        return 2;
    }
    add_attribute(call, index, arguments);
    return 1;
}

void write_foreign(Call& call, std::span<at::Tensor> outputs) {
    const prototypes::Prototype& prototype = *foreign(call).prototype;
    std::vector<AclnnArgument> arguments;
    for (size_t i = 0; i < prototype.inputs.size(); ++i) {
        if (prototype.inputs[i].kind == prototypes::PortKind::kDynamic) {
            arguments.emplace_back(call.tensors(i));
        } else {
            arguments.emplace_back(call.optional_tensor(i));
        }
    }
    for (size_t i = 0; i < prototype.attributes.size();) {
        i += add_attributes(call, i, arguments);
    }
    const std::vector<bool> absent = absent_outputs(call, outputs);
    size_t next = 0;
    for (const prototypes::Port& output : prototype.outputs) {
        if (mutated_input(prototype, output)) {
            ++next;  // stands among the inputs
            continue;
        }
        if (output.kind == prototypes::PortKind::kDynamic) {
            const auto count = static_cast<size_t>(instance_of(call).dynamic_outputs.at(output.name));
            arguments.emplace_back(
                std::vector<at::Tensor>(outputs.begin() + static_cast<std::ptrdiff_t>(next),
                                        outputs.begin() + static_cast<std::ptrdiff_t>(next + count)));
            next += count;
        } else {
            arguments.emplace_back(absent[next] ? std::nullopt : std::optional(outputs[next]));
            ++next;
        }
    }
    call_aclnn(foreign(call).function, arguments);
}

Results compute_foreign(Call& call) {
    if (call.inferring()) {
        return infer_foreign(call);
    }
    Results results;
    for (const at::Tensor& form : infer_foreign(call)) {
        results.push_back(form.is_meta() ? at::empty(form.sizes(), form.scalar_type()) : form);
    }
    write_foreign(call, results);
    return results;
}

// The engine asks foreign operators for defaults only to fill places; attribute_value() gives the real ones.
Attribute no_default() { return {}; }

}  // namespace

std::shared_ptr<const Operator> find_foreign(const Node& node) {
    const prototypes::Prototype* prototype = prototypes::find(node.type);
    if (prototype == nullptr || prototype->library.empty()) {
        return nullptr;
    }
    std::vector<std::string> searched;
    auto made = std::make_shared<Foreign>();
    made->function = find_vendor_function("aclnn" + node.type, searched);
    if (made->function.first == nullptr) {
        throw GraphError(
            fmt::format("node '{}' of type {}: {} has its prototype, but no vendor package has the function "
                        "aclnn{}GetWorkspaceSize; searched: {}",
                        node.name, node.type, prototype->library, node.type,
                        searched.empty() ? "nothing, ASCEND_CUSTOM_OPP_PATH names no vendor package"
                                         : fmt::format("{}", fmt::join(searched, ", "))));
    }
    made->prototype = prototype;
    made->type = prototype->type;
    for (const prototypes::Port& input : prototype->inputs) {
        made->input_specs.push_back({input.name, input_kind(input.kind)});
    }
    for (const prototypes::Port& output : prototype->outputs) {
        made->output_specs.push_back({output.name, output.kind == prototypes::PortKind::kDynamic});
    }
    for (const prototypes::Attribute& attribute : prototype->attributes) {
        made->attribute_specs.push_back(
            {attribute.name, attribute_kind(attribute, node.type), attribute.required, no_default});
    }
    made->inputs = made->input_specs;
    made->outputs = made->output_specs;
    made->attributes = made->attribute_specs;
    made->compute = compute_foreign;
    made->infer = infer_foreign;
    made->write = write_foreign;
    made->mutates = std::ranges::any_of(prototype->outputs, [&](const prototypes::Port& output) {
        return std::ranges::find(prototype->inputs, output.name, &prototypes::Port::name) !=
               prototype->inputs.end();
    });
    made->random = true;  // nobody says whether it is
    made->pointwise = false;
    return made;
}

}  // namespace opweld::npu::graph
