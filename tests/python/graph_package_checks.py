"""What test_graph_packages.py calls in its process: generated operators, compiled and in eager mode."""

from collections.abc import Callable
from typing import Any

import all_types
import torch
import torch_npu  # noqa: F401
import torchair
from torch import Tensor
from torch._dynamo.backends.common import aot_autograd

ops = torch.ops.all_types


def matrix(rows: int = 2) -> Tensor:
    return torch.arange(3.0 * rows).reshape(rows, 3).npu() + 1


def _several(x: Tensor, index: Tensor | None = None, **attributes: Any) -> list[Tensor | None]:
    doubled, pieces, extra = all_types.several_outputs(x, index, **attributes)
    return [doubled, *pieces, extra]


def _bumped(x: Tensor) -> list[Tensor]:
    y = x * 1
    return [all_types.bump_(y, amount=3.0) + 1, y]


EVERYTHING: dict[str, Any] = {
    "flag": True,
    "number": 4,
    "real": 0.5,
    "word": "abc",
    "scalar": 2.5,
    "dtype": torch.float16,
    "size": 3,
    "ints": [1, 2],
    "reals": [0.5, 0.25],
    "sizes": [7],
    "flags": [True, False],
}

CASES: dict[str, Callable[[Tensor], Any]] = {
    "default attribute": lambda x: all_types.power(x),
    "variant with a bound attribute": lambda x: all_types.square(x),
    "two inputs": lambda x: all_types.joined(x, x + 1, guard=2.0, result=3),
    "list": lambda x: all_types.scaled_sum([x, x * 2], weights=[1.0, 0.5]),
    "list and optional input": lambda x: all_types.scaled_sum([x, x * 2, x], x, weights=[1.0, 0.5, 2.0]),
    "list of outputs": lambda x: all_types.scaled_sum_backward(x, [x, x, x], weights=[1.0, 2.0, 3.0]),
    "attributes": lambda x: all_types.plain_attributes(x, flag=True, number=3),
    "Scalar is a float": lambda x: all_types.plain_attributes(
        x, flag=False, number=3, scalar=2.5, word="xyz"
    ),
    "Scalar is a bool": lambda x: all_types.plain_attributes(x, flag=False, number=3, scalar=True),
    "bound attributes": lambda x: all_types.fixed_attributes(x, number=2),
    "size as attribute": lambda x: all_types.plain_attributes(x, flag=True, number=3, size=5),
    "optional attributes left out": lambda x: all_types.optional_attributes(x),
    "optional attributes": lambda x: all_types.optional_attributes(x, **EVERYTHING),
    "optional lists": lambda x: all_types.optional_attributes(x, nested=[[1, 2], [3]]),
    "several outputs": lambda x: _several(x, x.to(torch.int64)),
    "absent output": lambda x: _several(x, repeats=[3]),
    "dtype attribute": lambda x: _several(x.half(), repeats=[], dtype=torch.float16),
    "in place": _bumped,
    "memory format": lambda x: all_types.channels(x.reshape(1, 1, -1, 3)),
    "without tensors": lambda x: (
        all_types.counting(length=4, dtype=torch.int64, device=x.device) + x.shape[0]
    ),
    "formula": lambda x: all_types.formula(x, alpha=3.0),
    "decomposed": lambda x: all_types.replaced(x),
    "converter file": lambda x: all_types.converted(x, amount=7),
}


def flat(value: Any) -> list[Any]:
    items = value if isinstance(value, (tuple, list)) else [value]
    return [part for item in items for part in (flat(item) if isinstance(item, (tuple, list)) else [item])]


def difference(got: Any, expected: Any) -> str:
    """How results differ; empty where they are the same."""
    got, expected = flat(got), flat(expected)
    if len(got) != len(expected):
        return f"{len(got)} results, expected {len(expected)}"
    for place, (one, other) in enumerate(zip(got, expected, strict=True)):
        if (one is None) != (other is None):
            return f"result {place} is {one}, expected {other}"
        if one is None:
            continue
        form, right = (one.shape, one.dtype), (other.shape, other.dtype)
        if form != right:
            return f"result {place} is {form}, expected {right}"
        if not torch.equal(one.cpu(), other.cpu()):
            return f"result {place} is {one.cpu()}, expected {other.cpu()}"
    return ""


def compiled(dynamic: bool, names: list[str] | None = None) -> dict[str, str]:
    """The cases that go wrong: how."""
    wrong = {}
    for name in names or list(CASES):
        torch._dynamo.reset()
        function = torch.compile(
            CASES[name], backend=torchair.get_npu_backend(), dynamic=dynamic, fullgraph=True
        )
        for rows in (2, 5, 4) if dynamic else (2,):
            try:
                found = difference(function(matrix(rows)), CASES[name](matrix(rows)))
            except Exception as error:
                found = f"{type(error).__name__}: {error}"
            if found:
                wrong[name] = f"{rows} rows: {found}"
                break
    return wrong


def traced_operators(names: list[str]) -> dict[str, list[str]]:
    """The operators in the graph that a backend gets."""
    found: dict[str, list[str]] = {}
    for name in names:
        torch._dynamo.reset()

        def backend(module: torch.fx.GraphModule, _example: Any, name: str = name) -> Any:
            found[name] = [str(node.target) for node in module.graph.nodes if node.op == "call_function"]
            return module.forward

        torch.compile(CASES[name], backend=aot_autograd(fw_compiler=backend))(matrix())
    return found


def gradient_of_the_formula() -> bool:
    torch._dynamo.reset()
    x = matrix().requires_grad_()
    function = torch.compile(CASES["formula"], backend=torchair.get_npu_backend(), dynamic=False)
    function(x).sum().backward()
    return torch.equal(x.grad.cpu(), torch.full((2, 3), 3.0))


def findings_of_a_refusing_converter() -> list[list[str]]:
    """What the doctor says of an operator that graphs cannot have: rules and messages."""
    from opweld.doctor.graphs import examine_graph

    sample = ([matrix(), None, [matrix()], [matrix(), None], None], {})
    found = examine_graph("all_types::every_input", torch.ops.all_types.every_input.default, sample)
    return [[finding.rule_id, finding.message] for finding in found]


def refusals() -> dict[str, str]:
    """The messages of what graphs cannot have."""
    cases: dict[str, Callable[[Tensor], Any]] = {
        "no converter": lambda x: all_types.every_input(x, None, [x], [x, None], None),
        "data-dependent size": lambda x: all_types.positive(x - 2),
    }
    found = {}
    for name, case in cases.items():
        torch._dynamo.reset()
        function = torch.compile(case, backend=torchair.get_npu_backend(), dynamic=True, fullgraph=True)
        try:
            function(matrix())
        except Exception as error:
            found[name] = str(error)
    return found
