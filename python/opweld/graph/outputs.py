"""Makes the outputs of torchair's graphs right that share memory with an input, or with another output.

torchair gives a graph's input, or a view of it, from where the input was in its storage when PyTorch traced.
The input of another call may begin elsewhere: a slice of a larger tensor does, as training loops take them,
and PyTorch checks sizes and strides only. Of two inputs in one storage torchair takes the first. What forward
keeps of its inputs for backward are such outputs: gradients are wrong without an error.

All other outputs are contiguous, in memory of their own. PyTorch makes views anew from the traced output that
they are views of, and where sizes are open, it does so by strides and offset of what the graph returned.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from typing import Any

SEARCHED = 1000  # operators between an input and a view of it
BY_VIEWS, BY_STRIDES = "by views", "by strides"


def register() -> None:
    """Lets torchair, which has to be loaded already, return such outputs as PyTorch traced them."""
    from torchair._ge_concrete_graph.fx2ge_converter import GeConcreteGraph

    parse, run = GeConcreteGraph.parse_output, GeConcreteGraph.__call__
    if getattr(parse, "__module__", None) == __name__:
        return

    @functools.wraps(parse)
    def parsed(graph: Any, target: Any, args: Any, kwargs: Any, meta_outputs: Any) -> Any:
        result = parse(graph, target, args, kwargs, meta_outputs)
        _place_views_of_inputs(graph, args[0])
        graph.opweld_views_of_outputs = views = _views_of_outputs(graph)
        for base, (_, parts) in views.items():
            for index in parts:
                if _made_anew(graph, index) == BY_STRIDES and not _are_plain(graph, base, index):
                    _warn_of_strides(graph, index)
        return result

    @functools.wraps(run)
    def called(graph: Any, *args: Any, **kwargs: Any) -> Any:
        outputs = run(graph, *args, **kwargs)
        views = getattr(graph, "opweld_views_of_outputs", None)
        return _with_views(outputs, views, args) if views else outputs

    parsed.__module__ = called.__module__ = __name__
    GeConcreteGraph.parse_output, GeConcreteGraph.__call__ = parsed, called


def _made_anew(graph: Any, index: int) -> str:
    """How PyTorch makes an output anew from what it is a view of; "" where it doesn't."""
    from torch._functorch._aot_autograd.schemas import OutputType
    from torch._guards import TracingContext

    context = TracingContext.try_get()
    forward = context.fw_metadata if context is not None else None
    nodes = graph._fx_graph.graph.nodes
    if forward is None or any(node.op == "placeholder" and "tangents" in node.name for node in nodes):
        return ""
    index -= forward.num_mutated_inp_runtime_indices
    if not 0 <= index < len(forward.output_info):
        return ""  # kept for backward
    output = forward.output_info[index]
    if output.output_type == OutputType.is_input:
        return BY_VIEWS
    if not output.output_type.name.startswith("alias_of_"):
        return ""
    steps = output.view_meta_sequence
    open_sizes = steps is None or any(step.has_symbolic_inputs for step in steps.sequence)
    return BY_STRIDES if open_sizes else BY_VIEWS


def _place_views_of_inputs(graph: Any, outputs: Sequence[Any]) -> None:
    from torchair._ge_concrete_graph.fx2ge_converter import ViewOfInput
    from torchair.core._concrete_graph import ValuePack

    for i, output in enumerate(outputs):
        view = graph._fx_outputs[i]
        if isinstance(view, ViewOfInput) and not (view.is_view_as_real or view.is_view_as_complex):
            traced = output.npu if isinstance(output, ValuePack) else output
            index = _input_of(graph, traced, view._fx_input_index)
            replayed = _made_anew(graph, i) == BY_VIEWS
            offset = graph._all_meta_tensor_input[index].storage_offset()
            graph._fx_outputs[i] = _placed(view, index, offset, not replayed and isinstance(offset, int))


def _input_of(graph: Any, output: Any, first: int) -> int:
    """The index of the input that an output is a view of; `first` is the first one in the same storage."""
    inputs = graph._all_meta_tensor_input
    for index, traced in inputs.items():
        if traced is output.meta:
            return int(index)
    operators = {operator.name: operator for operator in graph.graph.op}
    operator = output.node
    for _ in range(SEARCHED):
        if operator.type == "Data":
            index = operator.attr["index"].i
            return int(index) if index in inputs else first
        if not operator.input or operator.input[0].split(":")[0] not in operators:
            break
        operator = operators[operator.input[0].split(":")[0]]
    return first


