"""Convolutions, poolings and resizing as graphs."""

from collections.abc import Callable, Iterator

import torch
from torch.nn import functional

from graph_compare import check, check_gradients, run_all

Case = tuple[str, Callable[[], None]]


def tensor(*shape: int, dtype: torch.dtype = torch.float32, grad: bool = True) -> torch.Tensor:
    return torch.randn(shape).to(dtype).requires_grad_(grad)


def _convolutions(dtype: torch.dtype) -> Iterator[Case]:
    x = tensor(2, 4, 9, 8, dtype=dtype)
    for name, weight, options in [
        ("plain", (6, 4, 3, 3), {}),
        ("stride and padding", (6, 4, 3, 3), {"stride": (2, 1), "padding": (1, 2)}),
        ("dilation", (6, 4, 3, 2), {"dilation": (2, 3), "padding": 2}),
        ("groups", (8, 2, 3, 3), {"groups": 2, "padding": 1}),
        ("depthwise", (8, 1, 3, 3), {"groups": 4, "stride": 2}),
        ("1x1", (6, 4, 1, 1), {}),
        ("few pixels", (96, 4, 5, 4), {"stride": (2, 1), "padding": (0, 1)}),
        ("few pixels, unlike padding", (80, 4, 4, 8), {"padding": "same", "dilation": (1, 1)}),
    ]:
        w = tensor(*weight, dtype=dtype)
        b = tensor(weight[0], dtype=dtype)
        yield (
            f"conv2d {name}",
            lambda w=w, b=b, o=options: check_gradients(
                "conv2d", lambda x, w, b: functional.conv2d(x, w, b, **o), x, w, b
            ),
        )
        yield (
            f"conv2d {name} without bias",
            lambda w=w, o=options: check("conv2d", lambda x, w: functional.conv2d(x, w, **o), x, w),
        )
    for convolution, image, kernel in [
        (functional.conv1d, (2, 4, 9), (8, 4, 3)),
        (functional.conv2d, (2, 4, 9, 8), (8, 4, 3, 2)),
        (functional.conv3d, (2, 4, 5, 6, 4), (8, 4, 3, 2, 2)),
    ]:
        inputs = [tensor(*shape, dtype=dtype) for shape in (image, kernel, (8,))]
        yield (
            f"one number as padding of {len(kernel) - 2} dimensions",
            lambda c=convolution, i=inputs: check_gradients(
                "valid", lambda x, w, b: c(x, w, b, padding="valid", stride=2), *i
            ),
        )
    for name, weight, options in [
        ("plain", (4, 6, 3, 3), {}),
        ("stride", (4, 6, 3, 3), {"stride": (2, 3), "padding": 1, "output_padding": (1, 2)}),
        ("groups", (4, 3, 3, 2), {"groups": 2, "dilation": 2}),
    ]:
        w = tensor(*weight, dtype=dtype)
        yield (
            f"conv_transpose2d {name}",
            lambda w=w, o=options: check_gradients(
                "transpose", lambda x, w: functional.conv_transpose2d(x, w, **o), x, w
            ),
        )
    line, w1 = tensor(2, 4, 11, dtype=dtype), tensor(6, 4, 3, dtype=dtype)
    yield (
        "conv1d",
        lambda: check_gradients(
            "conv1d", lambda x, w: functional.conv1d(x, w, padding=1, stride=2), line, w1
        ),
    )
    cube, w3 = tensor(1, 2, 5, 6, 4, dtype=dtype), tensor(4, 2, 3, 2, 2, dtype=dtype)
    yield (
        "conv3d",
        lambda: check_gradients(
            "conv3d", lambda x, w: functional.conv3d(x, w, stride=(1, 2, 1), padding=1), cube, w3
        ),
    )
    wt = tensor(2, 3, 3, 2, 2, dtype=dtype)
    yield (
        "conv_transpose3d",
        lambda: check_gradients(
            "transpose3d", lambda x, w: functional.conv_transpose3d(x, w, stride=2, padding=1), cube, wt
        ),
    )


def convolutions(dtype: str) -> int:
    torch.manual_seed(1)
    return run_all(_convolutions(getattr(torch, dtype)))


def _poolings() -> Iterator[Case]:
    x = tensor(2, 3, 9, 10)
    for ceil_mode in (False, True):
        yield (
            f"max_pool2d {ceil_mode}",
            lambda c=ceil_mode: check_gradients(
                "max", lambda x: functional.max_pool2d(x, (3, 2), (2, 3), (1, 1), ceil_mode=c), x
            ),
        )
        for include in (False, True):
            yield (
                f"avg_pool2d {ceil_mode} {include}",
                lambda c=ceil_mode, i=include: check_gradients(
                    "avg", lambda x: functional.avg_pool2d(x, 3, (2, 1), 1, c, i), x
                ),
            )
    yield (
        "dilated",
        lambda: check_gradients("max", lambda x: functional.max_pool2d(x, 3, 1, 1, dilation=2), x),
    )
    yield (
        "divisor",
        lambda: check_gradients("avg", lambda x: functional.avg_pool2d(x, 2, divisor_override=3), x),
    )
    yield "one image", lambda: check("avg", lambda x: functional.avg_pool2d(x[0], 2), x)
    yield "adaptive", lambda: check_gradients("avg", lambda x: functional.adaptive_avg_pool2d(x, (4, 3)), x)
    yield "global", lambda: check_gradients("avg", lambda x: functional.adaptive_avg_pool2d(x, 1), x)
    cube = tensor(2, 3, 5, 6, 7, grad=False)
    yield "max_pool3d", lambda: check("max", lambda x: functional.max_pool3d(x, 2, 2, 1), cube)
    yield (
        "max_pool3d with places",
        lambda: check("max", lambda x: functional.max_pool3d(x, 3, 2, 1, return_indices=True), cube),
    )


def poolings() -> int:
    torch.manual_seed(2)
    return run_all(_poolings())


def _sampling() -> Iterator[Case]:
    x = tensor(2, 3, 5, 6)
    for size in ((10, 12), (7, 4)):
        yield (
            f"nearest {size}",
            lambda s=size: check_gradients("nearest", lambda x: functional.interpolate(x, s), x),
        )
    grid = (torch.rand(2, 4, 7, 2) * 2.4 - 1.2).requires_grad_()
    for mode in ("bilinear", "nearest", "bicubic"):
        for padding in ("zeros", "border", "reflection"):
            yield (
                f"grid {mode} {padding}",
                lambda m=mode, p=padding: check_gradients(
                    "grid",
                    lambda x, g: functional.grid_sample(
                        x, g, mode=m, padding_mode=p, align_corners=p == "border"
                    ),
                    x,
                    grid,
                ),
            )
    cube, points = tensor(1, 2, 4, 5, 6, grad=False), torch.rand(1, 3, 4, 5, 3) * 2 - 1
    yield (
        "grid of a volume",
        lambda: check("grid", lambda x, g: functional.grid_sample(x, g, align_corners=False), cube, points),
    )


def sampling() -> int:
    torch.manual_seed(3)
    return run_all(_sampling())
