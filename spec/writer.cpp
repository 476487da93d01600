#include "spec/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "spec/api.h"
#include "spec/attr_types.h"

namespace opweld::spec {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;  // key, value as YAML

std::string flow_map(const Pairs& pairs) {
    std::string text = "{";
    for (const auto& [key, value] : pairs) {
        text += fmt::format("{}{}: {}", text.size() == 1 ? "" : ", ", key, value);
    }
    return text + "}";
}

template <typename Items, typename Text>
std::string flow_list(const Items& items, const Text& text) {
    std::string result = "[";
    for (const auto& item : items) {
        result += (result.size() == 1 ? "" : ", ") + text(item);
    }
    return result + "]";
}

std::string dtype_list(const std::vector<DType>& types) {
    return flow_list(types, [](DType dtype) { return std::string(name(dtype)); });
}

void add_doc(Pairs& pairs, const std::string& doc) {
    if (!doc.empty()) {
        pairs.emplace_back("doc", yaml_scalar(doc));
    }
}

void add_formats(Pairs& pairs, const std::vector<std::string>& formats) {
    if (!formats.empty()) {
        pairs.emplace_back("format", flow_list(formats, [](const std::string& format) { return format; }));
    }
}

std::string input_text(const InputDesc& input) {
    Pairs pairs = {{"name", input.name},
                   {"param_type", is_list(input.kind)                       ? "dynamic"
                                  : input.kind == InputKind::OptionalTensor ? "optional"
                                                                            : "required"}};
    if (input.kind == InputKind::OptionalList || input.kind == InputKind::ListOfOptionals) {
        pairs.emplace_back("optional", input.kind == InputKind::OptionalList ? "list" : "elements");
    }
    switch (input.types.kind) {
        case TypeSet::Kind::Any:
            break;
        case TypeSet::Kind::Fixed:
            pairs.emplace_back("type", std::string(name(input.types.dtypes.front())));
            break;
        case TypeSet::Kind::Paired:
            pairs.emplace_back("type", dtype_list(input.types.dtypes));
            break;
        case TypeSet::Kind::Independent: {
            const std::string list = dtype_list(input.types.dtypes);
            pairs.emplace_back("type", fmt::format("\"any_of({})\"", list.substr(1, list.size() - 2)));
            break;
        }
    }
    add_formats(pairs, input.formats);
    if (input.mutates) {
        pairs.emplace_back("mutates", "true");
    }
    add_doc(pairs, input.doc);
    return flow_map(pairs);
}

std::string attr_text(const AttrDesc& attr) {
    Pairs pairs = {{"name", attr.name},
                   {"param_type", attr.default_value ? "optional" : "required"},
                   {"type", yaml_scalar(schema_type(attr.type))}};
    if (attr.default_value && !attr.default_value->is_none()) {
        pairs.emplace_back("default_value", attr.type.kind == AttrKind::Str && attr.type.list_depth == 0
                                                ? yaml_scalar(std::get<std::string>(attr.default_value->data))
                                                : yaml_text(*attr.default_value));
    }
    add_doc(pairs, attr.doc);
    return flow_map(pairs);
}

std::string output_text(const OutputDesc& output, const Operator& op) {
    Pairs pairs = {{"name", output.name}};
    const auto add = [&](std::string_view key, const std::optional<Expression>& value) {
        if (value) {
            pairs.emplace_back(key, yaml_scalar(value->text));
        }
    };
    if (!output.is_tensor()) {
        pairs.emplace_back("type", schema_type(output, op));
        add("value", output.value);
        add_doc(pairs, output.doc);
        return flow_map(pairs);
    }
    if (output.kind == OutputKind::TensorList) {
        pairs.emplace_back("param_type", "dynamic");
    }
    if (!output.type_list.empty()) {
        pairs.emplace_back("type", dtype_list(output.type_list));
    } else {
        add("type", output.dtype);
    }
    add("count", output.count);
    if (output.shape.kind == ShapeRule::Kind::Expression) {
        pairs.emplace_back("shape", yaml_scalar(output.shape.expression.text));
    } else if (output.shape.kind == ShapeRule::Kind::DataDependent) {
        pairs.emplace_back("shape",
                           yaml_scalar(fmt::format("data_dependent(max={})", output.shape.expression.text)));
    }
    add("present", output.present);
    add("strides", output.strides);
    if (output.memory_format) {
        pairs.emplace_back("memory_format", *output.memory_format);
    }
    add_formats(pairs, output.formats);
    if (output.alias_of) {
        pairs.emplace_back("alias", op.inputs[*output.alias_of].name);
    }
    add_doc(pairs, output.doc);
    return flow_map(pairs);
}

std::string backward_text(const Operator& op) {
    if (const auto* call = std::get_if<BackwardOp>(&op.backward)) {
        const std::string target = call->op.starts_with("npu::") ? call->op.substr(5) : yaml_scalar(call->op);
        return flow_map(
            {{"op", target},
             {"args", flow_list(call->args, [](const BackwardArg& arg) { return arg.name; })},
             {"gives", flow_list(call->gives, [&](std::size_t input) { return op.inputs[input].name; })}});
    }
    if (const auto* formulas = std::get_if<BackwardFormulas>(&op.backward)) {
        Pairs pairs;
        for (const BackwardFormulas::Entry& entry : formulas->entries) {
            pairs.emplace_back(op.inputs[entry.input].name, yaml_scalar(entry.formula.text));
        }
        return flow_map(pairs);
    }
    return std::get<BackwardNone>(op.backward).stated ? "none" : "";
}

std::string kernel_text(const Kernel& kernel) {
    Pairs pairs = {{"language", std::string(name(kernel.language))}};
    if (kernel.formula) {
        pairs.emplace_back("formula", yaml_scalar(kernel.formula->text));
    }
    if (!kernel.source.empty()) {
        pairs.emplace_back("source", yaml_scalar(kernel.source));
    }
    if (!kernel.function.empty()) {
        pairs.emplace_back("function", kernel.function);
    }
    if (!kernel.aclnn.empty()) {
        pairs.emplace_back("aclnn", kernel.aclnn);
    }
    if (!kernel.args.empty()) {
        pairs.emplace_back(
            "args", flow_list(kernel.args, [](const Expression& arg) { return yaml_scalar(arg.text); }));
    }
    return flow_map(pairs);
}

std::string batching_text(const Operator& op) {
    Pairs pairs;
    for (const BatchedInput& batched : op.batching) {
        pairs.emplace_back(op.inputs[batched.input].name, std::to_string(batched.dim));
    }
    return op.batching_given ? flow_map(pairs) : "";
}

std::string converter_text(const Converter& converter) {
    switch (converter.kind) {
        case Converter::Kind::Auto:
            return converter.at.known() ? "auto" : "";
        case Converter::Kind::Decompose:
            return "decompose";
        case Converter::Kind::File:
            return yaml_scalar(converter.file);
    }
    return "";
}

// One operator; against its prototype only what differs.
class OperatorWriter {
  public:
    OperatorWriter(const Operator& op, const Package& package)
        : op_(op), base_(op.prototype_of ? &package.ops[op.prototype_of->index] : nullptr) {}