def _placed(view: Any, index: int, traced_offset: Any, warns: bool) -> Any:
    """The same view, at an offset that counts from where its input begins."""
    import torch
    from torchair._ge_concrete_graph import utils
    from torchair._ge_concrete_graph.fx2ge_converter import ViewOfInput

    class PlacedView(ViewOfInput):  # type: ignore[misc]
        def __init__(self) -> None:
            self.__dict__.update(view.__dict__)
            moved = utils.generate_sym_exper(view._ori_meta_offset - traced_offset)
            self._fx_input_index = index
            self._meta_output_offset = moved
            self._ori_meta_offset = (
                f"args[{index}].storage_offset() + {moved}"  # in code that torchair generates
            )
            self._warns = warns

        def compute_output(self, *args: Any) -> Any:
            real = args[index]
            begins = real.storage_offset()
            if self._warns and begins != traced_offset:
                self._warns = False
                _warn_of_offset(index, real, traced_offset)
            values = utils.compute_value_of_sym(self._sym_value_mapping, *args)
            size, stride, offset = self._compute_output_shape_stride_offset(values)
            return torch.as_strided(real, size, stride, begins + int(offset))

    return PlacedView()


def _views_of_outputs(graph: Any) -> dict[int, tuple[Any, dict[int, Any]]]:
    """Outputs with open sizes and the views of them among the outputs: strides, sizes and offsets."""
    import torch
    from torchair._ge_concrete_graph import utils
    from torchair._ge_concrete_graph.fx2ge_converter import ViewOfInput

    is_alias = torch._C._is_alias_of  # type: ignore[attr-defined]
    metas = {i: graph._fx_outputs[i].meta for i in graph._fx_outputs_mapping}
    bases = {i: meta for i, meta in metas.items() if not meta._is_view()}
    known = graph._all_sym_input_idx.keys()

    def form(index: int) -> Any:
        syms = utils.get_used_sym_value_mapping(graph._all_sym_input_idx, metas[index])
        return ViewOfInput(0, metas[index], syms, False, False)

    found: dict[int, tuple[Any, dict[int, Any]]] = {}
    for i, meta in metas.items():
        base = next((j for j in bases if j != i and is_alias(bases[j], meta)), None)
        if base is None or i in bases:
            continue
        symbols = utils.get_used_syms_in_meta(meta) | utils.get_used_syms_in_meta(metas[base])
        if symbols and symbols <= known:
            found.setdefault(base, (form(base), {}))[1][i] = form(i)
    return found


def _are_plain(graph: Any, *outputs: int) -> bool:
    """Whether PyTorch traced outputs as torchair returns them."""
    metas = [graph._fx_outputs[index].meta for index in outputs]
    return all(meta.is_contiguous() and meta.storage_offset() == 0 for meta in metas)


def _with_views(outputs: tuple[Any, ...], views: dict[int, tuple[Any, dict[int, Any]]], args: Any) -> Any:
    import torch

    given = list(outputs)
    for base, (whole, parts) in views.items():
        size, stride, _ = _form(whole, args)
        if list(given[base].stride()) != list(stride):
            traced = torch.empty_strided(size, stride, dtype=given[base].dtype, device=given[base].device)
            given[base] = traced.copy_(given[base])
        for i, part in parts.items():
            given[i] = torch.as_strided(given[base], *_form(part, args))
    return tuple(given)


def _form(view: Any, args: Any) -> Any:
    from torchair._ge_concrete_graph.utils import compute_value_of_sym

    return view._compute_output_shape_stride_offset(compute_value_of_sym(view._sym_value_mapping, *args))


def _warn_of_offset(index: int, real: Any, traced_offset: Any) -> None:
    warnings.warn(
        f"torchair takes input {index} of a graph, {list(real.shape)}, from offset {traced_offset} of its "
        f"storage, where it was when PyTorch traced; it begins at {real.storage_offset()} now. opweld takes "
        "it from there, and the result is right. Without opweld gradients or results are wrong, and no error "
        "says so: there copy slices of a larger tensor (x.clone()) before a compiled model gets them",
        RuntimeWarning,
        stacklevel=2,
    )


def _warn_of_strides(graph: Any, index: int) -> None:
    sizes = list(graph._fx_outputs[index].meta.shape)
    warnings.warn(
        f"output {index} of a graph, {sizes}, is a view of another output. With open sizes PyTorch makes it "
        "anew by its strides, but torchair returns a contiguous tensor. opweld returns a view, and the "
        "result is right. Without opweld it is wrong, and no error says so: there return view.clone(), or "
        "compile with dynamic=False",
        RuntimeWarning,
        stacklevel=2,
    )
