"""Cases of fused normalizations, gated units and rotary embeddings; see aclnn_cases."""

from collections.abc import Iterable
from typing import Any

import torch
import torch.nn.functional as F

from aclnn_cases import Case, Shape

Tensor = torch.Tensor
# What is computed in float32 and rounded may differ in the last bit of 16-bit numbers.
ROUNDED = 1e-2
NORMS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((3, 8), (8,)),
    ((2, 3, 4), (4,)),
    ((2, 3, 4), (3, 4)),
    ((0, 4), (4,)),
]


def _statistics(x: Tensor, gamma: Tensor) -> tuple[int, ...]:
    return (*x.shape[: x.dim() - gamma.dim()], *([1] * gamma.dim()))


def _rms(x: Tensor, gamma: Tensor, epsilon: float, shift: float = 0.0) -> tuple[Tensor, Tensor]:
    dims = list(range(x.dim() - gamma.dim(), x.dim()))
    wide = x.float()
    rstd = torch.rsqrt(wide.pow(2).mean(dims, keepdim=True) + epsilon)
    return (wide * rstd * (gamma.float() + shift)).to(x.dtype), rstd.reshape(_statistics(x, gamma))


def _layer(x: Tensor, gamma: Tensor, beta: Tensor, epsilon: float) -> tuple[Tensor, Tensor, Tensor]:
    y, mean, rstd = torch.native_layer_norm(x, list(gamma.shape), gamma.float(), beta.float(), epsilon)
    return y, mean, rstd


