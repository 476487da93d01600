"""Converters for gradients that torchair has none for, or refuses: models train without decompositions.

What torchair converts, its own converters convert. The operator types are standard ones, which every NPU has.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

Converter = Callable[..., Any]


def register() -> None:
    """Registers the converters with torchair, which has to be loaded already."""
    for operator, converter in converters().items():
        _extend(operator, converter)


def converters() -> dict[Any, Converter]:
    """The converters by operator."""
    import torch

    aten = torch.ops.aten
    return {
        aten.silu_backward.default: convert_silu_backward,
        aten.matmul_backward.default: convert_matmul_backward,
        aten.native_batch_norm_backward.default: convert_batch_norm_backward,
        aten.convolution_backward.default: convert_convolution_backward,
    }


def _extend(operator: Any, converter: Converter) -> None:
    """Registers `converter`, which gets torchair's as its first argument; one of others stays."""
    import torchair
    from torchair._ge_concrete_graph.fx2ge_converter import _get_converter

    present = _get_converter(operator)
    if not getattr(present, "__module__", "").startswith("torchair."):
        return

    torchairs = inspect.unwrap(present)

    @functools.wraps(torchairs)
    def extended(*arguments: Any, **named: Any) -> Any:
        return converter(torchairs, *arguments, **named)

    extended.__module__ = __name__
    torchair.register_fx_node_ge_converter(operator)(extended)


def convert_silu_backward(torchairs: Converter, grad: Any, x: Any, meta_outputs: Any = None) -> Any:
    """The converter of aten::silu_backward."""
    from torchair._ge_concrete_graph import ge_apis as ge

    try:
        return torchairs(grad, x, meta_outputs=meta_outputs)
    except NotImplementedError:
        return ge.SwishGrad(grad, x, ge.Swish(x))


def convert_matmul_backward(
    torchairs: Converter, grad: Any, x: Any, other: Any, mask: Sequence[bool], meta_outputs: Any = None
) -> Any:
    """The converter of aten::matmul_backward; torchair's wants equal ranks and both gradients."""
    from torchair._ge_concrete_graph import ge_apis as ge

    if all(mask) and x.rank == other.rank > 1:
        return torchairs(grad, x, other, mask, meta_outputs=meta_outputs)
    vectors = (x.rank == 1, other.rank == 1)
    batch = grad.rank - 2 + sum(vectors)
    left = ge.Unsqueeze(x, axes=[0]) if vectors[0] else x
    right = ge.Unsqueeze(other, axes=[1]) if vectors[1] else other
    axes = [batch + i for i in range(2) if vectors[i]]
    product = ge.Unsqueeze(grad, axes=axes) if axes else grad
    if x.rank > 2 >= other.rank:  # one product over all rows
        left = _matrix(left, x.symsize[-1], x, -1)
        product = _matrix(product, 1 if vectors[1] else grad.symsize[-1], grad, -1)
    to_x = to_other = None
    if mask[0]:
        if other.rank > 2 >= x.rank:  # one product over all columns
            order = [*range(batch), batch + 1, batch]
            columns = _matrix(
                ge.Transpose(product, order), 1 if vectors[0] else grad.symsize[-2], grad, grad.rank - 2
            )
            others = _matrix(ge.Transpose(right, order), other.symsize[-2], other, other.rank - 2)
            to_x = ge.MatMul(columns, others, None, transpose_x1=True)
        elif other.rank > 2:
            to_x = ge.BatchMatMul(product, right, adj_x2=True)
        else:
            to_x = ge.MatMul(product, right, None, transpose_x2=True)
        if vectors[0] or x.rank > 2 >= other.rank:
            to_x = ge.Reshape(to_x, ge.Shape(x))
    if mask[1]:
        if other.rank > 2:
            to_other = ge.BatchMatMul(left, product, adj_x1=True)
        else:
            to_other = ge.MatMul(left, product, None, transpose_x1=True)
        if vectors[1]:
            to_other = ge.Reshape(to_other, ge.Shape(other))
    return to_x, to_other


def convert_batch_norm_backward(
    torchairs: Converter,
    grad_out: Any,
    x: Any,
    weight: Any,
    running_mean: Any,
    running_var: Any,
    save_mean: Any,
    save_invstd: Any,
    train: bool,
    eps: float,
    output_mask: Sequence[bool],
    meta_outputs: Any = None,
) -> Any:
    """The converter of aten::native_batch_norm_backward.

    On most NPUs its operators take float32 parameters only, and no bfloat16; torchair's doesn't cast.
    """
    from torchair._ge_concrete_graph import ge_apis as ge
    from torchair._utils.check_platform import is_arch35
    from torchair.ge import DataType

    parameters = [weight, running_mean, running_var, save_mean, save_invstd]
    narrow = any(tensor is not None and tensor.dtype != DataType.DT_FLOAT for tensor in parameters)
    if is_arch35() or not narrow:
        return torchairs(grad_out, x, *parameters, train, eps, output_mask, meta_outputs=meta_outputs)

    def wide(tensor: Any, *kept: Any) -> Any:
        if tensor is None or tensor.dtype in (DataType.DT_FLOAT, *kept):
            return tensor
        result = ge.Cast(tensor, dst_type=DataType.DT_FLOAT)
        result.set_meta(tensor.meta.float())
        return result

    tensors = [wide(tensor, DataType.DT_FLOAT16) for tensor in (grad_out, x)]
    tensors += [wide(tensor) for tensor in parameters]
    outputs = torchairs(*tensors, train, eps, output_mask, meta_outputs=meta_outputs)
    written = (tensors[1].dtype, DataType.DT_FLOAT, DataType.DT_FLOAT)
    return tuple(
        output if output is None or spec.dtype == dtype else ge.Cast(output, dst_type=spec.dtype)
        for output, spec, dtype in zip(outputs, meta_outputs, written, strict=True)
    )


def convert_convolution_backward(
    torchairs: Converter,
    grad_out: Any,
    x: Any,
    weight: Any,
    bias_sizes: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    *others: Any,
    **named: Any,
) -> Any:
    """The converter of aten::convolution_backward.

    One number may stand for all dimensions, as padding="valid" writes it; torchair's wants one of each.
    """
    dimensions = x.rank - 2
    options = [_of_each(numbers, dimensions) for numbers in (stride, padding, dilation)]
    return torchairs(
        grad_out,
        x,
        weight,
        bias_sizes,
        *options,
        transposed,
        _of_each(output_padding, dimensions),
        *others,
        **named,
    )


def _of_each(numbers: Any, dimensions: int) -> Any:
    return list(numbers) * dimensions if isinstance(numbers, list | tuple) and len(numbers) == 1 else numbers


def _matrix(tensor: Any, length: Any, source: Any, axis: int) -> Any:
    """All rows of a tensor; `length` is that of a row, the size of `source` along `axis` where it is open."""
    from torchair._ge_concrete_graph import ge_apis as ge

    if isinstance(length, int):
        return ge.Reshape(tensor, [-1, length])
    size = ge.Gather(ge.Shape(source), axis % source.rank)
    return ge.Reshape(tensor, ge.Pack([-1, size], N=2, axis=0))
