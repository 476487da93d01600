"""Converters of operators that torchair has none for, to operator types of the standard."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch

from opweld.graph import conversion

Converter = Callable[..., Any]


def register() -> None:
    """Registers the converters with torchair, which has to be loaded already; what it converts it keeps."""
    aten = torch.ops.aten
    _provide(aten.amax.default, _reduction("ReduceMax"))
    _provide(aten.amin.default, _reduction("ReduceMin"))
    _provide(aten.prod.dim_int, _reduction("ReduceProd"))
    _provide(aten.prod.default, _whole_product)
    _provide(aten.cumprod.default, _cumulative_product)
    _provide(aten.atan2.default, _of_two("Atan2"))
    _provide(aten.fmod.Tensor, _of_two("Mod"))
    _provide(aten.fmod.Scalar, _of_two("Mod"))
    _provide(aten.erfc.default, _of_one("Erfc"))
    _provide(aten.trunc.default, _of_one("Trunc"))
    _provide(aten.isnan.default, _is_nan)
    for alias, operator in ((aten.true_divide.Tensor, aten.div.Tensor), (aten.sub.Scalar, aten.sub.Tensor)):
        _provide(alias, inspect.unwrap(conversion.registered_converter(operator)))
    _provide(aten.contiguous.default, _unchanged)
    _provide(aten.squeeze.dims, _squeezed)


def _provide(operator: Any, converter: Converter) -> None:
    import torchair

    present = conversion.registered_converter(operator)
    if present is None or conversion.is_refusal(present):
        torchair.register_fx_node_ge_converter(operator)(converter)


def _promoted(meta: Any, *arguments: Any) -> list[Any]:
    """Tensors of the result's dtype; numbers become constants."""
    from torchair._ge_concrete_graph.utils import dtype_promote

    promoted = dtype_promote(*arguments, target_dtype=meta.dtype)
    return list(promoted) if isinstance(promoted, (list, tuple)) else [promoted]


def _of_one(operator_type: str) -> Converter:
    def convert(x: Any, *, meta_outputs: Any = None) -> Any:
        from torchair._ge_concrete_graph import ge_apis as ge

        return getattr(ge, operator_type)(*_promoted(meta_outputs, x))

    return convert


def _of_two(operator_type: str) -> Converter:
    def convert(x: Any, other: Any, *, meta_outputs: Any = None) -> Any:
        from torchair._ge_concrete_graph import ge_apis as ge

        return getattr(ge, operator_type)(*_promoted(meta_outputs, x, other))

    return convert


def _reduction(operator_type: str) -> Converter:
    def convert(
        x: Any,
        dim: Sequence[int] | int = (),
        keepdim: bool = False,
        *,
        dtype: Any = None,
        meta_outputs: Any = None,
    ) -> Any:
        from torchair._ge_concrete_graph import ge_apis as ge

        dims = [dim] if isinstance(dim, int) else list(dim)
        (wide,) = _promoted(meta_outputs, x)
        return getattr(ge, operator_type)(wide, dims or list(range(x.rank)), keep_dims=keepdim)

    return convert


def _whole_product(x: Any, *, dtype: Any = None, meta_outputs: Any = None) -> Any:
    return _reduction("ReduceProd")(x, meta_outputs=meta_outputs)


def _cumulative_product(x: Any, dim: int, *, dtype: Any = None, meta_outputs: Any = None) -> Any:
    from torchair._ge_concrete_graph import ge_apis as ge

    (wide,) = _promoted(meta_outputs, x)
    return wide if x.rank == 0 else ge.Cumprod(wide, dim)


def _unchanged(x: Any, *, memory_format: Any = None, meta_outputs: Any = None) -> Any:
    from torchair._ge_concrete_graph import ge_apis as ge

    return ge.Identity(x)  # all tensors of a graph are contiguous


def _squeezed(x: Any, dim: Sequence[int], *, meta_outputs: Any = None) -> Any:
    from torchair._ge_concrete_graph import ge_apis as ge

    axes = sorted({i % x.rank for i in dim if x.symsize[i] == 1}) if x.rank else []
    return ge.Squeeze(x, axis=axes) if axes else ge.Identity(x)


def _is_nan(x: Any, *, meta_outputs: Any = None) -> Any:
    from torchair._ge_concrete_graph import ge_apis as ge

    return ge.NotEqual(x, x)  # what IsNan computes, for integers too
