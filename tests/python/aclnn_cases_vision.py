"""Cases of the functions on images: resizing, padding, sampling; the form is described in aclnn_cases."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

from aclnn_cases import Case, Shape
from aclnn_cases_loss import rounded_once

aten = torch.ops.aten
RESIZED = (((3,), (7,)), ((8,), (4,)), ((4,), (4,)))


def _scaled(function: Callable[..., Any], dims: int) -> Callable[..., Any]:
    """Scales that aren't positive stand for none."""

    def wrapper(*arguments: Any) -> Any:
        scales = [s if s > 0 else None for s in arguments[-dims:]]
        return function(*arguments[:-dims], *scales)

    return wrapper


def interpolation() -> Iterable[Case]:
    smooth = {
        1: ("Linear1d",),
        2: ("Bilinear2d", "Bicubic2d", "Bilinear2dAA", "Bicubic2dAA"),
        3: ("Trilinear3d",),
    }
    for dims in (1, 2, 3):
        for before, after in RESIZED:
            for batch in (2, 0):
                sizes, size = before * dims, after * dims
                x, y = Shape((batch, 3, *sizes)), Shape((batch, 3, *size))
                for scales in ((0.0,) * dims, (after[0] / before[0],) * dims):
                    yield from _nearest(dims, x, y, scales)
                    for name in smooth[dims]:
                        yield from _smooth(name, x, y, scales)


def _nearest(dims: int, x: Shape, y: Shape, scales: tuple[float, ...]) -> Iterator[Case]:
    plain = getattr(aten, f"upsample_nearest{dims}d")
    exact = getattr(aten, f"_upsample_nearest_exact{dims}d")
    size, sizes = list(y.sizes[2:]), list(x.sizes)
    if dims < 3:
        yield Case(f"UpsampleNearest{dims}d", (x, size), lambda t, s: plain(t, s))
        no_scales = tuple(s or -1.0 for s in scales)
        yield Case(f"UpsampleNearest{dims}dV2", (x, size, *no_scales), _scaled(plain, dims))
    else:
        yield Case("UpsampleNearest3d", (x, size, *scales), _scaled(plain, dims))
    yield Case(f"UpsampleNearestExact{dims}d", (x, size, *scales), _scaled(exact, dims))
    for name, prefix in (("Nearest", "upsample_nearest"), ("NearestExact", "_upsample_nearest_exact")):
        backward = getattr(aten, f"{prefix}{dims}d_backward")
        yield Case(f"Upsample{name}{dims}dBackward", (y, size, sizes, *scales), _scaled(backward, dims))


def _smooth(name: str, x: Shape, y: Shape, scales: tuple[float, ...]) -> Iterator[Case]:
    operator = f"_upsample_{name[:-2].lower()}_aa" if name.endswith("AA") else f"upsample_{name.lower()}"
    forward, backward = getattr(aten, operator), getattr(aten, f"{operator}_backward")
    size, sizes, dims = list(y.sizes[2:]), list(x.sizes), len(scales)
    gradients = {
        "Bicubic2dAA": ["Bicubic2dAAGrad"],
        "Bilinear2d": ["Bilinear2dBackward", "Bilinear2dBackwardV2"],
    }
    forward, backward = rounded_once(forward), rounded_once(backward)
    for align in (False, True):
        yield Case(f"Upsample{name}", (x, size, align, *scales), _scaled(forward, dims), 1e-6)
        for gradient in gradients.get(name, [f"{name}Backward"]):
            arguments = (y, size, sizes, align, *scales)
            yield Case(f"Upsample{gradient}", arguments, _scaled(backward, dims), 1e-5)


def padding() -> Iterable[Case]:
    for sizes, pads in (
        ((3, 4), [1, 2]),
        ((3, 4), [1, 2, 0, 3]),
        ((2, 3, 4), [-1, 2, 1, -1, 0, 1]),
        ((0, 3), [1, 1]),
        ((3, 4), [0, 0, -3, 0]),
        ((5,), [2, -4]),
        ((3,), []),
    ):
        for value in (0, 2.5, True):
            yield Case("ConstantPadNd", (Shape(sizes), pads, value), aten.constant_pad_nd)
    for dims in (1, 2, 3):
        for batch in ((2, 3), (3,), (0, 3)):
            for pads in ([1, 2], [2, 0]):
                sizes = (*batch, 3, 5, 4)[: len(batch) + dims]
                every = pads * dims
                padded = (*batch, *(size + sum(pads) for size in sizes[len(batch) :]))
                x, y = Shape(sizes), Shape(padded)
                for name in ("Reflection", "Replication"):
                    operator = f"{name.lower()}_pad{dims}d"
                    yield Case(f"{name}Pad{dims}d", (x, every), getattr(aten, operator))
                    yield Case(
                        f"{name}Pad{dims}dBackward",
                        (y, x, every),
                        rounded_once(getattr(aten, f"{operator}_backward")),
                        1e-6,
                    )


def grid() -> Iterable[Case]:
    for batch in (2, 0):
        for align in (False, True):
            for sizes, places in (((4, 5), (3, 2)), ((2, 4, 5), (3, 2, 2))):
                dims = len(sizes)
                theta, size = Shape((batch, dims, dims + 1)), [batch, 3, *sizes]
                yield Case("AffineGrid", (theta, size, align), rounded_once(aten.affine_grid_generator))
                x, points = Shape((batch, 3, *sizes)), Shape((batch, *places, dims))
                y = Shape((batch, 3, *places))
                for mode in (0, 1, 2) if dims == 2 else (0, 1):
                    for border in (0, 1, 2):
                        forward = getattr(aten, f"grid_sampler_{dims}d")
                        arguments = (x, points, mode, border, align)
                        yield Case(f"GridSampler{dims}D", arguments, rounded_once(forward), 1e-6)
                        yield Case(
                            f"GridSampler{dims}DBackward",
                            (y, *arguments, [True, True]),
                            rounded_once(getattr(aten, f"grid_sampler_{dims}d_backward")),
                            1e-5,
                        )
