#include "npu/ge/engine/program.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "npu/ge/engine/saved_statistics.h"
#include "npu/ge/engine/suggest.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::graph {
namespace {

std::string where(const Node& node) { return fmt::format("node '{}' of type {}", node.name, node.type); }

// Whether `name` is `stem` and a number: an entry of a dynamic input or output.
bool is_entry(std::string_view name, std::string_view stem) {
    if (!name.starts_with(stem) || name.size() == stem.size()) {
        return false;
    }
    return name.find_first_not_of("0123456789", stem.size()) == std::string_view::npos;
}

template <class Spec, class IsDynamic>
size_t find_spec(std::span<const Spec> specs, std::string_view name, IsDynamic is_dynamic) {
    for (size_t i = 0; i < specs.size(); ++i) {
        if (specs[i].name == name || (is_dynamic(specs[i]) && is_entry(name, specs[i].name))) {
            return i;
        }
    }
    return specs.size();
}

template <class Spec>
std::string names(std::span<const Spec> specs) {
    std::vector<std::string_view> all;
    for (const Spec& spec : specs) {
        all.push_back(spec.name);
    }
    return all.empty() ? "none" : fmt::format("{}", fmt::join(all, ", "));
}

void bind_inputs(const Node& node, const Operator& op, BoundNode& bound) {
    bound.inputs.resize(op.inputs.size());
    for (size_t i = 0; i < node.inputs.size(); ++i) {
        const std::string& name = node.input_infos[i].name;
        const size_t place =
            find_spec(op.inputs, name, [](const InputSpec& spec) { return spec.kind == InputKind::dynamic; });
        if (place == op.inputs.size()) {
            throw GraphError(fmt::format("{}: input '{}' is not in the prototype, whose inputs are: {}",
                                         where(node), name, names(op.inputs)));
        }
        if (node.inputs[i].node < 0) {
            continue;
        }
        if (op.inputs[place].kind != InputKind::dynamic && !bound.inputs[place].empty()) {
            throw GraphError(fmt::format("{}: input '{}' is given twice", where(node), name));
        }
        bound.inputs[place].push_back(node.inputs[i]);
    }
    for (size_t i = 0; i < op.inputs.size(); ++i) {
        if (op.inputs[i].kind == InputKind::required && bound.inputs[i].empty()) {
            throw GraphError(
                fmt::format("{}: input '{}' is required, but left out", where(node), op.inputs[i].name));
        }
    }
}

std::string_view kind_name(AttributeKind kind) {
    switch (kind) {
        case AttributeKind::integer:
            return "an integer";
        case AttributeKind::real:
            return "a float";
        case AttributeKind::boolean:
            return "a bool";
        case AttributeKind::text:
            return "a string";
        case AttributeKind::dtype:
            return "a dtype";
        case AttributeKind::integers:
            return "a list of integers";
        case AttributeKind::reals:
            return "a list of floats";
        case AttributeKind::booleans:
            return "a list of bools";
        case AttributeKind::texts:
            return "a list of strings";
        case AttributeKind::nested_integers:
            return "a list of lists of integers";
        case AttributeKind::constant:
            return "a tensor";
    }
    return "";
}

template <class T>
Attribute empty_list_or(const Attribute& value) {
    if (const auto* integers = std::get_if<std::vector<int64_t>>(&value);
        integers != nullptr && integers->empty()) {
        return T{};  // an empty list has no element type
    }
    return value;
}

// The value in the type of its kind; std::monostate where it is of another type.
Attribute as_kind(const Attribute& value, AttributeKind kind) {
    const auto keep = [&]<class T>(T) -> Attribute {
        return std::holds_alternative<T>(value) ? value : Attribute{};
    };
    switch (kind) {
        case AttributeKind::integer:
            return keep(int64_t{});
        case AttributeKind::real:
            return keep(float{});
        case AttributeKind::boolean:
            return keep(bool{});
        case AttributeKind::text:
            return keep(std::string{});
        case AttributeKind::dtype:
            if (const auto* number = std::get_if<int64_t>(&value)) {
                return DataType{static_cast<int32_t>(*number)};
            }
            return keep(DataType{});
        case AttributeKind::integers:
            return keep(std::vector<int64_t>{});
        case AttributeKind::reals:
            return std::holds_alternative<std::vector<float>>(value)
                       ? value
                       : empty_list_or<std::vector<float>>(value);
        case AttributeKind::booleans:
            return std::holds_alternative<std::vector<bool>>(value) ? value
                                                                    : empty_list_or<std::vector<bool>>(value);
        case AttributeKind::texts:
            return std::holds_alternative<std::vector<std::string>>(value)
                       ? value
                       : empty_list_or<std::vector<std::string>>(value);
        case AttributeKind::nested_integers:
            return keep(std::vector<std::vector<int64_t>>{});
        case AttributeKind::constant:
            return keep(Constant{});
    }
    return {};
}

bool holds(const Attribute& value, AttributeKind kind) {
    switch (kind) {
        case AttributeKind::reals:
            return std::holds_alternative<std::vector<float>>(value);
        case AttributeKind::booleans:
            return std::holds_alternative<std::vector<bool>>(value);
        case AttributeKind::texts:
            return std::holds_alternative<std::vector<std::string>>(value);
        default:
            return !std::holds_alternative<std::monostate>(value);
    }
}

// Attributes that torchair gives nodes of any type: notes for itself, and for compilers.
bool is_note(std::string_view name) {
    return name.starts_with('_') || name == "input_layout_info" || name == "output_layout_info" ||
           name == "update_node_from_fx_input_idx";
}

void bind_attributes(const Node& node, const Operator& op, BoundNode& bound) {
    for (const auto& [name, value] : node.attributes) {
        if (is_note(name)) {
            continue;
        }
        if (std::ranges::find(op.attributes, name, &AttributeSpec::name) == op.attributes.end()) {
            throw GraphError(
                fmt::format("{}: attribute '{}' is not in the prototype, whose attributes are: {}",
                            where(node), name, names(op.attributes)));
        }
    }
    for (const AttributeSpec& spec : op.attributes) {
        const auto found = node.attributes.find(spec.name);
        if (found == node.attributes.end()) {
            if (spec.required) {
                throw GraphError(
                    fmt::format("{}: attribute '{}' is required, but left out", where(node), spec.name));
            }
            bound.attributes.push_back(spec.make_default());
            continue;
        }
        Attribute value = as_kind(found->second, spec.kind);
        if (!holds(value, spec.kind)) {
            throw GraphError(
                fmt::format("{}: attribute '{}' has a value of another type; the prototype says {}",
                            where(node), spec.name, kind_name(spec.kind)));
        }
        bound.attributes.push_back(std::move(value));
    }
}

void check_outputs(const Node& node, const Operator& op) {
    for (size_t i = 0; i < node.outputs.size(); ++i) {
        const std::string& name = node.outputs[i].name;
        const size_t place = find_spec(op.outputs, name, [](const OutputSpec& spec) { return spec.dynamic; });
        if (place == op.outputs.size()) {
            throw GraphError(fmt::format("{}: output {} '{}' is not in the prototype, whose outputs are: {}",
                                         where(node), i, name, names(op.outputs)));
        }
        if (!op.outputs[place].dynamic && place != i &&
            std::ranges::none_of(op.outputs, &OutputSpec::dynamic)) {
            throw GraphError(
                fmt::format("{}: output {} is '{}'; in the prototype the outputs are, in this order: {}",
                            where(node), i, name, names(op.outputs)));
        }
    }
}

at::Tensor constant_tensor(const Node& node) {
    const auto& value = *attribute<Constant>(node.attributes, "value");
    const at::ScalarType dtype = dtype_of(value.info.dtype.number);
    at::Tensor tensor = at::empty(value.info.shape, dtype);
    if (tensor.nbytes() > 0) {
        std::copy_n(value.bytes->data(), tensor.nbytes(), static_cast<char*>(tensor.mutable_data_ptr()));
    }
    return tensor;
}

std::string unknown_type(const Node& node) {
    std::vector<std::string_view> types;
    for (const Operator* op : operators()) {
        types.push_back(op->type);
    }
    const std::string near = suggestion(node.type, types);
    return fmt::format(
        "{}: the graph engine has no operator of that type, and no vendor package has a prototype library "
        "with "
        "it{}; build the package that holds it, or give the PyTorch operator another converter",
        where(node), near.empty() ? "" : fmt::format(" (near: {})", near));
}

}  // namespace

