"""What test_generated.py calls in its process: the operators of all_types, on the NPU and on the CPU."""

import sys
from collections.abc import Callable
from typing import Any

import all_types
import torch
from torch import Tensor

ops = torch.ops.all_types


def message_of(function: Callable[[], Any]) -> str:
    """The text of the error that a call ends with, without PyTorch's C++ stack."""
    try:
        function()
        torch.npu.synchronize()
    except Exception as error:
        return f"{type(error).__name__}: {str(error).split('Exception raised from')[0]}"
    return "no error"


def rows(device: str) -> Tensor:
    return torch.arange(6.0, device=device).reshape(2, 3) + 1


def vmap(device: str) -> dict[str, bool]:
    x, y = rows(device), 10 * rows(device)

    def same(a: Tensor, b: Tensor) -> bool:
        return torch.equal(a.cpu(), b.cpu())

    return {
        "whole batch": same(torch.vmap(all_types.power)(x), all_types.power(x)),
        "other dimension": same(torch.vmap(all_types.power, in_dims=1)(x), all_types.power(x).t()),
        "both inputs": same(torch.vmap(all_types.joined)(x, y), all_types.joined(x, y)),
        "one of two inputs": same(
            torch.vmap(all_types.joined, in_dims=(0, None))(x, y[0]),
            all_types.joined(x, y[0].expand(2, 3).contiguous()),
        ),
        "nested": same(torch.vmap(torch.vmap(all_types.power))(x), all_types.power(x)),
        "gradient": same(
            torch.vmap(torch.func.grad(lambda row: all_types.power(row, exponent=3).sum()))(x), 3 * x * x
        ),
    }


def autocast(device: str) -> dict[str, str]:
    x = rows(device)
    half = x.to(torch.bfloat16)
    with torch.autocast(device, dtype=torch.bfloat16):
        return {
            "fp32": str(all_types.power(half).dtype),
            "promote same": str(all_types.scaled_sum([x, x], weights=[1.0, 2.0]).dtype),
            "lower is refused by dtype": message_of(lambda: all_types.joined(x, x)),
        }


