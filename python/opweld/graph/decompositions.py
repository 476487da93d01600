"""Decompositions of PyTorch's operators for which torchair has no converter.

They come from PyTorch's core ATen table, and from here where that has none. What torchair converts, or a
program's own `custom_decompositions` decompose, stays as it is. Captured graphs run operators as eager mode
does and need none.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from opweld.graph import conversion, gradients

Table = dict[Any, Callable[..., Any]]


def register(compiler: Any) -> None:
    """Lets torchair's module `npu_fx_compiler` decompose what it cannot convert."""
    compile_graph = compiler._compile_graph_with_aot
    if getattr(compile_graph, "__module__", None) == __name__:
        return

    @functools.wraps(compile_graph)
    def compiled(
        gm: Any,
        backend: Any,
        example_inputs: Any,
        compiler_config: Any = None,
        decompositions: Table | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        if compiler_config is None or compiler_config.mode.value != "reduce-overhead":
            decompositions = {**table(), **(decompositions or {})}
        return compile_graph(gm, backend, example_inputs, compiler_config, decompositions, *args, **kwargs)

    compiled.__module__ = __name__
    compiler._compile_graph_with_aot = compiled


@functools.cache
def table() -> Table:
    """The decompositions of operators that torchair cannot convert, by overload."""
    from torchair._utils.check_platform import is_arch35

    aten = torch.ops.aten
    core = torch._decomp.core_aten_decompositions()
    of_others = {*gradients.converters(), *(overload for overload in core if _is_composite(overload))}
    known = {overload: core[overload] for overload in core if overload not in of_others}
    known |= {overload: core[overload] for overload in _whole_on_the_npu() if overload in core}
    missing = {overload: known[overload] for overload in known if _is_missing(overload)}
    own = _own()
    missing |= {overload: own[overload] for overload in own if _is_missing(overload)}
    missing[aten.linspace.default] = linspace
    if not is_arch35():  # where torchair's converter has an operator for it
        no_statistics = aten._native_batch_norm_legit.no_stats
        missing[no_statistics] = torch._decomp.decomposition_table[no_statistics]
    return missing


def _is_missing(overload: Any) -> bool:
    if not isinstance(overload, torch._ops.OpOverload) or overload._schema.is_mutable:
        return False
    converter = conversion.registered_converter(overload)
    return converter is None or conversion.is_refusal(converter)


def _is_composite(overload: Any) -> bool:
    """Whether PyTorch decomposes the operator by itself, where the device has no kernel for the whole."""
    return isinstance(overload, torch._ops.OpOverload) and overload.has_kernel_for_dispatch_key(
        torch._C.DispatchKey.CompositeImplicitAutograd
    )


def _whole_on_the_npu() -> list[Any]:
    """Composite operators that stay whole in graphs, since torch_npu has kernels for them."""
    aten = torch.ops.aten
    return [
        aten._upsample_nearest_exact1d.default,
        aten._upsample_nearest_exact2d.default,
        aten._upsample_nearest_exact3d.default,
        aten._weight_norm.default,
        aten.gru.input,
        aten.isfinite.default,
        aten.kl_div.default,
        aten.l1_loss.default,
        aten.log_sigmoid.default,
        aten.lstm.input,
        aten.mish_backward.default,
        aten.multilabel_margin_loss.default,
        aten.one_hot.default,
        aten.upsample_nearest1d.default,
        aten.upsample_nearest3d.default,
    ]


def _own() -> Table:
    aten = torch.ops.aten
    return {
        aten.var.correction: variance,
        aten.var_mean.correction: lambda *args, **kwargs: (variance(*args, **kwargs), mean(*args, **kwargs)),
        aten.argsort.default: lambda x, dim=-1, descending=False: torch.sort(x, dim, descending)[1],
        aten.isclose.default: close,
        aten.logical_xor.default: lambda x, other: (x != 0) != (other != 0),
        aten.exp2.default: lambda x: torch.pow(2.0, x),
        aten.round.decimals: lambda x, *, decimals: torch.round(x * 10.0**decimals) / 10.0**decimals,
        aten.fmax.default: lambda x, other: torch.where(x.isnan(), other, _chosen(x, other, torch.maximum)),
        aten.fmin.default: lambda x, other: torch.where(x.isnan(), other, _chosen(x, other, torch.minimum)),
        aten.diagonal.default: diagonal,
        aten.unfold.default: windows,
        aten.repeat_interleave.self_int: repeated,
        aten.index_put.default: with_values,
        **_of_torch_npu(),
    }


def _of_torch_npu() -> Table:
    """Gradients that torch_npu computes by operators of its own, which have neither Meta nor converter."""
    npu = torch.ops.npu
    functions: dict[str, Callable[..., Any]] = {
        "npu_binary_cross_entropy_with_logits_backward": cross_entropy_with_logits_backward,
        "l1_loss_backward": absolute_difference_backward,
        "kl_div_backward": divergence_backward,
        "kl_div_target_backward": divergence_target_backward,
        "repeat_interleave_backward_int": repeated_backward,
    }
    return {
        getattr(npu, name).default: function for name, function in functions.items() if hasattr(npu, name)
    }


def _chosen(x: Tensor, other: Tensor, choose: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    return torch.where(other.isnan(), x, choose(x, other))


def close(
    x: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """aten::isclose."""
    near = (x == other) | (
        ((x - other).abs() <= atol + (rtol * other).abs()) & x.isfinite() & other.isfinite()
    )
    return near | (x.isnan() & other.isnan()) if equal_nan else near


def linspace(start: Any, end: Any, steps: int, **keywords: Any) -> Any:
    """aten::linspace; torchair's converter makes whole numbers of it where both ends are such."""
    if isinstance(start, float) or isinstance(end, float):
        return NotImplemented
    return torch.linspace(float(start), float(end), steps, **keywords)


def diagonal(x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """aten::diagonal as a copy."""
    matrix = x.movedim((dim1, dim2), (-2, -1))
    rows, columns = matrix.shape[-2:]
    first = offset if offset >= 0 else -offset * columns
    length = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    places = first + torch.arange(length, device=x.device) * (columns + 1)
    return matrix.reshape(*matrix.shape[:-2], rows * columns).index_select(-1, places)


def windows(x: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """aten::unfold as a copy: windows of `size` along `dimension`, which become the last dimension."""
    if x.ndim == 0:
        return x.reshape(1)[:size].clone()
    dimension %= x.ndim
    count = (x.shape[dimension] - size) // step + 1
    starts = torch.arange(count, device=x.device) * step
    places = (starts.unsqueeze(1) + torch.arange(size, device=x.device)).reshape(-1)
    found = x.index_select(dimension, places)
    shape = [*x.shape[:dimension], count, size, *x.shape[dimension + 1 :]]
    return found.reshape(shape).movedim(dimension + 1, -1)


def repeated(x: Tensor, repeats: int, dim: int | None = None, *, output_size: int | None = None) -> Tensor:
    """aten::repeat_interleave with one number of repetitions."""
    if dim is None:
        x, dim = x.reshape(-1), 0
    dim %= x.ndim
    shape = [*x.shape[: dim + 1], repeats, *x.shape[dim + 1 :]]
    return (
        x.unsqueeze(dim + 1)
        .expand(shape)
        .reshape(*x.shape[:dim], x.shape[dim] * repeats, *x.shape[dim + 1 :])
    )


def repeated_backward(grad: Tensor, x: Tensor, repeats: int, dim: int | None = None) -> Tensor:
    """The gradient of aten::repeat_interleave with one number of repetitions."""
    dim = None if dim is None else dim % x.ndim
    shape = [x.numel(), repeats] if dim is None else [*x.shape[: dim + 1], repeats, *x.shape[dim + 1 :]]
    return grad.reshape(shape).sum(1 if dim is None else dim + 1).reshape(x.shape)


def cross_entropy_with_logits_backward(
    grad: Tensor, x: Tensor, target: Tensor, weight: Tensor | None, pos_weight: Tensor | None, reduction: int
) -> Tensor:
    """The gradient of aten::binary_cross_entropy_with_logits; reduction: 0 none, 1 mean, 2 sum."""
    if pos_weight is None:
        result = (x.sigmoid() - target) * grad
    else:
        positive = pos_weight * target
        result = ((positive + 1 - target) * x.sigmoid() - positive) * grad
    if weight is not None:
        result = result * weight
    return (result / x.numel() if reduction == 1 else result).to(x.dtype)


def absolute_difference_backward(grad: Tensor, x: Tensor, target: Tensor, reduction: int) -> Tensor:
    """The gradient of aten::l1_loss for its input; reduction: 0 none, 1 mean, 2 sum."""
    result = grad * (x - target).sign()
    return (result / x.numel() if reduction == 1 else result).to(x.dtype)


def divergence_backward(
    grad: Tensor, x: Tensor, target: Tensor, reduction: int = 1, *, log_target: bool = False
) -> Tensor:
    """The gradient of aten::kl_div for its input; reduction: 0 none, 1 mean, 2 sum."""
    result = -grad * (target.exp() if log_target else target)
    return (result / x.numel() if reduction == 1 else result.expand(x.shape)).to(x.dtype)


def divergence_target_backward(
    grad: Tensor, x: Tensor, target: Tensor, reduction: int = 1, *, log_target: bool = False
) -> Tensor:
    """The gradient of aten::kl_div for its target; reduction: 0 none, 1 mean, 2 sum."""
    if log_target:
        result = grad * target.exp() * (target + 1 - x)
    else:
        result = torch.where(target > 0, grad * (target.log() + 1 - x), 0.0)
    return (result / target.numel() if reduction == 1 else result).to(target.dtype)


def with_values(x: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False) -> Any:
    """aten::index_put: scattered over the rows of the flattened tensor that the indices name.

    A mask that covers the first dimensions takes a single value, as its size decides no shape then; others
    stay as they are.
    """
    given = [index for index in indices if index is not None]
    if len(given) == 1 and given[0].dtype == torch.bool and indices[0] is not None:
        if values.numel() != 1 or accumulate:
            return NotImplemented
        mask = given[0].reshape(*given[0].shape, *[1] * (x.ndim - given[0].ndim))
        return torch.where(mask, values.reshape(()).to(x.dtype), x)
    if any(index.dtype in (torch.bool, torch.uint8) for index in given):
        return NotImplemented
    named = [i for i, index in enumerate(indices) if index is not None]
    rest = [i for i in range(x.ndim) if i not in named]
    adjacent = named == list(range(named[0], named[0] + len(named)))
    front = x.permute(*named, *rest)
    given = list(torch.broadcast_tensors(*given))  # type: ignore[no-untyped-call]
    shape = given[0].shape
    number = torch.zeros_like(given[0], dtype=torch.int64)
    for size, index in zip(front.shape, given, strict=False):
        number = number * size + torch.where(index < 0, index + size, index)
    # Where the indexed dimensions lie together, those of the indices take their place in `values`.
    before = named[0] if adjacent else 0
    tail = [x.shape[i] for i in rest]
    values = values.expand(*tail[:before], *shape, *tail[before:]).to(x.dtype)
    rank = len(shape)
    values = values.permute(*range(before, before + rank), *range(before), *range(before + rank, values.ndim))
    flat = front.reshape(math.prod(front.shape[: len(named)]), math.prod(tail))
    rows = values.reshape(math.prod(shape), math.prod(tail))
    places = number.reshape(-1)
    if accumulate:
        flat = flat.index_add(0, places, rows)
    else:
        flat = flat.scatter(0, places.unsqueeze(1).expand(rows.shape), rows)
    order = [*named, *rest]
    return flat.reshape(front.shape).permute(*[order.index(i) for i in range(x.ndim)])


def variance(
    x: Tensor, dim: Sequence[int] | None = None, *, correction: float | None = None, keepdim: bool = False
) -> Tensor:
    """aten::var.correction of a real tensor; 16-bit ones are summed in float32, as eager mode does."""
    wide = _wide(x)
    dims = _dimensions(x, dim)
    centred = wide - wide.mean(dims, keepdim=True)
    count = math.prod(x.shape[i] for i in dims)
    degrees = count - (1 if correction is None else correction)
    return ((centred * centred).sum(dims, keepdim=keepdim) / max(degrees, 0)).to(x.dtype)


def mean(
    x: Tensor, dim: Sequence[int] | None = None, *, correction: float | None = None, keepdim: bool = False
) -> Tensor:
    """The second result of aten::var_mean.correction."""
    return _wide(x).mean(_dimensions(x, dim), keepdim=keepdim).to(x.dtype)


def _wide(x: Tensor) -> Tensor:
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


def _dimensions(x: Tensor, dim: Sequence[int] | None) -> list[int]:
    return [i % max(x.ndim, 1) for i in dim] if dim else list(range(x.ndim))
