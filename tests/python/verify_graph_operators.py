"""Operators for test_verify_graphs.py: each is x * 2 in eager mode; what is wrong shows in graphs only."""

import torch
import torch_npu  # noqa: F401
import torchair
from torch import Tensor

LIBRARY = torch.library.Library("opweld_graph", "DEF")


def operator(name, kernel, meta):
    """Registers an operator without a gradient."""
    LIBRARY.define(f"{name}(Tensor x) -> Tensor")
    LIBRARY.impl(name, kernel, "PrivateUse1")
    LIBRARY.impl(name, meta, "Meta")
    LIBRARY.impl(name, torch.library.fallthrough_kernel, "Autograd")
    return getattr(torch.ops.opweld_graph, name).default


def converter(overload, operator_type, **attributes):
    """Has the operator converted to one operator of a graph."""

    @torchair.register_fx_node_ge_converter(overload)
    def convert(x, *, meta_outputs=None):
        return torchair.ge.custom_op(operator_type, inputs={"x": x}, attrs=attributes, outputs=["y"])


def double(x: Tensor) -> Tensor:
    return torch.mul(x, 2).contiguous()


def flat(x: Tensor) -> Tensor:
    return torch.mul(x, 2).flatten().clone()


def plain(x: Tensor) -> Tensor:
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


def plain_flat(x: Tensor) -> Tensor:
    return x.new_empty([x.numel()])


converter(operator("right", double, plain), "Muls", value=torchair.ge.attr.Float(2.0))
converter(operator("other_values", double, plain), "Relu")
converter(operator("infershape_alone", flat, plain_flat), "Muls", value=torchair.ge.attr.Float(2.0))
converter(operator("meta_alone", double, plain_flat), "Muls", value=torchair.ge.attr.Float(2.0))
converter(operator("kernel_alone", flat, plain), "Muls", value=torchair.ge.attr.Float(2.0))
operator("no_converter", double, plain)


def formula(name, function):
    """Registers an operator that graphs get the formula of."""
    LIBRARY.define(f"{name}(Tensor x) -> Tensor")
    LIBRARY.impl(name, function, "CompositeImplicitAutograd")


formula("decomposed", lambda x: x.contiguous().sin() + x.contiguous())
formula("decomposed_beyond_torchair", lambda x: torch.special.i1e(x.contiguous()))