    std::string write() {
        const std::string full = op_.qualified_name();
        text_ = fmt::format("  - op: {}\n", op_.ns == "npu" ? full.substr(5) : full);
        if (base_ != nullptr) {
            const std::string name = base_->qualified_name();
            line("prototype_of", base_->ns == "npu" ? name.substr(5) : name);
        }
        changed("doc", yaml_scalar(op_.doc), base_ != nullptr ? yaml_scalar(base_->doc) : "\"\"");
        if (op_.ge_op_given) {
            line("ge_op", op_.ge_op);
        }
        write_bind();
        section("input_desc", op_.inputs, &Operator::inputs,
                [](const InputDesc& input, const Operator& /*op*/) { return input_text(input); });
        section("attr", op_.attrs, &Operator::attrs,
                [](const AttrDesc& attr, const Operator& /*op*/) { return attr_text(attr); });
        write_lets();
        section("output_desc", op_.outputs, &Operator::outputs,
                [](const OutputDesc& output, const Operator& op) { return output_text(output, op); });
        write_constraints();
        changed("reference", yaml_scalar(op_.reference),
                base_ != nullptr ? yaml_scalar(base_->reference) : "\"\"");
        compare("backward", [](const Operator& op) { return backward_text(op); });
        compare("autocast", [](const Operator& op) {
            return op.autocast == Autocast::None ? std::string{} : std::string(name(op.autocast));
        });
        write_kernels();
        compare("converter", [](const Operator& op) { return converter_text(op.converter); });
        compare("batching", [](const Operator& op) { return batching_text(op); });
        if (op_.schema_given) {
            line("schema", yaml_scalar(op_.schema));
        }
        compare("tags", [](const Operator& op) {
            return op.tags.empty() ? std::string{}
                                   : flow_list(op.tags, [](const std::string& tag) { return tag; });
        });
        return std::move(text_);
    }

  private:
    void line(std::string_view key, std::string_view value) {
        text_ += fmt::format("    {}: {}\n", key, value);
    }

    void changed(std::string_view key, const std::string& value, const std::string& inherited) {
        if (value != inherited) {
            line(key, value);
        }
    }

    template <typename Text>
    void compare(std::string_view key, const Text& text) {
        const std::string value = text(op_);
        const std::string inherited = base_ != nullptr ? text(*base_) : "";
        if (!value.empty()) {
            changed(key, value, inherited);
        } else if (!inherited.empty()) {
            line(key, "none");  // autocast and batching have that word
        }
    }

