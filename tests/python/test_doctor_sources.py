"""Reading sources: schemas, C++ types, places; healthy packages raise no finding."""

import shutil
from pathlib import Path

import pytest

from opweld.doctor.examine import examine_sources
from opweld.doctor.functions import Functions
from opweld.doctor.schema import SchemaError, parse_schema
from opweld.doctor.sources import cpp_types
from opweld.doctor.sources.cpp import read_cpp
from opweld.doctor.sources.python import read_python
from opweld.doctor.sources.text import SourceText

NO_CANN = Functions(False, "libopapi.so")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("f(Tensor x) -> Tensor", ["Tensor"]),
        (
            "ns::f.out(Tensor(a!) x, *, int[2]? size=None, Tensor?z=None) -> ()",
            ["Tensor(a!)", "int[2]?", "Tensor?"],
        ),
        (
            "f(Tensor[] x, str mode='a, b)', float? p = 1e-5) -> (Tensor y, Tensor[] z)",
            ["Tensor[]", "str", "float?"],
        ),
    ],
)
def test_schemas(text, shown):
    assert [str(argument.type) for argument in parse_schema(text).arguments] == shown


@pytest.mark.parametrize(
    ("text", "told", "offset"),
    [
        ("f(Tensor x)", "expected '->'", 11),
        ("f(Tensor x -> Tensor", "is not closed", 1),
        ("f(at::Tensor x) -> Tensor", "write Tensor", 2),
        ("f(Tensor x, int) -> Tensor", "expected a name", 15),
        ("f(Tensor x, Tensor x) -> Tensor", "is there twice", 18),
        ("f Tensor x -> Tensor", "expected '('", 2),
    ],
)
def test_schemas_that_cannot_be_read(text, told, offset):
    with pytest.raises(SchemaError, match=told.replace("(", r"\(")) as caught:
        parse_schema(text)
    assert caught.value.offset == offset


def kind(text: str):
    return parse_schema(f"f({text} x) -> Tensor").arguments[0].type


@pytest.mark.parametrize(
    ("schema", "cpp"),
    [
        ("Tensor", "const at::Tensor &"),
        ("Tensor?", "const c10::optional<torch::Tensor>&"),
        ("Tensor[]", "at::TensorList"),
        ("Tensor?[]", "const c10::List<std::optional<at::Tensor>>&"),
        ("int", "int64_t"),
        ("SymInt", "c10::SymInt"),
        ("int[]?", "at::OptionalIntArrayRef"),
        ("float[]", "at::ArrayRef<double>"),
        ("bool[3]", "std::array<bool, 3>"),
        ("str", "c10::string_view"),
        ("ScalarType?", "std::optional<at::ScalarType>"),
        ("Tensor", "MyAlias"),  # whatever that is
    ],
)
def test_types_that_a_kernel_may_take(schema, cpp):
    assert cpp_types.matches(cpp, kind(schema))


@pytest.mark.parametrize(
    ("schema", "cpp", "wanted"),
    [
        ("int", "int", "int64_t"),
        ("float", "float", "double"),
        ("Tensor?", "const at::Tensor&", "std::optional<at::Tensor>"),
        ("Tensor", "const std::optional<at::Tensor>&", "const at::Tensor&"),
        ("bool", "int64_t", "bool"),
        ("int[]", "double", "at::IntArrayRef"),
    ],
)
def test_types_that_a_kernel_may_not_take(schema, cpp, wanted):
    assert not cpp_types.matches(cpp, kind(schema))
    assert cpp_types.shown(kind(schema)) == wanted


def test_columns_count_characters():
    text = 'TORCH_LIBRARY(über, m) { /* äöü */ m.def("f(Tensor x) -> Tensor"); }\n'
    facts, findings = read_cpp(SourceText("a.cpp", text.encode()))
    assert not findings
    place = facts.definitions[0].place
    assert (place.line, place.column) == (1, text.index('"') + 1)


def test_a_schema_in_pieces_and_macros_around_it():
    text = b"""TORCH_LIBRARY(ops, m) {
    m.def(TORCH_SELECTIVE_SCHEMA("f(Tensor x, "
          "int n) -> Tensor"));
    m.def(std::string(schema));
}"""
    facts, findings = read_cpp(SourceText("a.cpp", text))
    assert not findings
    assert [str(item.type) for item in facts.definitions[0].schema.arguments] == ["Tensor", "int"]
    assert facts.opaque == {"ops"}


