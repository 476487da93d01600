// tests/test_<op>.py and the helper that they share.

#include <fmt/format.h>

#include <algorithm>

#include "codegen/generators.h"
#include "codegen/kernel_call.h"
#include "codegen/python_types.h"
#include "codegen/samples.h"
#include "codegen/text.h"

namespace opweld::codegen {

namespace {

using spec::AttrDesc;
using spec::AttrKind;
using spec::expr::ListValue;
using spec::expr::TensorValue;
using spec::expr::Value;

constexpr std::size_t samples_per_operator = 6;

std::string tensor_text(const TensorValue& tensor) {
    std::vector<std::string> sizes;
    for (const std::int64_t size : tensor.shape) {
        sizes.push_back(std::to_string(size));
    }
    return fmt::format("T({}, [{}])", python_string(opweld::expr::dtype_name(tensor.dtype)), join(sizes));
}

std::string value_text(const Value& value, const AttrDesc* attr) {
    if (const auto* tensor = std::get_if<TensorValue>(&value.data)) {
        return tensor_text(*tensor);
    }
    if (const auto* list = std::get_if<ListValue>(&value.data)) {
        std::vector<std::string> items;
        for (const Value& item : *list) {
            items.push_back(value_text(item, attr));
        }
        return fmt::format("[{}]", join(items));
    }
    if (const auto* dtype = std::get_if<opweld::expr::DType>(&value.data)) {
        return fmt::format("torch.{}", opweld::expr::dtype_name(*dtype));
    }
    if (const auto* text = std::get_if<std::string>(&value.data)) {
        const bool object = attr != nullptr && (attr->type.kind == AttrKind::Layout ||
                                                attr->type.kind == AttrKind::MemoryFormat);
        return object ? "torch." + *text : python_string(*text);
    }
    if (std::holds_alternative<std::monostate>(value.data)) {
        return "None";
    }
    return value.text();
}

std::string sample_text(const OperatorPlan& plan, const Sample& sample) {
    std::vector<std::string> items;
    for (const Parameter& parameter : plan.parameters) {
        const std::size_t index = parameter.argument->index;
        const bool input = parameter.input != nullptr;
        items.push_back(fmt::format("{}: {}",
                                    python_string(input ? parameter.input->name : parameter.attr->name),
                                    input ? value_text(sample.inputs[index], nullptr)
                                          : value_text(sample.attrs[index], parameter.attr)));
    }
    return wrap("{", items, "},\n", 4);
}

bool is_random(const OperatorPlan& plan) {
    return std::any_of(plan.op->attrs.begin(), plan.op->attrs.end(),
                       [](const AttrDesc& attr) { return attr.type.kind == AttrKind::Generator; });
}

bool has_reference(const OperatorPlan& plan) { return !plan.op->reference.empty() && !is_random(plan); }

bool has_cpu_kernel(const OperatorPlan& plan) {
    return plan.cpp != nullptr || plan.compose != nullptr || plan.is_view();
}

// torch's schema check cannot make arguments of these types from Python.
bool defeats_schema_check(const OperatorPlan& plan) {
    return std::any_of(plan.op->attrs.begin(), plan.op->attrs.end(), [](const AttrDesc& attr) {
        return attr.type.list_depth == 2 ||
               (attr.type.list_depth == 1 && attr.type.kind == AttrKind::ScalarType);
    });
}

// Whether some sample can run with float64 tensors: gradcheck needs them.
bool takes_float64(const OperatorPlan& plan) {
    return std::all_of(plan.op->inputs.begin(), plan.op->inputs.end(), [](const spec::InputDesc& input) {
        const auto& types = input.types.dtypes;
        return types.empty() || std::find(types.begin(), types.end(), spec::DType::Float64) != types.end() ||
               std::none_of(types.begin(), types.end(), spec::differentiable);
    });
}

std::string reference_function(const OperatorPlan& plan) {
    std::string bound;
    for (const AttrDesc& attr : plan.op->attrs) {
        if (attr.bound) {
            bound += fmt::format("    {} = {}\n", attr.name, python_value(*attr.bound));
        }
    }
    for (const spec::InputDesc& input : plan.op->inputs) {
        if (input.bound_to_none) {
            bound += fmt::format("    {} = None\n", input.name);
        }
    }
    std::vector<std::string> names;
    for (const Parameter& parameter : plan.parameters) {
        names.push_back(parameter.input != nullptr ? parameter.input->name : parameter.attr->name);
    }
    return fmt::format("def reference({}):\n{}    return {}\n", join(names), bound, plan.op->reference);
}

std::string test_bodies(const OperatorPlan& plan) {
    const bool differentiable = !std::holds_alternative<spec::BackwardNone>(plan.op->backward);
    const bool reference = has_reference(plan);
    std::string text;
    if (plan.depends_on_data()) {
        text += R"py(

@pytest.mark.parametrize("sample", SAMPLES)
def test_meta_refuses(sample):
    arguments = make(sample, "meta")
    if any(isinstance(value, torch.Tensor) for value in arguments.values()):
        with pytest.raises(RuntimeError, match="data-dependent shape|depends on the values"):
            call(OPERATOR, arguments)
)py";
    } else {
        text += R"py(

@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("device", DEVICES)
def test_meta(sample, device):
    same_form(call(OPERATOR, make(sample, "meta")), call(OPERATOR, make(sample, device)))
)py";
    }
    if (reference) {
        text += R"py(

@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("device", DEVICES)
def test_reference(sample, device):
    expected = reference(**make(sample, "cpu"))
    close(call(OPERATOR, make(sample, device)), expected)
)py";
    }
    if (!is_random(plan)) {
        text += R"py(

@pytest.mark.npu
@pytest.mark.skipif("npu" not in DEVICES, reason="no NPU")
@pytest.mark.parametrize("sample", SAMPLES)
def test_npu(sample):
    on_cpu, on_npu = make(sample, "cpu"), make(sample, "npu")
    close(call(OPERATOR, on_npu), call(OPERATOR, on_cpu))
    close(on_npu, on_cpu)
)py";
    }
    if (!plan.depends_on_data() && !is_random(plan)) {
        text += R"py(

@pytest.mark.parametrize("sample", SAMPLES)
def test_opcheck(sample):
    arguments = make(sample, "cpu", requires_grad=@requires_grad@)
    torch.library.opcheck(OPERATOR, *split(OPERATOR, arguments)@utilities@)
)py";
    }
    if (differentiable && reference) {
        text += R"py(

@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("device", DEVICES)
def test_gradients(sample, device):
    close(gradients(lambda **a: call(OPERATOR, a), make(sample, device, requires_grad=True)),
          gradients(reference, make(sample, "cpu", requires_grad=True)))
)py";
    }
    if (differentiable && takes_float64(plan)) {
        text += R"py(

@pytest.mark.parametrize("sample", SAMPLES)
def test_gradcheck(sample):
    check_gradients(OPERATOR, make(sample, "cpu", requires_grad=True, dtype=torch.float64))
)py";
    }
    const char* utilities = defeats_schema_check(plan)
                                ? ", test_utils=(\"test_autograd_registration\", \"test_faketensor\", "
                                  "\"test_aot_dispatch_dynamic\")"
                                : "";
    return fill(text, {{"requires_grad", differentiable ? "True" : "False"}, {"utilities", utilities}});
}

