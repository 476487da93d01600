// `backward` in its three forms.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "spec/expression.h"
#include "spec/names.h"
#include "spec/schema.h"
#include "spec/sections.h"
#include "spec/swapped_gradients.h"

namespace opweld::spec {
namespace {

enum class Grad { Yes, No, Unknown };

Grad differentiable_input(const InputDesc& input) {
    if (input.types.dtypes.empty()) {
        return Grad::Unknown;
    }
    return std::any_of(input.types.dtypes.begin(), input.types.dtypes.end(),
                       [](DType dtype) { return differentiable(dtype); })
               ? Grad::Yes
               : Grad::No;
}

bool passes(InputKind from, InputKind to) {
    if (from == to) {
        return true;
    }
    switch (from) {
        case InputKind::Tensor:
            return to == InputKind::OptionalTensor;
        case InputKind::TensorList:
            return is_list(to);
        default:
            return false;
    }
}

bool passes(const AttrType& from, AttrType to) {
    to.optional = to.optional && from.optional;
    if (from.kind == AttrKind::Int && to.kind == AttrKind::SymInt) {
        to.kind = AttrKind::Int;
    }
    if (!to.fixed_size) {  // a list of a fixed size is a list
        to.fixed_size = from.fixed_size;
    }
    return from == to;
}

class BackwardReader {
  public:
    BackwardReader(NodeReader& reader, const Node& node, Package& package, std::size_t index,
                   const std::vector<bool>& faulty)
        : reader_(reader), node_(node), package_(package), op_(package.ops[index]), faulty_(faulty) {}

    void read_call() {
        if (!reader_.check_map(node_, backward_keys(), node_.at)) {
            return;
        }
        const auto target = reader_.text(node_, backward_keys(), "op");
        const std::vector<Located<std::string>> args = reader_.names(node_, backward_keys(), "args");
        const std::vector<Located<std::string>> gives = reader_.names(node_, backward_keys(), "gives");
        BackwardOp call;
        call.at = node_.at;
        const Operator* callee = target ? package_.find(target->value) : nullptr;
        for (const Located<std::string>& arg : args) {
            read_argument(call, arg);
        }
        if (callee == nullptr) {
            if (target) {
                std::vector<std::string> names;
                for (const Operator& other : package_.ops) {
                    if (&other != &op_) {  // hardly its own backward
                        names.push_back(other.name);
                    }
                }
                reader_.out().report("OW401", node_.find("op")->value->span(),
                                     fmt::format("there is no operator '{}' in this file", target->value),
                                     "an operator of this file", suggestion(target->value, names));
            }
            return;
        }
        call.op_index = static_cast<std::size_t>(callee - package_.ops.data());
        call.op = callee->qualified_name();
        const bool whole = !faulty_[call.op_index];
        if (whole && call.args.size() == args.size()) {
            check_call(call, *callee);
        }
        read_gives(call, *callee, gives, whole);
        op_.backward = std::move(call);
    }

    void read_formulas() {
        BackwardFormulas formulas;
        formulas.at = node_.at;
        const expr::Scope scope = formula_scope();
        std::set<std::size_t> given;
        for (const MapEntry& entry : node_.entries) {
            const Span span{entry.at, std::max<std::size_t>(entry.key.size(), 1)};
            const auto input = op_.find_input(entry.key);
            if (!input) {
                std::vector<std::string> names = input_names();
                const bool call = entry.key == "args" || entry.key == "gives";
                reader_.out().report("OW405", span, fmt::format("there is no input '{}'", entry.key),
                                     names.empty() ? "a tensor input" : join_words(names, "or"),
                                     call ? "add 'op', the operator that computes the gradients"
                                          : suggestion(entry.key, names));
                continue;
            }
            if (!entry.value->is_scalar()) {
                reader_.wrong_kind(*entry.value, entry.key, "an ATen expression", "put it in double quotes");
                continue;
            }
            warn_if_integral(*input, span);
            BackwardFormulas::Entry item{*input, {entry.value->text, entry.value->position_of(0), nullptr}};
            compile(item.formula, entry.value.get(), scope, reader_.out());
            formulas.entries.push_back(std::move(item));
            given.insert(*input);
        }
        if (given.size() == node_.entries.size()) {
            note_missing(given, node_.at);
        }
        op_.backward = std::move(formulas);
    }

  private:
    std::vector<std::string> input_names() const {
        std::vector<std::string> names;
        for (const InputDesc& input : op_.inputs) {
            names.push_back(input.name);
        }
        return names;
    }

