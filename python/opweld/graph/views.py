"""Makes torchair's view optimization (`enable_view_optimize`) right where it loses a transposition.

torchair keeps views out of its graphs: it follows the strides of a chain of them on tensors without data, and
puts one transposition where the chain ends. All tensors are contiguous in its graphs, also those that PyTorch
traced otherwise. So what PyTorch traced as a view may need a copy there: torchair's reshape makes one, the
copy's strides know nothing of the transposition in front of it, and the graph reads the elements in another
order.
"""

from __future__ import annotations

import functools
import re
import warnings
from typing import Any

RESHAPES = ("aten.view.default", "aten.reshape.default")


def register() -> None:
    """Lets torchair, which has to be loaded already, end a chain of views where a reshape copies."""
    from torchair._ge_concrete_graph.fx2ge_converter import GeConcreteGraph

    parse = GeConcreteGraph._parse_node_internal
    if getattr(parse, "__module__", None) == __name__:
        return

    @functools.wraps(parse)
    def checked(graph: Any, target: Any, args: Any, kwargs: Any, meta_outputs: Any) -> Any:
        if _optimizes(graph, target, args, meta_outputs) and _copies(args[0], args[1]):
            _warn(graph, args[0], meta_outputs)
            args, kwargs = _end_chain(graph, args, kwargs)
        return parse(graph, target, args, kwargs, meta_outputs)

    checked.__module__ = __name__
    GeConcreteGraph._parse_node_internal = checked


def _optimizes(graph: Any, target: Any, args: Any, meta_outputs: Any) -> bool:
    """Whether torchair takes this node for a view that goes on with a chain."""
    from torchair._ge_concrete_graph.continguous_utils import is_view_case
    from torchair.scope._scope_attr import has_only_super_kernel_scope_attr, has_scope_attr

    if str(target) not in RESHAPES or not hasattr(args[0], "view_faketensor"):
        return False
    if not graph.config.experimental_config.enable_view_optimize:
        return False
    if has_scope_attr() and not has_only_super_kernel_scope_attr():
        return False
    return bool(is_view_case(target, args, meta_outputs))


def _copies(source: Any, size: Any) -> bool:
    """Whether a reshape of what the chain makes of a contiguous tensor is no view of it."""
    import torch
    from torch._guards import detect_fake_mode
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torchair.ge._ge_graph import Tensor

    chain = source.view_faketensor.meta
    with detect_fake_mode(None) or FakeTensorMode(allow_non_fake_inputs=True):
        reshaped = torch.ops.aten.reshape.default(chain, size.meta if isinstance(size, Tensor) else size)
    return not torch._C._is_alias_of(reshaped, chain)  # type: ignore[attr-defined]


def _end_chain(graph: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The same arguments, with the chains of views that make them in the graph."""
    from torchair._ge_concrete_graph.continguous_utils import optimize_view_args_and_kwargs

    ended: tuple[Any, Any] = optimize_view_args_and_kwargs(graph, args, kwargs)
    return ended


def _warn(graph: Any, source: Any, result: Any) -> None:
    node = getattr(graph._converter_ctx, "node", None)
    frames = re.findall(r'File "(.+?)", line (\d+)', (node.meta.get("stack_trace") or "") if node else "")
    place = " ({}:{})".format(*frames[-1]) if frames else ""
    warnings.warn(
        "torchair's view optimization loses the transposition in front of the view of "
        f"{list(source.meta.shape)} as {list(result.shape)}{place}: in its graph this view needs a copy, and "
        "torchair goes on with the copy's strides. opweld puts the transposition into the graph, and the "
        "result is right. Without opweld it is wrong, and no error says so: there set "
        "config.experimental_config.enable_view_optimize = False",
        RuntimeWarning,
        stacklevel=2,
    )