def _normal_gradients(
    dy: Tensor, total: Tensor, gamma: Tensor, mean: Tensor, rstd: Tensor, exact: Any
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients by the statistics as given. Where these are the input's (`exact`), autograd's."""
    leaf, scale = total.float().clone().requires_grad_(), gamma.float().clone().requires_grad_()
    shift = torch.zeros_like(scale, requires_grad=True)
    if mean.stride() == mean.contiguous().stride():
        return torch.autograd.grad(exact(leaf, scale, shift), (leaf, scale, shift), dy.float())
    dims = list(range(total.dim() - gamma.dim(), total.dim()))
    normal, scaled = (total.float() - mean) * rstd, dy.float() * gamma.float()
    dx = scaled - scaled.mean(dims, keepdim=True) - normal * (scaled * normal).mean(dims, keepdim=True)
    before = list(range(total.dim() - gamma.dim()))
    return dx * rstd, (dy.float() * normal).sum(before), dy.float().sum(before)


def rms_norm() -> Iterable[Case]:
    for sizes, last in NORMS:
        x, g = Shape(sizes), Shape(last)
        yield Case("RmsNorm", (x, g, 1e-5), _rms, ROUNDED)
        yield Case("GemmaRmsNorm", (x, g, 1e-5), lambda x, g, e: _rms(x, g, e, 1.0), ROUNDED)

        def added(a: Tensor, b: Tensor, g: Tensor, e: float) -> tuple[Tensor, Tensor, Tensor]:
            total = (a.float() + b.float()).to(a.dtype)
            return (*_rms(total, g, e), total)

        yield Case("AddRmsNorm", (x, x, g, 1e-5), added, ROUNDED)

        def cast(a: Tensor, b: Tensor, g: Tensor, e: float) -> tuple[Tensor, ...]:
            y, rstd, total = added(a, b, g, e)
            return y.float(), y, rstd, total

        yield Case("AddRmsNormCast", (x, x, g, 1e-5), cast, ROUNDED)

        def backward(dy: Tensor, x: Tensor, rstd: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
            dims = list(range(x.dim() - g.dim(), x.dim()))
            if rstd.stride() == rstd.contiguous().stride():
                a, b = x.float().detach().requires_grad_(), g.float().detach().requires_grad_()
                y = a * torch.rsqrt(a.pow(2).mean(dims, keepdim=True) + 1e-5) * b
                da, db = torch.autograd.grad(y, (a, b), dy.float())
                return da.to(x.dtype), db
            normal, scaled = x.float() * rstd, dy.float() * g.float()
            dx = (scaled - normal * (scaled * normal).mean(dims, keepdim=True)) * rstd
            return dx.to(x.dtype), (dy.float() * normal).sum(list(range(x.dim() - g.dim())))

        if 0 not in sizes:
            fixed = torch.arange(1.0, torch.Size(sizes).numel() + 1).reshape(sizes).sin()
            rstd = _rms(fixed, torch.ones(last), 1e-5)[1]
            yield Case("RmsNormGrad", (Shape(sizes), fixed, rstd, torch.ones(last)), backward, ROUNDED)


def layer_norm() -> Iterable[Case]:
    for sizes, last in NORMS[:3]:
        x, g = Shape(sizes), Shape(last)

        def added(
            a: Tensor, b: Tensor, g: Tensor, beta: Tensor, bias: Any, e: float, _: bool
        ) -> tuple[Tensor, ...]:
            total = a.float() + b.float()
            y, mean, rstd = _layer(total, g, beta, e)
            return y.to(a.dtype), mean, rstd, total.to(a.dtype)

        yield Case("AddLayerNorm", (x, x, g, g, None, 1e-5, True), added, ROUNDED)

        def deep(a: Tensor, b: Tensor, beta: Tensor, g: Tensor, alpha: float, e: float) -> tuple[Tensor, ...]:
            y, mean, rstd = _layer(a.float() * alpha + b.float(), g, beta, e)
            return mean, rstd, y.to(a.dtype)

        yield Case("DeepNorm", (x, x, g, g, 0.3, 1e-5), deep, ROUNDED)

        torch.manual_seed(1)
        a, b, gamma = torch.randn(sizes), torch.randn(sizes), torch.randn(last)
        _, mean, rstd = _layer(a + b, gamma, gamma, 1e-5)

        def exact(x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
            return F.layer_norm(x, list(scale.shape), scale, shift, 1e-5)

        def of_sum(
            dy: Tensor, a: Tensor, b: Tensor, rstd: Tensor, mean: Tensor, g: Tensor, extra: Tensor
        ) -> Any:
            dx, dgamma, dbeta = _normal_gradients(dy, a + b, g, mean, rstd, exact)
            return (dx + extra).to(dy.dtype), dgamma, dbeta

        yield Case(
            "AddLayerNormGrad", (Shape(sizes), a, b, rstd, mean, gamma, torch.ones(sizes)), of_sum, ROUNDED
        )
        _, mean, rstd = _layer(a * 0.3 + b, gamma, gamma, 1e-5)

        def of_deep(
            dy: Tensor, a: Tensor, b: Tensor, g: Tensor, mean: Tensor, rstd: Tensor, alpha: float
        ) -> Any:
            dx, dgamma, dbeta = _normal_gradients(dy, a * alpha + b, g, mean, rstd, exact)
            return (dx * alpha).to(dy.dtype), dx.to(dy.dtype), dbeta, dgamma

        yield Case("DeepNormGrad", (Shape(sizes), a, b, gamma, mean, rstd, 0.3), of_deep, ROUNDED)


def gates() -> Iterable[Case]:
    def swiglu(x: Tensor, dim: int) -> Tensor:
        a, b = x.float().chunk(2, dim)
        return (F.silu(a) * b).to(x.dtype)

    def gradient(function: Any, dy: Tensor, x: Tensor, *rest: Any) -> Tensor:
        leaf = x.float().detach().requires_grad_()
        return torch.autograd.grad(function(leaf, *rest), leaf, dy.float())[0].to(x.dtype)

    def geglu(x: Tensor, dim: int, approximate: int, left: bool) -> tuple[Tensor, Tensor]:
        a, b = x.float().chunk(2, dim)
        gate, value = (a, b) if left else (b, a)
        activated = F.gelu(gate, approximate="tanh" if approximate else "none")
        return (activated * value).to(x.dtype), activated.to(x.dtype)

    for sizes, dim, half in (((3, 8), -1, (3, 4)), ((4, 3, 2), 0, (2, 3, 2)), ((0, 4), 1, (0, 2))):
        yield Case("SwiGlu", (Shape(sizes), dim), swiglu, ROUNDED)
        yield Case(
            "SwiGluGrad",
            (Shape(half), Shape(sizes), dim),
            lambda dy, x, d: gradient(swiglu, dy, x, d),
            ROUNDED,
        )
        for approximate in (0, 1):
            for left in (False, True):
                yield Case("GeGluV3", (Shape(sizes), dim, approximate, left), geglu, ROUNDED)
                yield Case(
                    "GeGluV3Backward",
                    (Shape(half), Shape(sizes), Shape(half), dim, approximate, left),
                    lambda dy, x, _, *rest: gradient(lambda *a: geglu(*a)[0], dy, x, *rest),
                    ROUNDED,
                )


def _turned(x: Tensor, mode: int) -> Tensor:
    if mode == 1:
        return torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
    parts = x.chunk(2 if mode == 0 else 4, -1)
    if mode == 0:
        return torch.cat((-parts[1], parts[0]), -1)
    return torch.cat((-parts[1], parts[0], -parts[3], parts[2]), -1)


def rotary() -> Iterable[Case]:
    def rotate(x: Tensor, cos: Tensor, sin: Tensor, mode: int) -> Tensor:
        return (x.float() * cos.float() + _turned(x.float(), mode) * sin.float()).to(x.dtype)

    names = ("half", "interleave", "quarter")
    for sizes, angles in (((2, 3, 4, 8), (2, 1, 4, 8)), ((2, 3, 4, 8), (1, 1, 4, 8)), ((5, 2, 4), (5, 1, 4))):
        x, a = Shape(sizes), Shape(angles)
        for mode, name in enumerate(names):
            yield Case("RotaryPositionEmbedding", (x, a, a, mode), rotate, ROUNDED)

            def backward(dy: Tensor, cos: Tensor, sin: Tensor, x: Tensor, mode: int) -> tuple[Tensor, ...]:
                leaves = [t.float().detach().requires_grad_() for t in (x, cos, sin)]
                y = leaves[0] * leaves[1] + _turned(leaves[0], mode) * leaves[2]
                return tuple(g.to(dy.dtype) for g in torch.autograd.grad(y, leaves, dy.float()))

            yield Case("RotaryPositionEmbeddingGrad", (x, a, a, x, mode), backward, ROUNDED)

            def both(
                q: Tensor, k: Tensor, cos: Tensor, sin: Tensor, layout: int, name: str = "half"
            ) -> list[Tensor]:
                mode = names.index(name)
                return [q.copy_(rotate(q, cos, sin, mode)), k.copy_(rotate(k, cos, sin, mode))]

            layout = 1 if len(sizes) == 4 else 4
            yield Case("ApplyRotaryPosEmbV2", (x, x, a, a, layout, name), both, ROUNDED)
        yield Case("ApplyRotaryPosEmb", (x, x, a, a, layout), both, ROUNDED)


def cast() -> Iterable[Case]:
    for sizes in ((3, 4), (), (0, 3)):
        for dtype in (torch.float32, torch.float16, torch.int64, torch.bool):
            yield Case("Cast", (Shape(sizes), dtype), lambda x, d: x.to(d))
