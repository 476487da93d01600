"""Cases of pooling, convolution, normalization and quantization; the form is described in aclnn_cases."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
import torch.nn.functional as F

from aclnn_cases import Case, Shape
from aclnn_cases_activation import widened
from aclnn_cases_loss import rounded_once

aten = torch.ops.aten
WINDOWS: tuple[tuple[Any, ...], ...] = (  # kernel, stride, padding, dilation, ceil_mode
    ([2], [], [0], [1], False),
    ([3, 2, 2], [2, 1, 2], [1, 1, 0], [1], True),
    ([2, 3, 1], [1], [1, 0, 0], [2, 1, 1], False),
)


def _with_indices(function: Callable[..., Any]) -> Callable[..., Any]:
    """A pooling computed in float32 for 16-bit tensors."""

    def wrapper(x: torch.Tensor, *arguments: Any) -> tuple[torch.Tensor, torch.Tensor]:
        values, indices = function(widened(x), *arguments)
        return values.to(x.dtype), indices

    return wrapper


def pooling_3d() -> Iterable[Case]:
    for sizes in ((2, 3, 5, 6, 4), (3, 5, 6, 4), (0, 3, 5, 6, 4)):
        x = Shape(sizes)
        for window in WINDOWS:
            kernel, stride, pad, _, ceil = window
            y = Shape(tuple(F.max_pool3d(torch.zeros(sizes), *window).shape))
            places = Shape(y.sizes, torch.int64, 120)
            yield Case("MaxPool3dWithArgmax", (x, *window), _with_indices(aten.max_pool3d_with_indices))
            yield Case("MaxPool3dWithArgmaxBackward", (y, x, places, *window), _max_pool3d_backward, 1e-5)
            y = Shape(tuple(F.avg_pool3d(torch.zeros(sizes), kernel, stride, pad, ceil).shape))
            for include, divisor in ((True, 0), (False, 0), (True, 3)):
                average = (kernel, stride, pad, ceil, include, divisor)
                yield Case("AvgPool3d", (x, *average), _avg_pool3d, 1e-6)
                yield Case("AvgPool3dBackward", (y, x, *average), _avg_pool3d_backward, 1e-5)


def _max_pool3d_backward(g: torch.Tensor, x: torch.Tensor, places: torch.Tensor, *window: Any) -> Any:
    if g.numel() == 0:
        return torch.zeros_like(x)
    return aten.max_pool3d_with_indices_backward(widened(g), widened(x), *window, places.contiguous()).to(
        x.dtype
    )


def _avg_pool3d(x: torch.Tensor, *arguments: Any) -> Any:
    *rest, divisor = arguments
    return aten.avg_pool3d(widened(x), *rest, divisor or None).to(x.dtype)


def _avg_pool3d_backward(g: torch.Tensor, x: torch.Tensor, *arguments: Any) -> Any:
    if g.numel() == 0:
        return torch.zeros_like(x)
    *rest, divisor = arguments
    return aten.avg_pool3d_backward(widened(g), widened(x), *rest, divisor or None).to(x.dtype)


def _dense_places(function: Callable[..., Any]) -> Callable[..., Any]:
    """ATen reads indices as if they were contiguous."""
    return rounded_once(lambda g, x, places: function(g, x, places.contiguous()))


def adaptive_pooling() -> Iterable[Case]:
    for dims, sizes in ((2, (2, 3, 5, 6)), (2, (3, 5, 6)), (3, (2, 3, 5, 6, 4)), (3, (3, 5, 6, 4))):
        x = Shape(sizes)
        for size in ((1,) * dims, (2, 3, 4)[:dims], (7, 5, 4)[:dims]):
            y = Shape((*sizes[:-dims], *size))
            pool = getattr(aten, f"adaptive_max_pool{dims}d")
            yield Case(f"AdaptiveMaxPool{dims}d", (x, size), _with_indices(pool))
            backward = _dense_places(getattr(aten, f"adaptive_max_pool{dims}d_backward"))
            places = Shape(y.sizes, torch.int64, 30)
            yield Case(f"AdaptiveMaxPool{dims}dBackward", (y, x, places), backward, 1e-5)
            if dims == 3:
                yield Case("AdaptiveAvgPool3d", (x, size), rounded_once(aten._adaptive_avg_pool3d), 1e-6)
                backward = rounded_once(aten._adaptive_avg_pool3d_backward)
                yield Case("AdaptiveAvgPool3dBackward", (y, x), backward, 1e-5)
    # All values at one place: where several are, which one stays depends on the threads.
    x, places = Shape((2, 3, 1, 1)), Shape((2, 3, 1, 1), torch.int64, 20)
    yield Case("MaxUnpool2d", (x, places, [4, 5]), aten.max_unpool2d)
    x, places = Shape((2, 3, 1, 1, 1)), Shape((2, 3, 1, 1, 1), torch.int64, 60)
    arguments = (x, places, [3, 4, 5], [3, 4, 5], [0, 0, 0])
    yield Case("MaxUnpool3d", arguments, aten.max_unpool3d)


def special_convolution() -> Iterable[Case]:
    for multiplier in (1, 2):
        for bias in (None, Shape((3 * multiplier,))):
            for stride, pad, dilation in (([1, 1], [0, 0], [1, 1]), ([2, 1], [1, 2], [1, 2])):
                x, weight = Shape((2, 3, 7, 6)), Shape((3 * multiplier, 1, 3, 2))
                arguments = (x, weight, [3, 2], bias, stride, pad, dilation, 0)
                yield Case("ConvDepthwise2d", arguments, _depthwise, 1e-5)
    for sizes, pads in (((7, 6), [1, 1, 2, 2]), ((7, 6), [1, 0, 2, 3]), ((9,), [2, 1])):
        x, weight = Shape((2, 3, *sizes)), Shape((4, 3, *(2, 3)[: len(sizes)]))
        ones = [1] * len(sizes)
        plain = (ones, pads, ones, False, [0] * len(sizes), 1)
        yield Case("Convolution", (x, weight, Shape((4,)), *plain, 0), _padded_convolution, 1e-5)
        y = Shape(tuple(_padded(torch.zeros(1, 3, *sizes), torch.zeros(weight.sizes), None, pads).shape))
        arguments = (Shape((2, *y.sizes[1:])), x, weight, [4], *plain, [True, True, True], 0)
        yield Case("ConvolutionBackward", arguments, _padded_convolution_backward, 1e-5)
    for pad in (0, 2):
        x, weight, bias = Shape((7, 2, 3)), Shape((3, 3, 4)), Shape((4,))
        yield Case("ConvTbc", (x, weight, bias, pad, 0), _conv_tbc, 1e-5)
        y = Shape((5 + 2 * pad, 2, 4))
        yield Case("ConvTbcBackward", (y, x, weight, bias, pad, 0), _conv_tbc_backward, 2e-5)


def _depthwise(x: torch.Tensor, weight: torch.Tensor, _: Any, bias: Any, *rest: Any) -> torch.Tensor:
    arguments = (widened(x), widened(weight), widened(bias), *rest[:3])
    return F.conv2d(*arguments, groups=x.size(1)).to(x.dtype)


def _padded(x: torch.Tensor, weight: torch.Tensor, bias: Any, pads: list[int]) -> torch.Tensor:
    """Pads before and after each dimension, the first of them first."""
    pairs = [pads[i : i + 2] for i in range(0, len(pads), 2)]
    wide = F.pad(widened(x), [number for pair in reversed(pairs) for number in pair])
    return getattr(F, f"conv{len(pairs)}d")(wide, widened(weight), widened(bias))


def _padded_convolution(x: torch.Tensor, weight: torch.Tensor, bias: Any, *rest: Any) -> torch.Tensor:
    return _padded(x, weight, bias, rest[1]).to(x.dtype)


def _padded_convolution_backward(
    g: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, _: Any, *rest: Any
) -> tuple[torch.Tensor, ...]:
    leaves = [widened(t).detach().contiguous().requires_grad_() for t in (x, weight, torch.zeros(4))]
    gradients = torch.autograd.grad(_padded(*leaves, rest[1]), leaves, widened(g).contiguous())
    return tuple(gradient.to(g.dtype) for gradient in gradients)


def _conv_tbc(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, pad: int, _: int) -> torch.Tensor:
    return torch.conv_tbc(widened(x), widened(weight), widened(bias), pad).to(x.dtype)


def _conv_tbc_backward(g: torch.Tensor, *arguments: Any) -> tuple[torch.Tensor, ...]:
    leaves = [widened(t).detach().contiguous().requires_grad_() for t in arguments[:3]]
    gradients = torch.autograd.grad(torch.conv_tbc(*leaves, arguments[3]), leaves, widened(g).contiguous())
    return tuple(gradient.to(g.dtype) for gradient in gradients)


def sync_batch_norm() -> Iterable[Case]:
    for sizes in ((4, 3), (4, 3, 5), (2, 3, 2, 4)):
        x, c = Shape(sizes), Shape((3,))
        yield Case("BatchNormStats", (x, 1e-5), _stats, 1e-5)
        yield Case("BatchNormReduce", (x,), _sums, 1e-5)
        for weight in (None, c):
            yield Case("BatchNormElemt", (x, weight, weight, c, c, 1e-5), _elements, 1e-5)
            arguments = (x, x, c, c, weight)
            yield Case("BatchNormReduceBackward", (*arguments, True, True, True), _reduce_backward, 1e-4)
            count = Shape((2,), torch.int32, 9)
            yield Case("BatchNormElemtBackward", (*arguments, c, c, count), _elements_backward, 1e-4)


def _per_channel(values: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return widened(values).view(1, -1, *[1] * (x.dim() - 2))


def _stats(x: torch.Tensor, eps: float) -> tuple[torch.Tensor, ...]:
    rows = widened(x).transpose(0, 1).flatten(1)
    return rows.mean(1).to(x.dtype), (1 / (rows.var(1, unbiased=False) + eps).sqrt()).to(x.dtype)


def _sums(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    rows = widened(x).transpose(0, 1).flatten(1)
    return rows.sum(1).to(x.dtype), rows.square().sum(1).to(x.dtype)


def _elements(
    x: torch.Tensor, w: Any, b: Any, mean: torch.Tensor, invstd: torch.Tensor, _: float
) -> torch.Tensor:
    y = (widened(x) - _per_channel(mean, x)) * _per_channel(invstd, x)
    if w is not None:
        y = y * _per_channel(w, x) + _per_channel(b, x)
    return y.to(x.dtype)


def _reduce_backward(
    g: torch.Tensor, x: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, *_: Any
) -> tuple[torch.Tensor, ...]:
    gradients = widened(g).transpose(0, 1).flatten(1)
    distances = (widened(x) - _per_channel(mean, x)).transpose(0, 1).flatten(1)
    sums, products = gradients.sum(1), (gradients * distances).sum(1)
    return tuple(t.to(x.dtype) for t in (sums, products, products * widened(invstd), sums))


def _elements_backward(
    g: torch.Tensor,
    x: torch.Tensor,
    mean: torch.Tensor,
    invstd: torch.Tensor,
    weight: Any,
    sums: torch.Tensor,
    products: torch.Tensor,
    count: torch.Tensor,
) -> torch.Tensor:
    n, scale = widened(x).new_tensor(count.sum()), _per_channel(invstd, x)
    distance = widened(x) - _per_channel(mean, x)
    result = (
        widened(g) - _per_channel(sums, x) / n - distance * scale.square() * _per_channel(products, x) / n
    )
    result = result * scale * (1 if weight is None else _per_channel(weight, x))
    return result.to(x.dtype)


def quantization() -> Iterable[Case]:
    for sizes in ((3, 4), (2, 3, 4), (0, 3)):
        x = Shape(sizes)
        yield Case("FakeQuantPerTensorAffineCachemask", (x, *_ONE, 1.0, -8, 7), _fake_quantize)
        yield Case("FakeQuantPerTensorAffineCachemask", (x, *_ONE, 0.0, -8, 7), _fake_quantize)
        for axis in (0, 1, -1):
            count = (sizes[axis],)
            parameters = (Shape(count, torch.float32), Shape(count, torch.int32, 5))
            yield Case("FakeQuantPerChannelAffineCachemask", (x, *parameters, axis, -8, 12), _fake_channels)
            for dtype in (torch.int8, torch.uint8, torch.int32):
                function = _quantize(dtype)
                yield Case("Quantize", (x, *parameters, dtype, axis), function)
                yield Case("Quantize", (x, Shape((1,)), None, dtype, axis), function)


_ONE = (Shape((1,), torch.float32), Shape((1,), torch.int32, 5))


def _fake_quantize(
    x: torch.Tensor, scale: torch.Tensor, zero: torch.Tensor, enabled: float, low: int, high: int
) -> tuple[torch.Tensor, torch.Tensor]:
    flag = torch.tensor([int(enabled)])
    function = aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams
    y, mask = function(widened(x), scale, zero, flag, low, high)
    return y.to(x.dtype), mask


def _fake_channels(
    x: torch.Tensor, scale: torch.Tensor, zero: torch.Tensor, axis: int, low: int, high: int
) -> tuple[torch.Tensor, torch.Tensor]:
    y, mask = aten.fake_quantize_per_channel_affine_cachemask(widened(x), scale, zero, axis, low, high)
    return y.to(x.dtype), mask


def _quantize(dtype: torch.dtype) -> Callable[..., torch.Tensor]:
    limits = torch.iinfo(dtype)

    def function(
        x: torch.Tensor, scales: torch.Tensor, zeros: Any, _: torch.dtype, axis: int
    ) -> torch.Tensor:
        shape = [1] * x.dim()
        shape[axis] = scales.numel()
        y = torch.round(x.double() / scales.double().view(shape))
        if zeros is not None:
            y = y + zeros.view(shape)
        return y.clamp(limits.min, limits.max).to(dtype)

    return function