    expr::Scope formula_scope() const {
        expr::Scope scope = argument_scope(op_);
        for (const Let& let : op_.lets) {
            scope.emplace(let.name,
                          let.expr.checked ? let.expr.checked->expression.type() : expr::Type::error());
        }
        std::size_t tensors = 0;
        for (const OutputDesc& output : op_.outputs) {
            scope.emplace(output.name, expression_type(output));
            if (output.is_tensor()) {
                ++tensors;
                scope.emplace("grad_" + output.name, output.kind == OutputKind::TensorList
                                                         ? expr::Type::list(expr::Type::tensor())
                                                         : expr::Type::tensor());
            }
        }
        if (tensors == 1 && scope.find("grad") == scope.end()) {
            const auto only = std::find_if(op_.outputs.begin(), op_.outputs.end(),
                                           [](const OutputDesc& output) { return output.is_tensor(); });
            scope.emplace("grad", scope.at("grad_" + only->name));
        }
        return scope;
    }

    void read_argument(BackwardOp& call, const Located<std::string>& arg) {
        BackwardArg result;
        result.name = arg.value;
        result.at = arg.at;
        if (const auto input = op_.find_input(arg.value)) {
            result.index = *input;
            call.args.push_back(std::move(result));
            return;
        }
        if (const auto attr = op_.find_attr(arg.value)) {
            result.from = BackwardArg::From::Attr;
            result.index = *attr;
            call.args.push_back(std::move(result));
            return;
        }
        const bool gradient = arg.value.starts_with("grad_");
        const std::string_view name = std::string_view(arg.value).substr(gradient ? 5 : 0);
        if (const auto output = op_.find_output(name); output && op_.outputs[*output].is_tensor()) {
            result.from = gradient ? BackwardArg::From::Gradient : BackwardArg::From::Output;
            result.index = *output;
            call.args.push_back(std::move(result));
            return;
        }
        std::vector<std::string> names;
        for (const OutputDesc& output : op_.outputs) {
            if (output.is_tensor()) {
                names.push_back("grad_" + output.name);
            }
        }
        for (const std::string& input : input_names()) {
            names.push_back(input);
        }
        for (const AttrDesc& attr : op_.attrs) {
            names.push_back(attr.name);
        }
        for (const OutputDesc& output : op_.outputs) {
            names.push_back(output.name);
        }
        reader_.out().report("OW402", {arg.at, std::max<std::size_t>(arg.value.size(), 1)},
                             fmt::format("'{}' is nothing that the operator has", arg.value),
                             join_words(names, "or"), suggestion(arg.value, names));
    }

    // What an argument is in the schema of the operator that is called: its type there.
    std::string type_text(const BackwardArg& arg) const {
        switch (arg.from) {
            case BackwardArg::From::Gradient:
            case BackwardArg::From::Output:
                return op_.outputs[arg.index].kind == OutputKind::TensorList ? "Tensor[]" : "Tensor";
            case BackwardArg::From::Input: {
                InputDesc plain = op_.inputs[arg.index];
                plain.mutates = false;
                plain.alias_set.clear();
                return schema_type(plain);
            }
            case BackwardArg::From::Attr:
                return schema_type(op_.attrs[arg.index].type);
        }
        return "";
    }

    bool fits(const BackwardArg& arg, const Operator& callee, const Argument& parameter) const {
        if (arg.from == BackwardArg::From::Attr) {
            return parameter.from == Argument::From::Attr &&
                   passes(op_.attrs[arg.index].type, callee.attrs[parameter.index].type);
        }
        if (parameter.from != Argument::From::Input) {
            return false;
        }
        const InputKind to = callee.inputs[parameter.index].kind;
        if (arg.from == BackwardArg::From::Input) {
            return passes(op_.inputs[arg.index].kind, to);
        }
        const bool list = op_.outputs[arg.index].kind == OutputKind::TensorList;
        return passes(list ? InputKind::TensorList : InputKind::Tensor, to);
    }