bool is_data(const Node& node) noexcept { return node.type == "Data" || node.type == "RefData"; }

bool is_constant(const Node& node) noexcept { return node.type == "Const" || node.type == "Constant"; }

BoundNode bind_node(const Node& node, const Operator& op) {
    BoundNode bound{.op = &op, .inputs = {}, .attributes = {}, .constant = {}};
    bind_inputs(node, op, bound);
    bind_attributes(node, op, bound);
    check_outputs(node, op);
    return bound;
}

Program bind_program(Graph graph, const ForeignOperators& foreign) {
    mark_saved_statistics(graph);
    Program program{.graph = std::move(graph), .nodes = {}, .foreign = {}};
    for (const Node& node : program.graph.nodes) {
        if (is_data(node) || node.type == "NetOutput") {
            program.nodes.emplace_back();
        } else if (is_constant(node)) {
            program.nodes.emplace_back().constant = constant_tensor(node);
        } else if (const Operator* op = find_operator(node.type)) {
            program.nodes.push_back(bind_node(node, *op));
        } else if (auto found = foreign ? foreign(node) : nullptr) {
            program.nodes.push_back(bind_node(node, *found));
            program.foreign.push_back(std::move(found));
        } else {
            throw GraphError(unknown_type(node));
        }
    }
    return program;
}

}  // namespace opweld::npu::graph