def test_python_in_every_usual_way():
    text = b"""
import torch
from torch.library import Library, impl, register_fake as fake
lib = Library("ops", "FRAGMENT")
lib.define("f(Tensor x) -> Tensor")
@impl(lib, "f", "NPU")
def f(x): return x
@fake("ops::f")
def _(x): return x
@torch.library.custom_op("ops::g", mutates_args=(), device_types="npu")
def g(x: torch.Tensor, n: int | None = None) -> torch.Tensor: return x
@g.register_fake
def _(x, n=None): return x
g.register_autograd(lambda ctx, grad: (grad, None))
torch.library.define("ops::h", "(Tensor x) -> Tensor")
torch.library.impl("ops::h", "npu", f)
"""
    _, facts, findings = read_python(SourceText("a.py", text))
    assert not findings
    assert {item.qualified for item in facts.definitions} == {"ops::f", "ops::g", "ops::h"}
    registered = sorted((item.qualified, item.key) for item in facts.implementations)
    assert registered == [
        ("ops::f", "Meta"), ("ops::f", "PrivateUse1"),
        ("ops::g", "Autograd"), ("ops::g", "Meta"), ("ops::g", "PrivateUse1"),
        ("ops::h", "PrivateUse1"),
    ]  # fmt: skip
    custom = next(item for item in facts.definitions if item.name == "g")
    assert str(custom.schema.arguments[1].type) == "int?"


def test_the_tutorial_is_healthy(root):
    assert examine_sources(root / "examples" / "custom_linear", functions=NO_CANN) == []


def test_generated_code_is_healthy(root, tmp_path):
    for path in (root / "tests" / "data" / "codegen").rglob("*.golden"):
        copy = tmp_path / path.relative_to(root / "tests").with_suffix("")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    findings = examine_sources(tmp_path, functions=NO_CANN)
    assert [str(item) for item in findings] == []


def test_scripts_of_one_folder_do_not_meet(tmp_path):
    code = 'import torch\nlib = torch.library.Library("ops", "DEF")\n'
    for name in ("test_a.py", "test_b.py"):
        (tmp_path / name).write_text(code)
    assert examine_sources(tmp_path, functions=NO_CANN) == []
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(code)
    assert [item.rule_id for item in examine_sources(tmp_path, functions=NO_CANN)] == ["OW701"]


@pytest.mark.parametrize(
    "text", [b"", b"\0\xff\xfe", b"TORCH_LIBRARY(", b"TORCH_LIBRARY(a, m) { m.def(", b"}" * 99]
)
@pytest.mark.parametrize("name", ["a.cpp", "a.py", "a.yaml"])
def test_broken_files_break_nothing(tmp_path, name, text):
    (tmp_path / name).write_bytes(text)
    for item in examine_sources(tmp_path, functions=NO_CANN):
        assert item.place.subject == str(tmp_path / name)


def test_a_fifo_or_a_broken_link_is_passed_over(tmp_path):
    (tmp_path / "a.py").symlink_to(tmp_path / "nowhere.py")
    assert examine_sources(Path(tmp_path), functions=NO_CANN) == []


HEALTHY = """
import torch


@torch.library.custom_op("mylib::mul", mutates_args=())
def mul(x: torch.Tensor, y: float) -> torch.Tensor:
    return x * y


@mul.register_fake
def _(x, y):
    if x.shape[0] != 4 and y:
        raise ValueError("no")
    return x.new_empty(x.shape[0] * 2, len(x.shape))


def backward(ctx, grad):
    return grad * 2, None


mul.register_autograd(backward)


class Local(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, *rest):
        y = x.clone()
        y.add_(1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, *grads):
        return tuple(grads)


class InPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2
"""


def test_healthy_python(tmp_path):
    (tmp_path / "ops.py").write_text(HEALTHY)
    found = examine_sources(tmp_path, functions=NO_CANN)
    assert [f"{item.place}: {item.message}" for item in found] == []


def test_keys_in_every_usual_way():
    text = b"""TORCH_LIBRARY(ops, m) {
    m.def("f(Tensor x) -> Tensor");
    m.impl("f", torch::kCPU, f);
    m.impl("f", c10::DispatchKey::Meta, TORCH_FN(f));
    m.impl("f", torch::dispatch(c10::DispatchKey::PrivateUse1, f));
    m.def("g(Tensor x) -> Tensor", torch::dispatch(torch::kXPU, f));
}"""
    facts, _ = read_cpp(SourceText("a.cpp", text))
    assert [item.key for item in facts.implementations] == ["CPU", "Meta", "PrivateUse1", "XPU"]
