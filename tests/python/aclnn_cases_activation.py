"""Cases of the activation functions; the form is described in aclnn_cases."""

from collections.abc import Iterable
from typing import Any

import torch

from aclnn_cases import PAIRS, SIZES, Case, Shape

aten = torch.ops.aten


def widened(tensor: Any) -> Any:
    """A 16-bit tensor as float32, anything else as it is."""
    reduced = isinstance(tensor, torch.Tensor) and tensor.dtype in (torch.float16, torch.bfloat16)
    return tensor.float() if reduced else tensor


def piecewise_activation() -> Iterable[Case]:
    in_place = {
        "LeakyRelu": (aten.leaky_relu_, (0.3,)),
        "Celu": (aten.celu_, (0.7,)),
        "Elu": (aten.elu_, (1.5, 0.5, 2.0)),
        "Hardswish": (aten.hardswish_, ()),
        "Hardtanh": (aten.hardtanh_, (-1, 2)),
        "Threshold": (aten.threshold_, (1, 5)),
    }
    forward = {name: (getattr(aten, str(f).split(".")[-1][:-1]), a) for name, (f, a) in in_place.items()}
    forward |= {"Hardshrink": (aten.hardshrink, (0.5,)), "Softshrink": (aten.softshrink, (0.5,))}
    for sizes in SIZES:
        for name, (function, arguments) in forward.items():
            yield Case(name, (Shape(sizes), *arguments), function)
        for name, (function, arguments) in in_place.items():
            yield Case(f"Inplace{name}", (Shape(sizes), *arguments), function)
        for low, high in ((-0.5, 0.5), (0, 6)):
            yield Case("Hardtanh", (Shape(sizes), low, high), aten.hardtanh)
        yield Case("Hardsigmoid", (Shape(sizes),), _hardsigmoid)
        yield Case("InplaceHardsigmoid", (Shape(sizes),), lambda x: x.copy_(_hardsigmoid(x)))
        g = Shape(sizes)
        for is_result in (False, True):
            yield Case("LeakyReluBackward", (g, g, 0.1, is_result), aten.leaky_relu_backward)
            yield Case("EluBackward", (g, 1.5, 0.5, 2.0, is_result, g), aten.elu_backward)
        yield Case("HardshrinkBackward", (g, g, 0.5), aten.hardshrink_backward)
        yield Case("SoftshrinkBackward", (g, g, 0.5), aten.softshrink_backward)
        yield Case("HardsigmoidBackward", (g, g), aten.hardsigmoid_backward)
        yield Case("HardswishBackward", (g, g), aten.hardswish_backward)
        yield Case("HardswishBackwardV2", (g, g), aten.hardswish_backward)
        yield Case("HardtanhBackward", (g, g, -1, 1), aten.hardtanh_backward)
    for sizes in ((3, 4), (2, 3, 4, 2), (5,), (0, 3)):
        for count in {1, sizes[1] if len(sizes) > 1 else 1}:
            x, weight = Shape(sizes), Shape((count,))
            yield Case("Prelu", (x, weight), torch.prelu)
            yield Case("PreluBackward", (x, x, weight), _prelu_backward, 1e-2)
    for first, second in PAIRS:
        yield Case("AddRelu", (Shape(first), Shape(second), 2), _add_relu)
        yield Case("InplaceAddRelu", (Shape(first), Shape(second), 2), _add_relu_)


def _hardsigmoid(x: torch.Tensor) -> torch.Tensor:
    return aten.hardsigmoid(x if x.is_floating_point() else x.float()).to(x.dtype)


def _prelu_backward(
    gradient: torch.Tensor, x: torch.Tensor, weight: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    leaves = [t.detach().float().requires_grad_() for t in (x, weight)]
    results = torch.autograd.grad(torch.prelu(*leaves), leaves, gradient.float())
    return tuple(result.to(x.dtype) for result in results)


def _add_relu(x: torch.Tensor, y: torch.Tensor, alpha: float) -> torch.Tensor:
    return torch.add(x, y, alpha=alpha).clamp_min(0)


def _add_relu_(x: torch.Tensor, y: torch.Tensor, alpha: float) -> torch.Tensor:
    return x.add_(y, alpha=alpha).clamp_min_(0)


def smooth_activation() -> Iterable[Case]:
    for sizes in ((4, 6), (2, 3, 4), (6,), (0, 2)):
        for dim in {-1, len(sizes) - 1} | ({0} if sizes[0] % 2 == 0 else set()):
            half = list(sizes)
            half[dim] //= 2
            yield Case("Glu", (Shape(sizes), dim), torch.nn.functional.glu)
            yield Case("GluBackward", (Shape(tuple(half)), Shape(sizes), dim), aten.glu_backward)
    yield Case("Glu", (Shape((3, 5)), -1), torch.nn.functional.glu)
    for sizes in SIZES:
        x = Shape(sizes)
        yield Case("LogSigmoid", (x,), aten.log_sigmoid)
        yield Case("LogSigmoidForward", (x,), aten.log_sigmoid_forward)
        yield Case("LogSigmoidForward", (x,), lambda t: (aten.log_sigmoid(t), t.new_empty(0)))
        yield Case("LogSigmoidBackward", (x, x, Shape((0,))), _log_sigmoid_backward)
        yield Case("Mish", (x,), aten.mish)
        yield Case("InplaceMish", (x,), aten.mish_)
        yield Case("MishBackward", (x, x), aten.mish_backward)
        for beta, threshold in ((1, 20), (2.0, 1.0)):
            yield Case("Softplus", (x, beta, threshold), aten.softplus)
            yield Case("SoftplusBackward", (x, x, beta, threshold), aten.softplus_backward)
        for eps in (-1.0, 0.1):
            yield Case("LogitGrad", (x, x, eps), _logit_backward)
        yield Case("FastGelu", (x,), _fast_gelu, 2e-7)
        yield Case("FastGeluBackward", (x, x), _fast_gelu_backward, 2e-6)


def _log_sigmoid_backward(gradient: torch.Tensor, x: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
    return aten.log_sigmoid_backward(gradient, x, aten.log_sigmoid_forward(x)[1])


def _logit_backward(x: torch.Tensor, gradient: torch.Tensor, eps: float) -> torch.Tensor:
    return aten.logit_backward(gradient, x, None if eps < 0 else eps)


def _fast_gelu(x: torch.Tensor) -> torch.Tensor:
    wide = widened(x)
    return (wide * torch.sigmoid(1.702 * wide)).to(x.dtype)


def _fast_gelu_backward(gradient: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    wide = widened(x).detach().requires_grad_()
    y = wide * torch.sigmoid(1.702 * wide)
    return torch.autograd.grad(y, wide, widened(gradient))[0].to(x.dtype)
