// What `opweld verify` needs of a spec: the model, its rules as Python, and arguments that satisfy them.
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>

#include "codegen/samples.h"
#include "module.h"
#include "spec/api.h"
#include "spec/expr/emit.h"
#include "spec/expression.h"

namespace opweld::bindings {
namespace {

using Json = nlohmann::ordered_json;

Json tensor_json(const spec::expr::TensorValue& tensor) {
    return {{"tensor", tensor.shape}, {"dtype", opweld::expr::dtype_name(tensor.dtype)}};
}

// `attr`: whose value it is; null for an input.
Json value_json(const spec::expr::Value& value, const spec::AttrDesc* attr) {
    return std::visit(
        [attr](const auto& held) -> Json {
            using T = std::decay_t<decltype(held)>;
            if constexpr (std::is_same_v<T, std::monostate>) {
                return nullptr;
            } else if constexpr (std::is_same_v<T, spec::expr::TensorValue>) {
                return tensor_json(held);
            } else if constexpr (std::is_same_v<T, opweld::expr::DType>) {
                return {{"torch", opweld::expr::dtype_name(held)}};
            } else if constexpr (std::is_same_v<T, spec::expr::ListValue>) {
                Json list = Json::array();
                for (const spec::expr::Value& item : held) {
                    list.push_back(value_json(item, attr));
                }
                return list;
            } else if constexpr (std::is_same_v<T, std::string>) {
                if (attr != nullptr && attr->type.kind == spec::AttrKind::Device) {
                    return {{"device", held}};
                }
                const bool named = attr != nullptr && (attr->type.kind == spec::AttrKind::Layout ||
                                                       attr->type.kind == spec::AttrKind::MemoryFormat);
                return named ? Json{{"torch", held}} : Json(held);
            } else {
                return held;
            }
        },
        value.data);
}

Json samples_json(const spec::Operator& op, std::size_t wanted, unsigned seed) {
    Json samples = Json::array();
    for (const codegen::Sample& sample : codegen::find_samples(op, wanted, seed)) {
        Json json = Json::object();
        for (const spec::Argument& argument : op.arguments) {
            if (argument.from == spec::Argument::From::Input) {
                json[op.inputs[argument.index].name] = value_json(sample.inputs[argument.index], nullptr);
            } else {
                const spec::AttrDesc& attr = op.attrs[argument.index];
                json[attr.name] = value_json(sample.attrs[argument.index], &attr);
            }
        }
        samples.push_back(std::move(json));
    }
    return samples;
}

Json rules_json(const spec::Operator& op) {
    const auto python = [](const spec::Expression& expression) {
        return spec::expr::emit_python(expression.checked->expression, {});
    };
    Json lets = Json::array();
    for (const spec::Let& let : op.lets) {
        lets.push_back({let.name, python(let.expr)});
    }
    Json constraints = Json::array();
    for (const spec::Constraint& constraint : op.constraints) {
        constraints.push_back({python(constraint.expr), constraint.message});
    }
    Json shapes = Json::array();
    for (const spec::OutputDesc& output : op.outputs) {
        const bool stated = output.shape.kind == spec::ShapeRule::Kind::Expression ||
                            output.shape.kind == spec::ShapeRule::Kind::DataDependent;
        if (stated && output.kind == spec::OutputKind::Tensor) {
            shapes.push_back(
                {output.present ? python(*output.present) : "True", python(output.shape.expression)});
        }
    }
    return {
        {"lets", std::move(lets)}, {"constraints", std::move(constraints)}, {"shapes", std::move(shapes)}};
}

std::string verification(const std::string& path, std::size_t wanted, unsigned seed) {
    const spec::LoadResult loaded = spec::load_package(path);
    if (!loaded.package) {
        throw std::invalid_argument(spec::render_text(loaded.diagnostics, {}));
    }
    Json model = Json::parse(spec::model_json(*loaded.package, true));
    model["prelude"] = spec::expr::python_prelude();
    for (std::size_t index = 0; index < loaded.package->ops.size(); ++index) {
        const spec::Operator& op = loaded.package->ops[index];
        model["ops"][index]["rules"] = rules_json(op);
        model["ops"][index]["samples"] = samples_json(op, wanted, seed);
    }
    return model.dump();
}

}  // namespace

void add_verification(pybind11::module_& module) {
    using pybind11::arg;
    module.def("verification", &verification, arg("spec"), arg("samples"), arg("seed"),
               pybind11::call_guard<pybind11::gil_scoped_release>());
}

}  // namespace opweld::bindings