    template <typename Item, typename Text>
    void section(std::string_view key, const std::vector<Item>& items, std::vector<Item> Operator::* member,
                 const Text& text) {
        std::string lines;
        for (std::size_t index = 0; index < items.size(); ++index) {
            const std::string item = text(items[index], op_);
            if (base_ == nullptr || text((base_->*member)[index], *base_) != item) {
                lines += fmt::format("      - {}\n", item);
            }
        }
        if (!lines.empty()) {
            text_ += fmt::format("    {}:\n{}", key, lines);
        }
    }

    void write_bind() {
        Pairs pairs;
        for (std::size_t index = 0; index < op_.attrs.size(); ++index) {
            const AttrDesc& attr = op_.attrs[index];
            if (attr.bound && (base_ == nullptr || base_->attrs[index].bound != attr.bound)) {
                pairs.emplace_back(attr.name, yaml_text(*attr.bound));
            }
        }
        for (std::size_t index = 0; index < op_.inputs.size(); ++index) {
            if (op_.inputs[index].bound_to_none &&
                (base_ == nullptr || !base_->inputs[index].bound_to_none)) {
                pairs.emplace_back(op_.inputs[index].name, "null");
            }
        }
        if (!pairs.empty()) {
            line("bind", flow_map(pairs));
        }
    }

    void write_lets() {
        Pairs pairs;
        for (const Let& let : op_.lets) {
            const bool inherited = base_ != nullptr &&
                                   std::any_of(base_->lets.begin(), base_->lets.end(), [&](const Let& other) {
                                       return other.name == let.name && other.expr.text == let.expr.text;
                                   });
            if (!inherited) {
                pairs.emplace_back(let.name, yaml_scalar(let.expr.text));
            }
        }
        if (pairs.empty()) {
            return;
        }
        text_ += "    let:\n";
        for (const auto& [key, value] : pairs) {
            text_ += fmt::format("      {}: {}\n", key, value);
        }
    }

    void write_constraints() {
        const std::size_t inherited = base_ != nullptr ? base_->constraints.size() : 0;
        std::string lines;
        for (std::size_t index = inherited; index < op_.constraints.size(); ++index) {
            const Constraint& constraint = op_.constraints[index];
            Pairs pairs = {{"expr", yaml_scalar(constraint.expr.text)}};
            if (constraint.message_given) {
                pairs.emplace_back("message", yaml_scalar(constraint.message));
            }
            lines += fmt::format("      - {}\n", flow_map(pairs));
        }
        if (!lines.empty()) {
            text_ += "    constraints:\n" + lines;
        }
    }

    void write_kernels() {
        const auto lines = [](const Operator& op) {
            std::string text;
            for (const Kernel& kernel : op.kernels) {
                text += fmt::format("      - {}\n", kernel_text(kernel));
            }
            return text;
        };
        const std::string own = lines(op_);
        const std::string inherited = base_ != nullptr ? lines(*base_) : "";
        if (own == inherited) {
            return;
        }
        text_ += own.empty() ? "    kernel: []\n" : "    kernel:\n" + own;
    }

    const Operator& op_;
    const Operator* base_;
    std::string text_;
};

}  // namespace

std::string yaml_scalar(std::string_view text) {
    static constexpr std::array<std::string_view, 14> kWords = {"true",  "True", "TRUE", "false", "False",
                                                                "FALSE", "null", "Null", "NULL",  "yes",
                                                                "no",    "on",   "off",  "y"};
    const bool plain = !text.empty() &&
                       (std::isalpha(static_cast<unsigned char>(text.front())) != 0 || text.front() == '_') &&
                       std::all_of(text.begin(), text.end(),
                                   [](char c) {
                                       return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
                                              c == '.' || c == '/';
                                   }) &&
                       std::find(kWords.begin(), kWords.end(), text) == kWords.end();
    if (plain || text == "y") {
        return std::string(text);
    }
    std::string result = "\"";
    for (const char c : text) {
        switch (c) {
            case '"':
                result += "\\\"";
                break;
            case '\\':
                result += "\\\\";
                break;
            case '\n':
                result += "\\n";
                break;
            case '\t':
                result += "\\t";
                break;
            case '\r':
                result += "\\r";
                break;
            default:
                result += c;
        }
    }
    return result + '"';
}

std::string write_package(const Package& package, const std::vector<std::string>& comments) {
    std::string text = fmt::format("version: {}\npackage: {}\n", package.version, package.name);
    if (!package.doc.empty()) {
        text += fmt::format("doc: {}\n", yaml_scalar(package.doc));
    }
    text += "ops:\n";
    for (std::size_t index = 0; index < package.ops.size(); ++index) {
        text += index == 0 ? "" : "\n";
        if (index < comments.size() && !comments[index].empty()) {
            text += fmt::format("  # {}\n", comments[index]);
        }
        text += OperatorWriter(package.ops[index], package).write();
    }
    return text;
}

std::string write_yaml(const Package& package) { return write_package(package, {}); }

}  // namespace opweld::spec
