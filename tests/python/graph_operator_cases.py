"""Small cases of graph operators by family, compiled through torchair against eager mode.

Runs in a process on the software NPU (see npu_process.py). A family is one graph: one result for each of its
names. `n` is the size that changes under dynamic shapes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
import torch_npu  # noqa: F401
import torchair
from torch import Tensor

Tensors = dict[str, Tensor]
Case = Callable[[Tensors], Tensor]

TOLERANCES = {"float32": 1e-4, "float16": 1e-2, "bfloat16": 6e-2, "int64": 0.0}

NORMALIZATION: dict[str, Case] = {
    "layer_norm": lambda t: F.layer_norm(t["x"], (8, 6), t["weight"], t["bias"]),
    "norm of infinite order": lambda t: torch.linalg.vector_norm(t["x"], torch.inf, (1,)),
    "norm of order minus infinity": lambda t: torch.linalg.vector_norm(t["x"], -torch.inf, (1,), True),
    "layer_norm without parameters": lambda t: F.layer_norm(t["x"], (6,)),
    "group_norm": lambda t: F.group_norm(t["x"], 4, t["channel_weight"], t["channel_bias"]),
    "batch_norm of a batch": lambda t: F.batch_norm(
        t["x"],
        t["channel_bias"].detach().clone(),
        t["channel_weight"].detach().abs(),
        t["channel_weight"],
        t["channel_bias"],
        training=True,
    ),
    "batch_norm by running statistics": lambda t: F.batch_norm(
        t["x"],
        t["channel_bias"].detach(),
        t["channel_weight"].detach().abs() + 0.5,
        t["channel_weight"],
        t["channel_bias"],
    ),
    "softmax": lambda t: F.softmax(t["x"], 1),
    "log_softmax": lambda t: F.log_softmax(t["x"], -1),
}

LOSS: dict[str, Case] = {
    "nll": lambda t: F.nll_loss(t["scores"], t["classes"]),
    "nll with weights": lambda t: F.nll_loss(
        t["scores"], t["classes"], t["class_weight"].detach().abs(), reduction="sum"
    ),
    "nll of each": lambda t: F.nll_loss(t["scores"], t["classes"], reduction="none", ignore_index=1),
    "cross entropy": lambda t: F.cross_entropy(t["scores"], t["classes"]),
    "mse": lambda t: F.mse_loss(t["x"], t["y"]),
    "mse sum": lambda t: F.mse_loss(t["x"], t["y"], reduction="sum") / 100,
    "mse of each": lambda t: F.mse_loss(t["x"], t["y"], reduction="none"),
}

INDEXING: dict[str, Case] = {
    "embedding": lambda t: F.embedding(t["classes"], t["table"]),
    "index_select": lambda t: torch.index_select(t["x"], 1, t["places"]),
    "gather": lambda t: torch.gather(t["scores"], 1, t["classes"].unsqueeze(1)),
    "index": lambda t: t["x"][:, t["places"]],
    "index by two": lambda t: t["x"][:, t["places"], t["places"]],
    "scatter": lambda t: t["scores"].scatter(1, t["classes"].unsqueeze(1), 0.0),
    "scatter_add": lambda t: t["scores"].scatter_add(1, t["classes"].unsqueeze(1), t["scores"][:, :1]),
    "select_scatter": lambda t: torch.select_scatter(t["x"], t["y"][:, 0], 1, -2),
    "select_scatter of many": lambda t: torch.select_scatter(
        t["x"].repeat(1, 9, 7), t["y"].repeat(1, 9, 7)[:, 3], 1, 40
    ),
    "slice_scatter": lambda t: torch.slice_scatter(t["x"], t["y"][:, :3], 1, 2, 5),
    "slice_scatter with a step": lambda t: torch.slice_scatter(t["x"], t["y"][:, :3], 1, 1, 7, 2),
    "parts of one tensor": lambda t: torch.stack([p.tanh() for p in t["x"].unbind(1)[:3]]),
    "index_add": lambda t: t["x"].index_add(1, t["places"], t["x"][:, :3]),
    "select": lambda t: t["x"].select(1, -2),
    "slice": lambda t: t["x"][:, 1:7:2, -3:],
    "flip": lambda t: t["x"].flip(1, 2),
    "where": lambda t: torch.where(t["x"] > t["y"], t["x"], t["y"]),
    "masked_fill": lambda t: t["x"].masked_fill(t["y"] > 0, 0.5),
    "tril": lambda t: t["x"].tril(1),
    "triu": lambda t: t["x"].triu(-1),
}

PADDING: dict[str, Case] = {
    "constant": lambda t: F.pad(t["x"], (1, 2, 0, 3), value=0.25),
    "reflect": lambda t: F.pad(t["x"].unsqueeze(0), (1, 2, 3, 0), mode="reflect"),
    "replicate": lambda t: F.pad(t["x"], (2, 1), mode="replicate"),
    "cut": lambda t: F.pad(t["x"], (-1, 1)),
}

SHAPES: dict[str, Case] = {
    "cat": lambda t: torch.cat([t["x"], t["y"]], 1),
    "stack": lambda t: torch.stack([t["x"], t["y"]], -1),
    "split": lambda t: t["x"].split(3, 1)[1],
    "chunk": lambda t: t["x"].chunk(2, 2)[1].contiguous(),
    "permute": lambda t: t["x"].permute(2, 0, 1).contiguous(),
    "expand": lambda t: t["x"][:, :1].expand(-1, 8, -1) * t["y"],
    "reshape": lambda t: t["x"].reshape(-1, 12),
    "repeat": lambda t: t["x"].repeat(2, 1, 3),
    "as_strided": lambda t: t["x"].as_strided((3, 4), (4, 1), 2),
    "unbind": lambda t: t["x"].unbind(1)[3],
    "zeros": lambda t: t["x"].new_zeros(3, 2),
    "full": lambda t: torch.full((2, 3), 7, dtype=t["x"].dtype, device=t["x"].device),
}

ORDER: dict[str, Case] = {
    "sort": lambda t: t["x"].sort(1).values,
    "sort places": lambda t: t["x"].sort(1, descending=True).indices,
    "topk": lambda t: t["x"].topk(3, 1).values,
    "max": lambda t: t["x"].max(1).values,
    "argmax": lambda t: t["x"].argmax(2),
    "cumsum": lambda t: t["x"].cumsum(1),
}

ELEMENTS: dict[str, Case] = {
    "sums": lambda t: t["x"] + t["y"] * 2 - 3,
    "minimum": lambda t: torch.minimum(t["x"], t["y"]),
    "clamp": lambda t: t["x"].clamp(-1, 1),
    "compare": lambda t: (t["x"] >= t["y"]) & (t["x"] != 1),
    "abs": lambda t: t["x"].abs() + t["x"].neg(),
    "sum": lambda t: t["x"].sum(1),
    "sum of all": lambda t: t["x"].sum(),
    "any": lambda t: (t["x"] > 1).any(1),
}

FLOATING: dict[str, Case] = {
    "activations": lambda t: F.gelu(t["x"]) + F.silu(t["y"]) + F.relu(t["x"]) + torch.tanh(t["y"]),
    "sigmoid": lambda t: torch.sigmoid(t["x"]) * t["y"],
    "roots": lambda t: torch.sqrt(t["x"].abs() + 1) + torch.rsqrt(t["y"].abs() + 1),
    "logarithms": lambda t: torch.log(t["x"].abs() + 1) + torch.exp(-t["y"].abs()),
    "trigonometry": lambda t: torch.sin(t["x"]) + torch.cos(t["y"]),
    "mean": lambda t: t["x"].mean(1),
    "matmul": lambda t: t["x"] @ t["y"].transpose(1, 2),
    "linear": lambda t: F.linear(t["x"], t["weight"], t["weight"][:, 0]),
    "std": lambda t: t["x"].std(1),
}

FAMILIES = {
    "normalization": NORMALIZATION,
    "loss": LOSS,
    "indexing": INDEXING,
    "padding": PADDING,
    "shapes": SHAPES,
    "order": ORDER,
    "elements": ELEMENTS,
    "floating": FLOATING,
}


def _inputs(n: int, dtype: torch.dtype) -> Tensors:
    torch.manual_seed(n)
    if dtype == torch.int64:
        tensors = {name: torch.randint(-9, 9, (n, 8, 6)) for name in ("x", "y")}
        scores = torch.randint(-9, 9, (n, 5))
    else:
        tensors = {name: torch.randn(n, 8, 6, dtype=torch.float64).to(dtype) for name in ("x", "y")}
        scores = torch.randn(n, 5).to(dtype)
        tensors |= {
            "weight": torch.randn(8, 6).to(dtype),
            "bias": torch.randn(8, 6).to(dtype),
            "channel_weight": torch.randn(8).to(dtype),
            "channel_bias": torch.randn(8).to(dtype),
            "class_weight": torch.randn(5).to(dtype),
        }
    table = torch.arange(55).reshape(5, 11).to(dtype)  # no size that another input has
    return tensors | {
        "scores": scores,
        "table": table,
        "classes": torch.randint(0, 5, (n,)),
        "places": torch.tensor([4, 0, 7]) % 6,
    }


def _moved(tensors: Tensors) -> Tensors:
    return {name: tensor.npu() for name, tensor in tensors.items()}


def _same(names: list[str], got: list[Tensor], expected: list[Tensor], tolerance: float) -> None:
    for name, mine, right in zip(names, got, expected, strict=True):
        torch.testing.assert_close(
            mine.cpu(),
            right,
            rtol=tolerance,
            atol=tolerance,
            equal_nan=True,
            msg=lambda text, name=name: f"{name}: {text}",
        )


def compiled(family: str, dtype: str, dynamic: bool) -> int:
    """Compares the results of a family; with `dynamic`, a second shape runs without compiling again."""
    torch._dynamo.reset()
    cases = FAMILIES[family]
    if dtype == "int64":
        cases = {name: case for name, case in cases.items() if name not in ("masked_fill", "constant")}
    functions = list(cases.values())

    def whole(tensors: Tensors) -> list[Tensor]:
        return [function(tensors) for function in functions]

    torch._dynamo.utils.counters.clear()
    graph: Any = torch.compile(whole, backend=torchair.get_npu_backend(), dynamic=dynamic, fullgraph=True)
    for n in (4, 7) if dynamic else (4,):
        tensors = _inputs(n, getattr(torch, dtype))
        _same(list(cases), graph(_moved(tensors)), whole(tensors), TOLERANCES[dtype])
    if (graphs := torch._dynamo.utils.counters["stats"]["unique_graphs"]) != 1:
        raise AssertionError(f"{graphs} graphs were compiled")
    return len(cases)


# Of torchair's converters these lack one for the backward operator, or refuse it.
NO_BACKWARD_CONVERTER = {
    "norm of infinite order": "the gradient of an infinite order",
    "norm of order minus infinity": "the gradient of an infinite order",
    "index": "index_put",
    "index by two": "index_put",
}
NOT_DIFFERENTIABLE = ("zeros", "full", "compare", "any")


def gradients(family: str, dtype: str) -> list[str]:
    """Compares the gradients of all inputs of a family, and names the inputs."""
    torch._dynamo.reset()
    cases = {
        name: case
        for name, case in FAMILIES[family].items()
        if name not in NO_BACKWARD_CONVERTER and name not in NOT_DIFFERENTIABLE
    }

    def whole(tensors: Tensors) -> Tensor:
        results = [case(tensors) for case in cases.values()]
        return torch.stack([result.float().square().mean() for result in results]).sum()

    def differentiated(function: Callable[[Tensors], Tensor], tensors: Tensors) -> Tensors:
        given = {
            name: tensor.detach().requires_grad_() if tensor.is_floating_point() else tensor
            for name, tensor in tensors.items()
        }
        function(given).backward()
        return {name: tensor.grad for name, tensor in given.items() if tensor.grad is not None}

    tensors = _inputs(4, getattr(torch, dtype))
    graph: Any = torch.compile(whole, backend=torchair.get_npu_backend(), dynamic=False, fullgraph=True)
    expected = differentiated(whole, tensors)
    got = differentiated(graph, _moved(tensors))
    if list(got) != list(expected):
        raise AssertionError(f"gradients of {list(got)}, expected those of {list(expected)}")
    _same(list(expected), list(got.values()), list(expected.values()), TOLERANCES[dtype])
    return list(expected)


def random_numbers() -> int:
    """Compares two draws in a row with those of eager mode from the same seed, which a graph keeps."""
    torch._dynamo.reset()
    like = torch.zeros(7, 9).npu()
    functions: dict[str, Callable[[Tensor], Tensor]] = {
        "rand": lambda x: torch.rand(5, 3, device=x.device),
        "randn": lambda x: torch.randn(5, 3, device=x.device),
        "bernoulli": lambda x: torch.bernoulli(x, 0.3),
        "dropout": lambda x: F.dropout(x + 1, 0.4),
        "randperm": lambda x: torch.randperm(11, device=x.device),
    }
    for name, function in functions.items():
        graph: Any = torch.compile(function, backend=torchair.get_npu_backend(), dynamic=False)
        torch.npu.manual_seed(3)
        got = [graph(like).cpu(), graph(like).cpu()]
        torch.npu.manual_seed(3)
        for draw in got:
            expected = function(like).cpu()
            if not torch.equal(draw, expected):
                raise AssertionError(f"{name}: {draw} is not {expected}")
        if torch.equal(*got):
            raise AssertionError(f"{name} draws the same twice")
    return len(functions)