// The reference, and the samples made such that its results (or the operator's own) are finite.
std::string chosen_samples(const OperatorPlan& plan) {
    if (has_reference(plan)) {
        return "\n\n" + reference_function(plan) + "\n\nSAMPLES = finite(SAMPLES, reference)";
    }
    return has_cpu_kernel(plan) && !is_random(plan)
               ? "SAMPLES = finite(SAMPLES, lambda **arguments: call(OPERATOR, arguments))"
               : "";
}

SourceFile test_file(const PackagePlan& plan, const OperatorPlan& op) {
    std::string samples;
    for (const Sample& sample : find_samples(*op.op, samples_per_operator)) {
        samples += sample_text(op, sample);
    }
    const std::string skip = samples.empty() ? "pytestmark = pytest.mark.skip(reason=\"no small arguments "
                                               "satisfy the operator's constraints\")\n"
                                             : "";
    const std::string bodies = test_bodies(op);
    const std::string chosen = chosen_samples(op);
    std::vector<std::string> helpers{"T"};
    for (const char* name :
         {"call", "check_gradients", "close", "finite", "gradients", "make", "same_form", "split"}) {
        if ((chosen + bodies).find(std::string(name) + "(") != std::string::npos) {
            helpers.emplace_back(name);
        }
    }
    helpers.emplace_back("devices");
    std::sort(helpers.begin(), helpers.end());
    return {
        "tests/test_" + op.name + ".py",
        fill(R"py(@banner@
"""@qualified@ against its meta function, its reference and the rules of torch.library."""

import pytest
import torch
from operator_testing import @helpers@

import @package@  # noqa: F401  (registers the operator)

OPERATOR = @operator@
DEVICES = devices(cpu=@cpu@, npu=@npu@)
# Found by search: small arguments that satisfy the spec's constraints.
SAMPLES = [
    @samples@
]
@skip@
@bodies@
)py",
             {{"banner", banner(plan, "#")},
              {"qualified", op.qualified},
              {"helpers", join(helpers)},
              {"package", plan.package->name},
              {"operator", python_operator(op)},
              {"cpu", has_cpu_kernel(op) ? "True" : "False"},
              {"npu", op.aclnn_function.empty() && op.compose == nullptr && !op.is_view() ? "False" : "True"},
              {"samples", samples},
              {"skip", skip + chosen},
              {"bodies", bodies}})};
}

constexpr std::string_view helper_text = R"py(@banner@
"""What the test files share: arguments from their descriptions, comparisons with tolerances by dtype."""

from dataclasses import dataclass, replace

import torch

TOLERANCES = {torch.float16: 5e-3, torch.bfloat16: 2e-2, torch.float32: 1e-5}