    void check_call(BackwardOp& call, const Operator& callee) {
        const std::size_t count = callee.arguments.size();
        std::size_t needed = count;
        while (needed > 0 && callee.arguments[needed - 1].default_value) {
            --needed;
        }
        if (call.args.size() > count || call.args.size() < needed) {
            reader_.out().report("OW403", {node_.find("args")->value->at, 1},
                                 fmt::format("{} for an operator that takes {}",
                                             count_of(call.args.size(), "argument"), count),
                                 callee.schema);
            return;
        }
        bool fitting = true;
        for (std::size_t index = 0; index < call.args.size(); ++index) {
            BackwardArg& arg = call.args[index];
            arg.argument = index;
            const Argument& parameter = callee.arguments[index];
            if (!fits(arg, callee, parameter)) {
                const bool input = parameter.from == Argument::From::Input;
                const std::string& name =
                    input ? callee.inputs[parameter.index].name : callee.attrs[parameter.index].name;
                const std::string type = input ? schema_type(callee.inputs[parameter.index])
                                               : schema_type(callee.attrs[parameter.index].type);
                reader_.out().report("OW403", {arg.at, std::max<std::size_t>(arg.name.size(), 1)},
                                     fmt::format("'{}' is {} and the backward operator takes {} {} there",
                                                 arg.name, type_text(arg), type, name),
                                     callee.schema);
                fitting = false;
            }
        }
        if (fitting) {
            warn_of_other_places(call, callee);
            warn_of_defaults(call, callee);
        }
    }

    static const std::string& parameter_name(const Operator& callee, std::size_t index) {
        const Argument& parameter = callee.arguments[index];
        return parameter.from == Argument::From::Input ? callee.inputs[parameter.index].name
                                                       : callee.attrs[parameter.index].name;
    }

    // An argument that stands where the backward operator takes another one, and has a place of its name.
    void warn_of_other_places(const BackwardOp& call, const Operator& callee) {
        for (std::size_t index = 0; index < call.args.size(); ++index) {
            const BackwardArg& arg = call.args[index];
            for (std::size_t other = 0; other < callee.arguments.size(); ++other) {
                if (other != index && parameter_name(callee, other) == arg.name &&
                    parameter_name(callee, index) != arg.name) {
                    reader_.out().report("OW421", {arg.at, std::max<std::size_t>(arg.name.size(), 1)},
                                         fmt::format("'{}' is put where the backward operator takes '{}'",
                                                     arg.name, parameter_name(callee, index)),
                                         callee.schema, "write them in the order of the schema");
                }
            }
        }
    }

    // An attribute or input of the operator that the backward operator computes with, and doesn't get.
    void warn_of_defaults(const BackwardOp& call, const Operator& callee) {
        for (std::size_t index = call.args.size(); index < callee.arguments.size(); ++index) {
            const std::string& name = parameter_name(callee, index);
            if (op_.find_attr(name) || op_.find_input(name)) {
                reader_.out().report(
                    "OW421", {node_.find("args")->value->at, 1},
                    fmt::format("'{}' is left out: the backward operator computes with its own default",
                                name),
                    callee.schema, fmt::format("add '{}' to args", name));
            }
        }
    }

    void read_gives(BackwardOp& call, const Operator& callee, const std::vector<Located<std::string>>& gives,
                    bool whole) {
        std::set<std::size_t> given;
        for (std::size_t index = 0; index < gives.size(); ++index) {
            const Located<std::string>& name = gives[index];
            const Span span{name.at, std::max<std::size_t>(name.value.size(), 1)};
            const auto input = op_.find_input(name.value);
            if (!input) {
                const bool gradient = name.value.starts_with("grad_") && op_.find_input(name.value.substr(5));
                reader_.out().report("OW404", span, fmt::format("there is no input '{}'", name.value),
                                     join_words(input_names(), "or"),
                                     gradient ? fmt::format("name the input: '{}'", name.value.substr(5))
                                              : suggestion(name.value, input_names()));
                continue;
            }
            if (!given.insert(*input).second) {
                reader_.out().report("OW404", span, fmt::format("'{}' is given twice", name.value),
                                     "each input once");
                continue;
            }
            warn_if_integral(*input, span);
            if (whole && index < callee.outputs.size()) {
                const OutputDesc& output = callee.outputs[index];
                const bool list = output.kind == OutputKind::TensorList;
                if (!output.is_tensor() || list != is_list(op_.inputs[*input].kind)) {
                    reader_.out().report(
                        "OW404", span,
                        fmt::format("the output '{}' can't be the gradient of '{}'", output.name, name.value),
                        fmt::format("an output of type {}",
                                    is_list(op_.inputs[*input].kind) ? "Tensor[]" : "Tensor"));
                }
            }
            call.gives.push_back(*input);
        }
        const MapEntry* entry = node_.find("gives");
        if (whole && entry != nullptr && entry->value->is_sequence() &&
            gives.size() != callee.outputs.size()) {
            reader_.out().report("OW404", {entry->value->at, 1},
                                 fmt::format("{} for {} of '{}'", count_of(gives.size(), "input"),
                                             count_of(callee.outputs.size(), "output"), callee.name),
                                 count_of(callee.outputs.size(), "input"));
        }
        if (given.size() == gives.size()) {
            note_missing(given, node_.at);
            if (whole && gives.size() == callee.outputs.size() && call.gives.size() == gives.size()) {
                report_swapped(call, callee, gives);
            }
        }
    }

