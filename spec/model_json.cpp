// The model as JSON: for Python, and for comparing two models without their positions.
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <variant>

#include "spec/api.h"

namespace opweld::spec {
namespace {

using Json = nlohmann::ordered_json;

class ModelJson {
  public:
    explicit ModelJson(bool positions) : positions_(positions) {}

    Json package(const Package& package) const {
        Json ops = Json::array();
        for (const Operator& op : package.ops) {
            ops.push_back(operator_(op, package));
        }
        return {{"version", package.version}, {"package", package.name}, {"doc", package.doc}, {"ops", ops}};
    }

  private:
    void place(Json& json, Position at) const {
        if (positions_) {
            json["line"] = at.line;
            json["column"] = at.column;
        }
    }

    Json operator_(const Operator& op, const Package& package) const {
        Json json = {{"name", op.name},         {"namespace", op.ns},
                     {"overload", op.overload}, {"qualified_name", op.qualified_name()},
                     {"doc", op.doc},           {"ge_op", op.ge_op},
                     {"schema", op.schema},     {"schema_given", op.schema_given},
                     {"tags", op.tags}};
        place(json, op.at);
        json["inputs"] = list(op.inputs, [&](const InputDesc& input) { return this->input(input); });
        json["attrs"] = list(op.attrs, [&](const AttrDesc& attr) { return this->attr(attr); });
        json["outputs"] =
            list(op.outputs, [&](const OutputDesc& output) { return this->output(output, op); });
        json["arguments"] = list(op.arguments, [&](const Argument& argument) {
            const bool input = argument.from == Argument::From::Input;
            return Json{{"name", input ? op.inputs[argument.index].name : op.attrs[argument.index].name},
                        {"keyword_only", argument.keyword_only},
                        {"has_default", argument.default_value.has_value()}};
        });
        json["let"] = list(op.lets, [&](const Let& let) {
            return Json{{"name", let.name}, {"expr", expression(let.expr)}};
        });
        json["constraints"] = list(op.constraints, [&](const Constraint& constraint) {
            return Json{{"expr", expression(constraint.expr)}, {"message", constraint.message}};
        });
        json["reference"] = op.reference;
        json["backward"] = backward(op);
        json["autocast"] = name(op.autocast);
        json["kernels"] = list(op.kernels, [&](const Kernel& kernel) { return this->kernel(kernel); });
        json["converter"] = op.converter.kind == Converter::Kind::Auto        ? "auto"
                            : op.converter.kind == Converter::Kind::Decompose ? "decompose"
                                                                              : op.converter.file;
        json["batching"] = Json::object();
        for (const BatchedInput& batched : op.batching) {
            json["batching"][op.inputs[batched.input].name] = batched.dim;
        }
        json["prototype_of"] =
            op.prototype_of ? Json(package.ops[op.prototype_of->index].qualified_name()) : Json();
        return json;
    }

    template <typename Items, typename Convert>
    static Json list(const Items& items, const Convert& convert) {
        Json json = Json::array();
        for (const auto& item : items) {
            json.push_back(convert(item));
        }
        return json;
    }

    Json expression(const Expression& expression) const {
        if (!positions_) {
            return expression.text;
        }
        Json json = {{"text", expression.text}};
        place(json, expression.at);
        return json;
    }

    Json optional(const std::optional<Expression>& value) const {
        return value ? expression(*value) : Json();
    }

    static Json value(const Value& value) {
        return std::visit(
            [](const auto& held) -> Json {
                using T = std::decay_t<decltype(held)>;
                if constexpr (std::is_same_v<T, None>) {
                    return nullptr;
                } else if constexpr (std::is_same_v<T, DType>) {
                    return name(held);
                } else if constexpr (std::is_same_v<T, Value::Items>) {
                    return list(held, [](const Value& item) { return ModelJson::value(item); });
                } else {
                    return held;
                }
            },
            value.data);
    }

    static Json dtypes(const std::vector<DType>& types) {
        return list(types, [](DType dtype) { return name(dtype); });
    }

    Json input(const InputDesc& input) const {
        static constexpr std::string_view kKinds[] = {"any", "fixed", "paired", "independent"};
        Json json = {{"name", input.name},
                     {"doc", input.doc},
                     {"type", schema_type(input)},
                     {"dtypes",
                      {{"kind", kKinds[static_cast<std::size_t>(input.types.kind)]},
                       {"list", dtypes(input.types.dtypes)}}},
                     {"formats", input.formats},
                     {"mutates", input.mutates},
                     {"bound", input.bound_to_none}};
        place(json, input.at);
        return json;
    }

    Json attr(const AttrDesc& attr) const {
        Json json = {{"name", attr.name}, {"doc", attr.doc}, {"type", schema_type(attr.type)}};
        json["required"] = !attr.default_value && !attr.bound;
        json["default"] = attr.default_value ? value(*attr.default_value) : Json();
        json["is_bound"] = attr.bound.has_value();
        json["bound"] = attr.bound ? value(*attr.bound) : Json();
        place(json, attr.at);
        return json;
    }

    Json output(const OutputDesc& output, const Operator& op) const {
        static constexpr std::string_view kShapes[] = {"unknown", "expression", "data_dependent", "alias"};
        const bool has_shape = output.shape.kind == ShapeRule::Kind::Expression ||
                               output.shape.kind == ShapeRule::Kind::DataDependent;
        Json json = {{"name", output.name},
                     {"doc", output.doc},
                     {"type", schema_type(output, op)},
                     {"dtype", optional(output.dtype)},
                     {"type_list", dtypes(output.type_list)},
                     {"shape_kind", kShapes[static_cast<std::size_t>(output.shape.kind)]},
                     {"shape", has_shape ? expression(output.shape.expression) : Json()},
                     {"count", optional(output.count)},
                     {"present", optional(output.present)},
                     {"strides", optional(output.strides)},
                     {"memory_format", output.memory_format ? Json(*output.memory_format) : Json()},
                     {"formats", output.formats},
                     {"alias", output.alias_of ? Json(op.inputs[*output.alias_of].name) : Json()},
                     {"value", optional(output.value)}};
        place(json, output.at);
        return json;
    }

    static Json backward(const Operator& op) {
        if (const auto* call = std::get_if<BackwardOp>(&op.backward)) {
            return {{"op", call->op},
                    {"args", list(call->args, [](const BackwardArg& arg) { return arg.name; })},
                    {"gives", list(call->gives, [&](std::size_t input) { return op.inputs[input].name; })}};
        }
        if (const auto* formulas = std::get_if<BackwardFormulas>(&op.backward)) {
            Json json = Json::object();
            for (const BackwardFormulas::Entry& entry : formulas->entries) {
                json[op.inputs[entry.input].name] = entry.formula.text;
            }
            return {{"formulas", json}};
        }
        return std::get<BackwardNone>(op.backward).stated ? Json("none") : Json();
    }

    Json kernel(const Kernel& kernel) const {
        Json json = {{"language", name(kernel.language)}};
        if (kernel.language == KernelLanguage::Compose) {
            json["formula"] = kernel.formula ? kernel.formula->text : "";
        } else if (kernel.language == KernelLanguage::Aclnn) {
            json["aclnn"] = kernel.aclnn;
            json["args"] = list(kernel.args, [&](const Expression& arg) { return expression(arg); });
        } else {
            json["source"] = kernel.source;
            json["function"] = kernel.function;
        }
        return json;
    }

    bool positions_;
};

}  // namespace

std::string model_json(const Package& package, bool positions) {
    return ModelJson(positions).package(package).dump(2) + "\n";
}

}  // namespace opweld::spec