@dataclass(frozen=True)
class T:
    """A tensor to be made."""

    dtype: str
    shape: list
    positive: bool = False

    def make(self, device, generator, dtype, high):
        own = getattr(torch, self.dtype)
        if own.is_floating_point or own.is_complex:
            wide = torch.complex128 if own.is_complex else torch.float64
            tensor = torch.randn(self.shape, generator=generator, dtype=wide)
            if self.positive and own.is_floating_point:
                tensor = torch.rand(self.shape, generator=generator, dtype=wide) + 0.5
            return tensor.to(dtype if dtype is not None and own.is_floating_point else own).to(device)
        return torch.randint(0, 2 if own == torch.bool else high, self.shape, generator=generator).to(own).to(device)


def devices(cpu, npu):
    """The devices to test on."""
    has_npu = npu and hasattr(torch, "npu") and torch.npu.is_available()
    return ["cpu"] * cpu + ["npu"] * has_npu


def make(sample, device, requires_grad=False, dtype=None):
    """The arguments of a sample: the same values on every device."""
    generator = torch.Generator().manual_seed(0)
    described = list(_leaves(sample))
    high = min([size for leaf in described for size in leaf.shape] + [3])

    def build(value):
        if isinstance(value, T):
            tensor = value.make(device, generator, dtype, high)
            differentiable = tensor.is_floating_point() or tensor.is_complex()
            return tensor.requires_grad_(requires_grad and differentiable)
        return [build(item) for item in value] if isinstance(value, list) else value

    return {name: build(value) for name, value in sample.items()}


def _leaves(value):
    if isinstance(value, T):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item)


def finite(samples, function):
    """The samples; with numbers between 0.5 and 1.5 where the function's results are finite with those only."""
    return [_positive(sample) if _overflows(sample, function) and not _overflows(_positive(sample), function)
            else sample for sample in samples]


def _overflows(sample, function):
    try:
        results = tensors(function(**make(sample, "cpu")))
    except Exception:  # the tests say so
        return False
    return any(not bool(tensor.isfinite().all()) for tensor in results)


def _positive(value):
    if isinstance(value, T):
        return replace(value, positive=True)
    if isinstance(value, dict):
        return {name: _positive(item) for name, item in value.items()}
    return [_positive(item) for item in value] if isinstance(value, list) else value


def split(operator, arguments):
    """Positional and keyword arguments, as the schema has them."""
    keyword_only = {argument.name for argument in operator._schema.arguments if argument.kwarg_only}
    positional = [arguments[a.name] for a in operator._schema.arguments if not a.kwarg_only]
    return positional, {name: value for name, value in arguments.items() if name in keyword_only}


def call(operator, arguments):
    """Calls the operator; a `device` argument that is absent follows the tensors."""
    positional, keywords = split(operator, arguments)
    return operator(*positional, **keywords)


def tensors(value):
    """All tensors in a result or in arguments, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors(item)]
    return []


def same_form(result, other):
    """Shapes, strides and dtypes are equal."""
    assert [(t.shape, t.stride(), t.dtype) for t in tensors(result)] == [
        (t.shape, t.stride(), t.dtype) for t in tensors(other)
    ]


def close(result, expected):
    """Values are equal within the dtype's tolerance."""
    got, wanted = tensors(result), tensors(expected)
    assert len(got) == len(wanted)
    for tensor, other in zip(got, wanted):
        tolerance = TOLERANCES.get(tensor.dtype, 1e-9)
        torch.testing.assert_close(tensor.detach().cpu(), other.detach().cpu(), rtol=tolerance, atol=tolerance,
                                   equal_nan=True)


def gradients(function, arguments):
    """Gradients of the sum of all outputs; zeros where an input has no influence."""
    inputs = [tensor for tensor in tensors(arguments) if tensor.requires_grad]
    outputs = [tensor for tensor in tensors(function(**arguments)) if tensor.requires_grad]
    total = sum(output.to(torch.float32).sum() for output in outputs)
    found = torch.autograd.grad(total, inputs, allow_unused=True)
    return [torch.zeros_like(tensor) if grad is None else grad for tensor, grad in zip(inputs, found)]


def check_gradients(operator, arguments):
    """torch.autograd.gradcheck over all floating-point inputs."""
    inputs = [tensor for tensor in tensors(arguments) if tensor.requires_grad]

    def function(*values):
        given = iter(values)

        def place(value):
            if isinstance(value, torch.Tensor):
                return next(given) if value.requires_grad else value
            return [place(item) for item in value] if isinstance(value, list) else value

        result = call(operator, {name: place(value) for name, value in arguments.items()})
        return tuple(tensor for tensor in tensors(result) if tensor.requires_grad)

    assert torch.autograd.gradcheck(function, inputs)
)py";

}  // namespace

std::vector<SourceFile> python_tests(const PackagePlan& plan) {
    std::vector<SourceFile> files{
        {"tests/operator_testing.py", fill(helper_text, {{"banner", banner(plan, "#")}})}};
    for (const OperatorPlan& op : plan.ops) {
        files.push_back(test_file(plan, op));
    }
    return files;
}

}  // namespace opweld::codegen
