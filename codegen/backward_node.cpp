// The autograd node of an operator that has a backward.
#include "codegen/backward_node.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/cpp_types.h"
#include "codegen/expressions.h"
#include "codegen/text.h"
#include "spec/expression.h"

namespace opweld::codegen {

using spec::BackwardArg;
using spec::BackwardFormulas;
using spec::BackwardOp;
using spec::InputDesc;
using spec::InputKind;
using spec::OutputDesc;
using spec::OutputKind;

std::vector<std::size_t> tensor_outputs(const OperatorPlan& plan) {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < plan.op->outputs.size(); ++i) {
        if (plan.op->outputs[i].is_tensor()) {
            result.push_back(i);
        }
    }
    return result;
}

namespace {

bool is_list(const OutputDesc& output) { return output.kind == OutputKind::TensorList; }

// What a backward needs of the forward call.
struct Saved {
    std::vector<std::size_t> inputs;
    std::vector<std::size_t> attrs;
    std::vector<std::size_t> outputs;
};

void add_once(std::vector<std::size_t>& list, std::size_t index) {
    if (std::find(list.begin(), list.end(), index) == list.end()) {
        list.push_back(index);
    }
}

std::string gradient_name(const OperatorPlan& plan, std::size_t output) {
    return "grad_" + plan.op->outputs[output].name;
}

class BackwardText {
  public:
    BackwardText(const OperatorPlan& plan, const PackagePlan& package) : plan_(plan), package_(package) {
        if (const auto* op = std::get_if<BackwardOp>(&plan.op->backward)) {
            for (const BackwardArg& arg : op->args) {
                note(arg);
            }
            for (const std::size_t input : op->gives) {
                if (spec::is_list(plan.op->inputs[input].kind)) {
                    add_once(counted_, input);
                }
            }
        } else {
            const Expressions expressions(plan);
            for (const auto& entry : std::get<BackwardFormulas>(plan.op->backward).entries) {
                for (const std::string& name : expressions.used(entry.formula)) {
                    note(name);
                }
                if (spec::is_list(plan.op->inputs[entry.input].kind)) {
                    add_once(counted_, entry.input);
                }
            }
        }
        std::sort(saved_.inputs.begin(), saved_.inputs.end());
        std::sort(saved_.attrs.begin(), saved_.attrs.end());
    }

