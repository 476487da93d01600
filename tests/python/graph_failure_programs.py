"""Operators whose graphs fail as torchair's trouble-shooting pages tell; runs on the software NPU."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import torch
import torch_npu  # noqa: F401
import torchair
from torch import Tensor

from opweld.doctor import dispatcher
from opweld.explain import explain

LIBRARY = torch.library.Library("graph_failure", "DEF")
CONVERTERS: dict[str, Callable[..., Any]] = {}


def operator(schema: str, kernel: Callable[..., Any], meta: Callable[..., Any] | bool | None = None) -> Any:
    """Defines an operator whose Meta is the kernel itself where nothing else is given; False: none."""
    name = schema.partition("(")[0]
    LIBRARY.define(schema)
    LIBRARY.impl(name, kernel, "PrivateUse1")
    if meta is not False:
        LIBRARY.impl(name, kernel if meta is None else meta, "Meta")
    LIBRARY.impl(name, torch.library.fallthrough_kernel, "Autograd")
    return getattr(torch.ops.graph_failure, name).default


def converter(overload: Any) -> Callable[[Callable[..., Any]], Any]:
    return torchair.register_fx_node_ge_converter(overload)


DTYPES = operator("dtypes(Tensor x, Tensor y) -> Tensor", lambda x, y: x + y.float())


@converter(DTYPES)
def _(x, y, *, meta_outputs=None):
    return torchair.ge.custom_op("FloorDiv", inputs={"x1": x, "x2": y}, outputs=["y"])


# Meta promises half of what the graph's operator writes.
SIZE = operator(
    "size(Tensor x) -> Tensor", lambda x: x.half(), lambda x: torch.empty_like(x, dtype=torch.float16)
)


@converter(SIZE)
def _(x, *, meta_outputs=None):
    return torchair.ge.custom_op("Relu", inputs={"x": x}, outputs=["y"])


SHAPE = operator("shape(Tensor x) -> Tensor", lambda x: x[:2] * 1, lambda x: x.new_empty([2, *x.shape[1:]]))


@converter(SHAPE)
def _(x, *, meta_outputs=None):
    return torchair.ge.custom_op("Relu", inputs={"x": x}, outputs=["y"])


RANK = operator("rank(Tensor x) -> Tensor", lambda x: x.t().contiguous())


@converter(RANK)
def _(x, *, meta_outputs=None):
    perm = torchair.ge.Const([2, 0])
    return torchair.ge.custom_op("Transpose", inputs={"x": x, "perm": perm}, outputs=["y"])


COUNT = operator("count(Tensor x) -> (Tensor, Tensor)", lambda x: (x * 1, x * 2))


@converter(COUNT)
def _(x, *, meta_outputs=None):
    return torchair.ge.custom_op("Relu", inputs={"x": x}, outputs=["y"])


DEVICE = operator("device(Tensor x) -> Tensor", lambda x: x * 1, lambda x: torch.zeros(x.shape))
NO_META = operator("no_meta(Tensor x) -> Tensor", lambda x: x * 1, False)
NO_CONVERTER = operator("no_converter(Tensor x, Scalar factor) -> Tensor", lambda x, factor: x * factor)
NOTHING = operator("nothing(Tensor x) -> Tensor", lambda x: x * 1)
NO_PROTOTYPE = operator("no_prototype(Tensor x) -> Tensor", lambda x: x * 1)


@converter(NO_PROTOTYPE)
def _(x, *, meta_outputs=None):
    return torchair.ge.custom_op("GraphFailureNoPrototype", inputs={"x": x}, outputs=["y"])


TYPE = operator("type(Tensor x) -> Tensor", lambda x: x * 1)


@converter(TYPE)
def _(x, *, meta_outputs=None):
    return torchair.ge.custom_op("Relu", inputs={"x": x}, outputs=["y"])


TORCH_TYPE = operator(
    "torch_type(Tensor x) -> Tensor",
    lambda x: x * 1,
    lambda x: torch.empty_like(x, dtype=torch.float8_e4m3fnuz),
)


@converter(TORCH_TYPE)
def _(x, *, meta_outputs=None):
    return torchair.ge.custom_op("Relu", inputs={"x": x}, outputs=["y"])


def _fails(call: Callable[..., Any], *arguments: Any, dynamic: bool = False) -> dict[str, str]:
    """The error of a compiled call, and what is explained of it."""
    torch._dynamo.reset()
    compiled = torch.compile(
        lambda *tensors: call(*tensors), backend=torchair.get_npu_backend(), dynamic=dynamic, fullgraph=True
    )
    try:
        compiled(*arguments)
        torch.npu.synchronize()
    except Exception as error:  # whatever torch makes of it
        found = explain(error)
        finding = found.finding if found is not None else None
        told = {"error": str(error)}
        if finding is not None:
            told |= {
                "rule": finding.rule_id,
                "place": str(finding.place),
                "message": finding.message,
                "cause": finding.reason,
                "fix": finding.advice,
            }
        return told
    return {"error": ""}


def _x(dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.ones(4, 3).to(dtype).npu()


def _with_variable(name: str, value: str) -> dict[str, str]:
    os.environ[name] = value
    try:
        return _fails(torch.relu, _x())
    finally:
        del os.environ[name]


def failure(name: str) -> dict[str, str]:
    """Provokes one of them."""
    cases: dict[str, Callable[[], dict[str, str]]] = {
        "dtypes": lambda: _fails(DTYPES, _x(), _x(torch.int64)),
        "size": lambda: _fails(SIZE, _x()),
        "size-dynamic": lambda: _fails(SIZE, _x(), dynamic=True),
        "shape": lambda: _fails(SHAPE, _x()),
        "shape-dynamic": lambda: _fails(SHAPE, _x(), dynamic=True),
        "rank": lambda: _fails(RANK, _x()),
        "count": lambda: _fails(COUNT, _x()),
        "device": lambda: _fails(DEVICE, _x()),
        "no-converter": lambda: _fails(NO_CONVERTER, _x(), 2.0),
        "aten-no-converter": lambda: _fails(torch.ops.aten._fft_r2c.default, _x(), [1], 0, True),
        "no-prototype": lambda: _fails(NO_PROTOTYPE, _x()),
        "nothing": lambda: _fails(NOTHING, _x()),
        "no-meta": lambda: _fails(NO_META, _x()),
        "torch-type": lambda: _fails(TORCH_TYPE, _x()),
        "passes": lambda: _with_variable("OPWELD_GRAPH_PASSES", "-fuse-chain"),
        "type": lambda: _fails(TYPE, torch.ones(3).to(torch.float8_e8m0fnu).npu()),
    }
    return cases[name]()


def predicted(name: str) -> list[str]:
    """What the doctor says of an operator before a graph is compiled."""
    return [f"{item.rule_id} {item.message}" for item in dispatcher.examine_operator(name)]


def run_in_a_forked_child() -> str:
    """The error of a graph that a child of this process runs after a fork."""
    graph = torch.compile(torch.relu, backend=torchair.get_npu_backend(), dynamic=False)
    x = _x()
    graph(x)
    torch.npu.synchronize()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            graph(x)
            told = "no error"
        except Exception as error:
            told = str(error)
        os.write(write, told.encode()[:2000])
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        told = pipe.read().decode(errors="replace")
    os.waitpid(child, 0)
    return told
