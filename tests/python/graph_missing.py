"""Operators that torchair has no converter for, compiled by the graph engine beside the CPU's results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch_npu  # noqa: F401
import torchair
from torch import Tensor
from torch.nn import functional

Function = Callable[[Tensor], Tensor]


def _numbers(*values: int) -> Callable[[Tensor], Tensor]:
    return lambda x: torch.tensor(values, device=x.device)


def _put(*indices: Callable[[Tensor], Tensor] | None, shape: tuple[int, ...], add: bool = False) -> Function:
    def put(x: Tensor) -> Tensor:
        y = x.reshape(2, 3, 4)
        given = [None if index is None else index(x) for index in indices]
        values = x.new_ones(shape).cumsum(-1) * x[0, 0]
        return torch.ops.aten.index_put(y, given, values, add)

    return put


def _masked(x: Tensor) -> Tensor:
    y = x * 2
    y[y > 0.5] = 7.0
    return y


def _assigned(x: Tensor) -> Tensor:
    y = x * 2
    y[:, _numbers(0, -1)(x)] = x[:, 1:3]
    y[_numbers(1)(x)] += 1
    return y


FUNCTIONS: dict[str, Function] = {
    "argsort": lambda x: x * x.argsort(1),
    "amax": lambda x: x.amax((0, 1)),
    "amin": lambda x: x.amin(-1, keepdim=True),
    "aminmax": lambda x: torch.aminmax(x, dim=1)[0],
    "assigned": _assigned,
    "atan2": lambda x: torch.atan2(x, x + 3),
    "batch_norm": lambda x: functional.batch_norm(x, None, None, training=True),
    "bilinear": lambda x: functional.interpolate(x.view(1, 1, 4, 6), scale_factor=2, mode="bilinear"),
    "binary_cross_entropy": lambda x: functional.binary_cross_entropy(x.sigmoid(), torch.full_like(x, 0.3)),
    "binary_cross_entropy_with_logits": lambda x: functional.binary_cross_entropy_with_logits(
        x, torch.full_like(x, 0.3), weight=torch.full_like(x, 2.0), pos_weight=torch.full_like(x, 1.5)
    ),
    "celu": functional.celu,
    "col2im": lambda x: functional.fold(x.view(1, 4, 6), (3, 4), 2),
    "cumprod": lambda x: x.cumprod(1),
    "diag_embed": torch.diag_embed,
    "diagonal": lambda x: x.view(2, 3, 4).diagonal(-1, 2, 1),
    "dot": lambda x: torch.dot(x[0], x[1]),
    "erfc": torch.erfc,
    "exp2": torch.exp2,
    "fmax": lambda x: torch.fmax(x, x * 2),
    "fmin": lambda x: torch.fmin(x, x * 2),
    "fmod": lambda x: torch.fmod(x, 0.7),
    "hardshrink": functional.hardshrink,
    "huber_loss": lambda x: functional.huber_loss(x, x * 3),
    "im2col": lambda x: functional.unfold(x.view(1, 1, 4, 6), 2),
    "instance_norm": lambda x: functional.instance_norm(x.view(2, 2, 6)),
    "isclose": lambda x: torch.isclose(x, x * (1 + 2e-6 * (x > 0))).float() * x,
    "isfinite": lambda x: torch.where(torch.isfinite(x.log()), x, x * 2),
    "isnan": lambda x: torch.where(x.log().isnan(), x, x * 2),
    "kl_div": lambda x: functional.kl_div(x, x.softmax(1), reduction="batchmean"),
    "kl_div of logarithms": lambda x: functional.kl_div(x, x.log_softmax(1), log_target=True),
    "l1_loss": lambda x: functional.l1_loss(x, x * 3),
    "lerp": lambda x: torch.lerp(x, x * 2, x.sigmoid()),
    "linspace": lambda x: x * torch.linspace(0, 1, x.shape[1], device=x.device),
    "logaddexp": lambda x: torch.logaddexp(x, x * 2),
    "log_sigmoid": functional.logsigmoid,
    "logical_xor": lambda x: torch.logical_xor(x > 0, x > 1).float() * x,
    "logit": lambda x: torch.logit(x.sigmoid()),
    "masked": _masked,
    "mish": functional.mish,
    "nearest_exact": lambda x: functional.interpolate(
        x.view(1, 1, 4, 6), scale_factor=2, mode="nearest-exact"
    ),
    "one_hot": lambda x: functional.one_hot((x > 0).long(), 3).sum(-1) * x,
    "nansum": lambda x: x.log().nansum(),
    "pixel_shuffle": lambda x: functional.pixel_shuffle(x.view(1, 4, 3, 2), 2),
    "prod": lambda x: x.prod(1) + x.prod(),
    "put": _put(_numbers(1, 0), None, _numbers(-1, 2), shape=(2, 3)),
    "put in the middle": _put(None, _numbers(2, 0), _numbers(-1, 1), shape=(2, 2)),
    "put in rows": _put(_numbers(1), shape=(3, 4)),
    "put broadcast": _put(lambda x: _numbers(0, 1)(x).unsqueeze(1), _numbers(0, 2), shape=(4,)),
    "put and add": _put(None, _numbers(1, 1, 0), shape=(2, 3, 4), add=True),
    "repeat_interleave": lambda x: x.repeat_interleave(2, 1) * x.reshape(-1).repeat_interleave(2).view(4, -1),
    "roll": lambda x: x.roll(2, 1),
    "round": lambda x: x * torch.round(x, decimals=2),
    "smooth_l1_loss": lambda x: functional.smooth_l1_loss(x, x * 2),
    "softplus": lambda x: functional.softplus(x, 2.0, 1.0),
    "softshrink": functional.softshrink,
    "squeeze a number": lambda x: x.sum().squeeze((0,)) * x,
    "squeeze": lambda x: x.view(4, 1, 6, 1).squeeze((0, 1, 3)),
    "std": lambda x: x.std(0),
    "trace": lambda x: x[:, :4].trace(),
    "trunc": lambda x: (3 * x).trunc() * x,
    "unfold": lambda x: x.unfold(1, 3, 2).sum(2),
    "var": lambda x: x.var(),
    "var_mean": lambda x: torch.cat(torch.var_mean(x, [0, -1], correction=0, keepdim=True)),
    "where": lambda x: torch.where(x > 0, x, 0.5),
    "xlogy": lambda x: torch.xlogy(x, x.abs() + 1),
}


def difference(name: str, dynamic: bool, dtype: str = "float32") -> float:
    """The largest difference of result and gradient, relative to 1 + the value."""
    torch._dynamo.reset()
    function = FUNCTIONS[name]
    compiled = torch.compile(function, backend=torchair.get_npu_backend(), dynamic=dynamic, fullgraph=True)
    ours = _result_and_gradient(compiled, "npu", dtype)
    right = _result_and_gradient(function, "cpu", dtype)
    return max(
        ((a.float() - b.float()).abs() / (1 + b.float().abs())).max().item()
        for a, b in zip(ours, right, strict=True)
    )


def _result_and_gradient(function: Function, device: str, dtype: str) -> list[Tensor]:
    x = torch.randn(4, 6, generator=torch.Generator().manual_seed(0)).to(device, getattr(torch, dtype))
    x.requires_grad_()
    y = function(x)
    share = torch.arange(1, y.numel() + 1, device=device).view(y.shape).to(y.dtype)
    (gradient,) = torch.autograd.grad((y * share).sum(), x)
    return [y.detach().cpu(), gradient.cpu()]


def refused() -> Any:
    """What is said of a mask that takes as many values as it has true elements."""
    torch._dynamo.reset()

    def function(x: Tensor) -> Tensor:
        return torch.ops.aten.index_put(x, [x > 0], x.reshape(-1)[:3])

    try:
        torch.compile(function, backend=torchair.get_npu_backend(), dynamic=False, fullgraph=True)(
            torch.tensor([1.0, -1.0, 2.0, 3.0], device="npu")
        )
    except Exception as error:
        return str(error)
    return ""