    std::string node_class() const {
        std::string members;
        std::string forgets;
        for (const std::size_t i : saved_.inputs) {
            members += fmt::format("{} {}_;\n", saved_type(plan_.op->inputs[i].kind), plan_.inputs[i]);
            forgets += fmt::format("support::forget({}_);\n", plan_.inputs[i]);
            if (spec::is_optional(plan_.op->inputs[i].kind) && spec::is_list(plan_.op->inputs[i].kind)) {
                members += fmt::format("bool has_{}_ = false;\n", plan_.inputs[i]);
            }
        }
        for (const std::size_t i : saved_.outputs) {
            members += fmt::format("{} {}_;\n",
                                   is_list(plan_.op->outputs[i]) ? "std::vector<support::SavedVariable>"
                                                                 : "support::SavedVariable",
                                   plan_.outputs[i]);
            forgets += fmt::format("support::forget({}_);\n", plan_.outputs[i]);
        }
        for (const std::size_t i : saved_.attrs) {
            members += fmt::format("{} {}_{{}};\n", stored_type(plan_.op->attrs[i]), plan_.attrs[i]);
        }
        for (const std::size_t i : edge_lists()) {
            members += fmt::format("size_t {}_count_ = 0;\n", plan_.inputs[i]);
        }
        for (const std::size_t i : tensor_outputs(plan_)) {
            if (is_list(plan_.op->outputs[i])) {
                members += fmt::format("size_t {}_count_ = 0;\n", plan_.outputs[i]);
            }
        }
        return fill(R"(class @camel@Backward : public support::Node {
  public:
    using Node::Node;

    std::string name() const override { return "@camel@Backward"; }
    support::variable_list apply(support::variable_list&& grads) override {
        @apply@
    }
    void release_variables() override {
        @forgets@
    }

    @members@
};
)",
                    {{"camel", plan_.camel}, {"apply", apply()}, {"forgets", forgets}, {"members", members}});
    }

    // Statements that fill a new node.
    std::string save() const {
        std::string text;
        for (const std::size_t i : saved_.inputs) {
            text += fmt::format("node->{0}_ = support::save({0});\n", plan_.inputs[i]);
            if (spec::is_optional(plan_.op->inputs[i].kind) && spec::is_list(plan_.op->inputs[i].kind)) {
                text += fmt::format("node->has_{0}_ = {0}.has_value();\n", plan_.inputs[i]);
            }
        }
        for (const std::size_t i : saved_.attrs) {
            text += fmt::format("node->{}_ = {};\n", plan_.attrs[i],
                                to_stored(plan_.op->attrs[i], plan_.attrs[i]));
        }
        for (const std::size_t i : edge_lists()) {
            text += fmt::format("node->{0}_count_ = support::tensor_count({0});\n", plan_.inputs[i]);
        }
        return text;
    }

    // Statements after the outputs are known.
    std::string save_outputs() const {
        std::string text;
        for (const std::size_t i : tensor_outputs(plan_)) {
            if (is_list(plan_.op->outputs[i])) {
                text += fmt::format("node->{0}_count_ = {0}.size();\n", plan_.outputs[i]);
            }
        }
        for (const std::size_t i : saved_.outputs) {
            text += fmt::format("node->{0}_ = support::save({0}, true);\n", plan_.outputs[i]);
        }
        return text;
    }

  private:
    void note(const BackwardArg& arg) {
        switch (arg.from) {
            case BackwardArg::From::Gradient:
                add_once(gradients_, arg.index);
                break;
            case BackwardArg::From::Input:
                if (!plan_.op->inputs[arg.index].bound_to_none) {
                    add_once(saved_.inputs, arg.index);
                }
                break;
            case BackwardArg::From::Attr:
                if (!plan_.op->attrs[arg.index].bound) {
                    add_once(saved_.attrs, arg.index);
                }
                break;
            case BackwardArg::From::Output:
                add_once(saved_.outputs, arg.index);
                break;
        }
    }

    void note(const std::string& name) {
        const spec::Operator& op = *plan_.op;
        if (const auto input = op.find_input(name)) {
            note(BackwardArg{BackwardArg::From::Input, *input, 0, name, {}});
        } else if (const auto attr = op.find_attr(name)) {
            note(BackwardArg{BackwardArg::From::Attr, *attr, 0, name, {}});
        } else if (const auto output = op.find_output(name)) {
            note(BackwardArg{BackwardArg::From::Output, *output, 0, name, {}});
        } else {
            for (const std::size_t i : tensor_outputs(plan_)) {
                if (name == "grad" || name == "grad_" + op.outputs[i].name) {
                    add_once(gradients_, i);
                }
            }
        }
    }

    static std::string saved_type(InputKind kind) {
        return spec::is_list(kind) ? "std::vector<support::SavedVariable>" : "support::SavedVariable";
    }

    // List inputs: each takes as many edges as it has tensors.
    std::vector<std::size_t> edge_lists() const {
        std::vector<std::size_t> lists;
        for (std::size_t i = 0; i < plan_.op->inputs.size(); ++i) {
            if (spec::is_list(plan_.op->inputs[i].kind) && !plan_.op->inputs[i].bound_to_none) {
                lists.push_back(i);
            }
        }
        return lists;
    }

    // Where each input's gradient comes from: an expression, or nothing.
    std::string gradients_by_op(const BackwardOp& backward, std::vector<std::string>& sources) const {
        const OperatorPlan& target = package_.ops[backward.op_index];
        std::vector<std::string> arguments(target.parameters.size());
        for (const BackwardArg& arg : backward.args) {
            arguments[arg.argument] = recalled(arg, target);
        }
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const Parameter& parameter = target.parameters[i];
            if (arguments[i].empty() && parameter.argument->default_value) {
                arguments[i] = parameter.attr != nullptr
                                   ? literal(*parameter.argument->default_value, parameter.attr->type)
                                   : "std::nullopt";
            }
        }
        const std::string call = fmt::format("{}_handle().call(", target.name);
        if (backward.gives.size() == 1) {
            sources[backward.gives[0]] = "gradient";
            return wrap("const auto gradient = " + call, arguments, ");\n", 8);
        }
        std::vector<std::string> names;
        for (std::size_t k = 0; k < backward.gives.size(); ++k) {
            sources[backward.gives[k]] = fmt::format("std::get<{}>(gradients)", k);
        }
        return wrap("const auto gradients = " + call, arguments, ");\n", 8);
    }

    std::string recalled(const BackwardArg& arg, const OperatorPlan& target) const {
        const Parameter& parameter = target.parameters[arg.argument];
        std::string value;
        switch (arg.from) {
            case BackwardArg::From::Gradient:
                value = gradient_name(plan_, arg.index);
                break;
            case BackwardArg::From::Input: {
                const InputDesc& input = plan_.op->inputs[arg.index];
                if (input.bound_to_none) {
                    return "std::nullopt";
                }
                if (input.kind == InputKind::OptionalTensor && parameter.input->kind == InputKind::Tensor) {
                    return plan_.inputs[arg.index] + ".value_or(at::Tensor())";
                }
                return plan_.inputs[arg.index];
            }
            case BackwardArg::From::Attr: {
                const spec::AttrDesc& attr = plan_.op->attrs[arg.index];
                return attr.bound ? literal(*attr.bound, attr.type) : plan_.attrs[arg.index];
            }
            case BackwardArg::From::Output:
                value = plan_.outputs[arg.index];
                break;
        }
        const bool wants_optional =
            parameter.input != nullptr && parameter.input->kind == InputKind::OptionalTensor;
        return wants_optional ? fmt::format("support::optional_tensor({})", value) : value;
    }

    std::string gradients_by_formula(const BackwardFormulas& backward,
                                     std::vector<std::string>& sources) const {
        Expressions expressions(plan_);
        for (const std::size_t i : tensor_outputs(plan_)) {
            expressions.rename("grad_" + plan_.op->outputs[i].name, gradient_name(plan_, i));
        }
        if (gradients_.size() == 1) {
            expressions.rename("grad", gradient_name(plan_, gradients_[0]));
        }
        std::string text;
        std::set<std::string> names;
        for (const auto& entry : backward.entries) {
            names.merge(expressions.used(entry.formula));
        }
        text += expressions.declare_bound(names) + expressions.declare_lets(names, spec::expr::Flavour::sym);
        for (const auto& entry : backward.entries) {
            sources[entry.input] = "gradient_of_" + plan_.op->inputs[entry.input].name;
            const bool list = spec::is_list(plan_.op->inputs[entry.input].kind);
            text +=
                fmt::format("{} {};\nif (needed({})) {{\n    {} = {};\n}}\n",
                            list ? "std::vector<at::Tensor>" : "at::Tensor", sources[entry.input],
                            edge_position(entry.input), sources[entry.input], expressions.cpp(entry.formula));
        }
        return text;
    }

    // The index of an input's first edge.
    std::string edge_position(std::size_t input) const {
        std::size_t fixed = 0;
        std::string lists;
        for (std::size_t i = 0; i < input; ++i) {
            const InputDesc& before = plan_.op->inputs[i];
            if (before.bound_to_none) {
                continue;
            }
            if (spec::is_list(before.kind)) {
                lists += fmt::format(" + {}_count_", plan_.inputs[i]);
            } else {
                ++fixed;
            }
        }
        return std::to_string(fixed) + lists;
    }

    std::string recall_gradients() const {
        std::string text;
        std::string position = "0";
        std::size_t fixed = 0;
        std::string lists;
        for (const std::size_t i : tensor_outputs(plan_)) {
            const bool wanted = std::find(gradients_.begin(), gradients_.end(), i) != gradients_.end();
            const std::string first = std::to_string(fixed) + lists;
            if (is_list(plan_.op->outputs[i])) {
                if (wanted) {
                    text += fmt::format(
                        "const auto {} = support::gradients_or_zeros(*this, grads, {}, {}_count_);\n",
                        gradient_name(plan_, i), first, plan_.outputs[i]);
                }
                lists += fmt::format(" + {}_count_", plan_.outputs[i]);
            } else {
                if (wanted) {
                    text +=
                        fmt::format("const at::Tensor {} = support::gradient_or_zeros(*this, grads, {});\n",
                                    gradient_name(plan_, i), first);
                }
                ++fixed;
            }
        }
        return text;
    }

    std::string recall_saved() const {
        std::string text;
        for (const std::size_t i : saved_.inputs) {
            const std::string& name = plan_.inputs[i];
            switch (plan_.op->inputs[i].kind) {
                case InputKind::Tensor:
                case InputKind::TensorList:
                    text += fmt::format("const auto {0} = support::recall({0}_, *this);\n", name);
                    break;
                case InputKind::OptionalTensor:
                    text += fmt::format(
                        "const auto {0} = support::optional_tensor(support::recall({0}_, *this));\n", name);
                    break;
                case InputKind::OptionalList:
                    text += fmt::format(
                        "std::optional<std::vector<at::Tensor>> {0};\nif (has_{0}_) {{\n    {0} = "
                        "support::recall({0}_, *this);\n}}\n",
                        name);
                    break;
                case InputKind::ListOfOptionals:
                    text += fmt::format(
                        "const auto {0} = support::optional_tensors(support::recall({0}_, *this));\n", name);
                    break;
            }
        }
        for (const std::size_t i : saved_.outputs) {
            text += fmt::format("const auto {0} = support::recall({0}_, *this);\n", plan_.outputs[i]);
        }
        for (const std::size_t i : saved_.attrs) {
            text += fmt::format("const {} {} = {};\n", stored_or_view_type(i), plan_.attrs[i],
                                from_stored(plan_.op->attrs[i], plan_.attrs[i] + "_"));
        }
        return text;
    }

    std::string stored_or_view_type(std::size_t attr) const {
        std::string type = argument_type(plan_.op->attrs[attr]);
        return type.starts_with("const ") ? type.substr(6) : type;
    }

    std::string apply() const {
        std::vector<std::string> sources(plan_.op->inputs.size());
        std::string compute;
        if (const auto* op = std::get_if<BackwardOp>(&plan_.op->backward)) {
            compute = gradients_by_op(*op, sources);
        } else {
            compute = "const auto needed = [&](size_t edge) { return task_should_compute_output(edge); };\n" +
                      gradients_by_formula(std::get<BackwardFormulas>(plan_.op->backward), sources);
        }
        std::string puts;
        for (std::size_t i = 0; i < plan_.op->inputs.size(); ++i) {
            if (plan_.op->inputs[i].bound_to_none) {
                continue;
            }
            const bool list = spec::is_list(plan_.op->inputs[i].kind);
            const std::string count = list ? plan_.inputs[i] + "_count_" : "";
            if (sources[i].empty()) {
                puts += fmt::format("writer.skip({});\n", count);
            } else {
                puts += fmt::format("writer.put({}{});\n", sources[i], list ? ", " + count : "");
            }
        }
        return "support::variable_list result(num_outputs());\n"
               "if (!support::any_defined(grads)) {\n    return result;\n}\n" +
               recall_gradients() + recall_saved() + compute + "support::GradientWriter writer(result);\n" +
               puts + "return result;\n";
    }

    const OperatorPlan& plan_;
    const PackagePlan& package_;
    Saved saved_;
    std::vector<std::size_t> gradients_;
    std::vector<std::size_t> counted_;
};

}  // namespace

BackwardNode backward_node(const OperatorPlan& plan, const PackagePlan& package) {
    const BackwardText text(plan, package);
    return {text.node_class(), text.save(), text.save_outputs()};
}

}  // namespace opweld::codegen