def second_derivative(device: str) -> list[float]:
    x = torch.tensor([2.0, 3.0], device=device, requires_grad=True)
    (first,) = torch.autograd.grad(all_types.power(x, exponent=3).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    return [*first.tolist(), *second.tolist()]


def no_derivative(device: str) -> dict[str, str]:
    x = rows(device).requires_grad_()
    matrix = all_types.channels(x.reshape(1, 1, 2, 3))
    bumped = x * 1
    all_types.bump_(bumped)
    return {
        "functional": message_of(lambda: matrix.sum().backward()),
        "mutating": message_of(lambda: bumped.sum().backward()),
        "leaf": message_of(lambda: all_types.bump_(x)),
        "forward mode": message_of(lambda: torch.func.jvp(all_types.power, (rows(device),), (rows(device),))),
    }


def mutation(device: str) -> dict[str, Any]:
    x = rows(device)
    version = x._version
    returned = all_types.bump_(x, amount=2.0)
    other, strided = torch.zeros(2, device=device), torch.zeros(2, 3, device=device).t()
    all_types.fill_all([other, strided], value=7.0)
    saved = (x * 1).requires_grad_()
    product = (saved * 2) * (held := saved * 3)
    all_types.bump_(held.detach())
    functional = torch.func.functionalize(lambda t: all_types.bump_(t.clone(), amount=1.0))(rows(device))
    compiled = torch.compile(lambda t: all_types.bump_(t * 1, amount=1.0) + 1, backend="aot_eager")
    return {
        "same tensor": returned.data_ptr() == x.data_ptr(),
        "version": x._version - version,
        "values": x.cpu().flatten().tolist(),
        "filled": other.cpu().tolist() + strided.cpu().flatten().tolist(),
        "modified before backward": message_of(lambda: product.sum().backward()),
        "functionalized": functional.cpu().flatten().tolist(),
        "compiled": compiled(rows(device)).cpu().flatten().tolist(),
    }


def overlap(device: str) -> dict[str, str]:
    """Writing where elements share memory."""
    x = torch.zeros(6, device=device)
    whole = all_types.bump_(x[1:3])
    all_types.fill_all([x[:3], x[3:]], extra=None, value=2.0)
    all_types.fill_all([x], extra=x, value=2.0)
    return {
        "expanded": message_of(lambda: all_types.bump_(torch.zeros(1, device=device).expand(4))),
        "expanded meta": message_of(lambda: all_types.bump_(torch.zeros(1, device="meta").expand(4))),
        "in a list": message_of(lambda: all_types.fill_all([x[:1].expand(2)], value=1.0)),
        "partly": message_of(lambda: all_types.fill_all([x[:4], x[2:]], value=1.0)),
        "partly optional": message_of(lambda: all_types.fill_all([x[:4]], extra=x[1:5], value=1.0)),
        "allowed": str([*whole.tolist(), *x.tolist()]),
    }


def outputs(device: str) -> dict[str, Any]:
    x = rows(device)
    copy, turned, pieces, extra, count, half, square = all_types.every_output(
        x, torch.arange(4, device=device), want=False, parts=2
    )
    return {
        "turned": [list(turned.shape), list(turned.stride()), turned.cpu().t().equal(x.cpu())],
        "pieces": [[list(piece.shape), piece.cpu().flatten().tolist()] for piece in pieces],
        "absent": extra is None,
        "values": [count, half, square],
        "copy": copy.cpu().equal(x.cpu()),
        "channels last": all_types.channels(torch.ones(1, 2, 3, 4, device=device)).stride(),
        "positive": all_types.positive(torch.tensor([-1.0, 2.0, 0.0, 3.0], device=device)).cpu().tolist(),
        "view": all_types.flatten_view(x).data_ptr() == x.data_ptr(),
    }


def factory() -> dict[str, Any]:
    on_npu = all_types.counting(length=4, device="npu")
    return {
        "cpu": [all_types.counting(length=3).tolist(), str(all_types.counting(length=3).device)],
        "npu": [on_npu.cpu().tolist(), on_npu.device.type, on_npu.dtype == torch.float32],
        "dtype": str(all_types.counting(length=2, dtype=torch.int64).dtype),
        "meta": list(all_types.counting(length=5, device="meta").shape),
        "negative": message_of(lambda: all_types.counting(length=-1)),
    }


def noise(device: str) -> dict[str, bool]:
    x = torch.empty(1000, device=device)
    generator = torch.Generator(device=device)

    def drawn(seed: int) -> Tensor:
        generator.manual_seed(seed)
        return all_types.noise(x, generator=generator).cpu()

    torch.manual_seed(3)
    first = all_types.noise(x).cpu()
    second = all_types.noise(x).cpu()
    torch.manual_seed(3)
    return {
        "same seed": torch.equal(drawn(1), drawn(1)),
        "other seed": not torch.equal(drawn(1), drawn(2)),
        "moves on": not torch.equal(first, second),
        "default generator": torch.equal(all_types.noise(x).cpu(), first),
        "uniform": bool(first.min() >= 0 and first.max() < 1 and abs(first.mean() - 0.5) < 0.05),
    }


def refusals() -> dict[str, str]:
    x = rows("npu")
    vendor = ops.every_output.default
    return {
        "device": message_of(lambda: all_types.joined(x, rows("cpu"))),
        "dtype": message_of(lambda: all_types.power(x.to(torch.int32))),
        "constraint": message_of(lambda: all_types.power(x, exponent=4)),
        "pair": message_of(lambda: all_types.scaled_sum([x.cpu(), x.cpu().double()], weights=[1.0, 2.0])),
        "rank": message_of(lambda: vendor(x.flatten(), x.flatten().long())),
        "meta": message_of(lambda: all_types.positive(torch.ones(2, device="meta"))),
    }


def dynamic_shapes() -> dict[str, Any]:
    """Shapes stay symbolic: one graph serves all sizes."""
    graphs = 0

    def backend(module: torch.fx.GraphModule, _inputs: list[Any]) -> Callable[..., Any]:
        nonlocal graphs
        graphs += 1
        return module.forward

    compiled = torch.compile(lambda a: all_types.power(a) + 1, backend=backend, dynamic=True)
    results = [list(compiled(torch.ones(n, 3)).shape) for n in (2, 5, 9)]
    return {"graphs": graphs, "results": results}


def unknown_sizes() -> dict[str, Any]:
    """An output whose size depends on values, where there are no values."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    mode = FakeTensorMode(shape_env=ShapeEnv())
    with mode:
        fake = all_types.positive(torch.ones(5, 2))
    exported = torch.export.export(_Positive(), (torch.ones(3),), strict=False).module()
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        compiled = torch.compile(lambda t: all_types.positive(t) + 1, backend="aot_eager", fullgraph=True)
        result = compiled(torch.tensor([-1.0, 2.0, 3.0]))
    return {
        "fake": [fake.ndim, isinstance(fake.shape[0], torch.SymInt), str(fake.dtype)],
        "exported": exported(torch.tensor([-1.0, 5.0, 0.0])).tolist(),
        "compiled": result.tolist(),
        "constraint": message_of(lambda: _fake_of(mode, torch.ones(5, dtype=torch.float64))),
    }


class _Positive(torch.nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return all_types.positive(x) * 2


def _fake_of(mode: Any, x: Tensor) -> Tensor:
    with mode:
        return all_types.positive(mode.from_tensor(x))


def name_clash() -> str:
    """A second package with the same operators is refused before its library ends the process."""
    from all_types import _loader

    torch.ops.loaded_libraries.discard(str(_loader.LIBRARY))
    try:
        return message_of(_loader.load)
    finally:
        torch.ops.loaded_libraries.add(str(_loader.LIBRARY))


def opcheck() -> dict[str, str]:
    """torch.library's own checks of operators in all their forms."""
    x = rows("cpu")
    cases = {
        "bump_": (ops.bump_.default, (x.clone(),), {}),
        "bump_ of a view": (ops.bump_.default, (torch.zeros(3, 2).t(),), {"amount": 2.0}),
        "bump_ of nothing": (ops.bump_.default, (torch.zeros(0, 3),), {}),
        "positive": (ops.positive.default, (x - 3,), {}),
        "fill_all": (ops.fill_all.default, ([x.clone()],), {"value": 1.0}),
        "every_output": (ops.every_output.default, (x, torch.arange(3)), {}),
        "flatten_view": (ops.flatten_view.default, (x.clone().requires_grad_(),), {}),
        "power": (ops.power.default, (x.clone().requires_grad_(),), {}),
        "scaled_sum": (ops.scaled_sum.default, ([x.clone().requires_grad_()] * 2,), {"weights": [1.0, 2.0]}),
    }
    return {
        name: ", ".join(sorted(set(torch.library.opcheck(op, arguments, keywords).values())))
        for name, (op, arguments, keywords) in cases.items()
    }


def in_process() -> list[str]:
    return [name for name in ("torch_npu", "all_types") if name in sys.modules]