    void report_swapped(const BackwardOp& call, const Operator& callee,
                        const std::vector<Located<std::string>>& gives) {
        const auto swapped = swapped_gradients(call, callee);
        if (!swapped) {
            return;
        }
        const auto [first, second] = *swapped;
        std::string right;
        for (std::size_t index = 0; index < gives.size(); ++index) {
            right += (index == 0 ? "" : ", ") + gives[index == first    ? second
                                                      : index == second ? first
                                                                        : index]
                                                    .value;
        }
        reader_.out().report("OW404", {gives[first].at, std::max<std::size_t>(gives[first].value.size(), 1)},
                             fmt::format("the output '{}' has the shape of '{}', and is given to '{}'",
                                         callee.outputs[first].name, gives[second].value, gives[first].value),
                             "the inputs in the order of the backward operator's outputs",
                             fmt::format("write gives: [{}]", right));
    }

    void warn_if_integral(std::size_t input, Span span) {
        if (differentiable_input(op_.inputs[input]) == Grad::No) {
            reader_.out().report(
                "OW408", span,
                fmt::format("'{}' is never a float and has no gradient", op_.inputs[input].name),
                "inputs that can be floats");
        }
    }

    void note_missing(const std::set<std::size_t>& given, Position at) {
        for (std::size_t index = 0; index < op_.inputs.size(); ++index) {
            const InputDesc& input = op_.inputs[index];
            if (!given.contains(index) && !input.bound_to_none && differentiable_input(input) == Grad::Yes) {
                reader_.out().report("OW409", {at, 1}, fmt::format("'{}' gets no gradient", input.name),
                                     "a gradient for every input that can be a float");
            }
        }
    }

    NodeReader& reader_;
    const Node& node_;
    Package& package_;
    Operator& op_;
    const std::vector<bool>& faulty_;
};

void note_unstated(NodeReader& reader, const Operator& op) {
    const bool floats = std::any_of(op.inputs.begin(), op.inputs.end(), [](const InputDesc& input) {
        return differentiable_input(input) == Grad::Yes;
    });
    if (floats && !op.mutates()) {
        reader.out().report(
            "OW407", {op.at, std::max<std::size_t>(op.name.size(), 1)},
            fmt::format("'{}' doesn't say what its backward is", op.name), "'backward'",
            "write the formula, 'backward: {x: \"grad * …\"}', or the operator that computes it; "
            "'backward: none' refuses to differentiate");
    }
}

}  // namespace

void read_backward(NodeReader& reader, const Node& node, Package& package, std::size_t index,
                   const std::vector<bool>& faulty) {
    Operator& op = package.ops[index];
    const MapEntry* entry = node.find("backward");
    if (entry == nullptr) {
        if (package.origin == Package::Origin::Yaml && !faulty[index]) {
            note_unstated(reader, op);
        }
        return;
    }
    const Node& backward = *entry->value;
    if (backward.is_scalar() && backward.text == "none") {
        op.backward = BackwardNone{true, backward.at};
        return;
    }
    if (backward.is_scalar()) {
        reader.out().report("OW113", backward.span(), fmt::format("'backward' can't be '{}'", backward.text),
                            "none, {op: ..., args: [...], gives: [...]} or {input: formula}");
        return;
    }
    if (!backward.is_map()) {
        reader.wrong_kind(backward, "backward", form_name(Form::Backward));
        return;
    }
    if (op.mutates()) {
        reader.out().report("OW419", {entry->at, entry->key.size()},
                            fmt::format("'{}' writes into its inputs and has a backward", op.name),
                            "backward: none");
        return;
    }
    BackwardReader parts(reader, backward, package, index, faulty);
    if (backward.find("op") != nullptr && !op.find_input("op")) {
        parts.read_call();
    } else {
        parts.read_formulas();
    }
}

}  // namespace opweld::spec
