"""Leaves the inputs of captured training graphs as they are, and gives each run its results, right ones.

What forward keeps of its inputs for backward, npugraph_ex and torchair's reduce-overhead mode capture where
the first call's tensor lies, and copy those of later calls to that place: the caller's first batch is
overwritten, and in a slice of a data set the data set itself, without a word.

Each run of such a graph returns the tensors of the run before. The memory is the graph's, but so are the
objects, with what autograd keeps there: a hook of the second run is registered on the first run's node and is
never called, and `retain_grad` keeps a gradient that is no longer right.

A graph that was captured for several sizes asks by weak references which results still live. A result that is
None, the gradient of what needs none, looks like one that doesn't, and has no memory to be found at.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import torch


def register(acl_graph: ModuleType) -> None:
    """Changes the graphs of npugraph_ex's or torchair's module `acl_graph`."""
    graphs = acl_graph.AclGraph
    compile_graph, results = graphs.compile_for_graph_key, graphs.reconstruct_outputs
    if getattr(compile_graph, "__module__", None) == __name__:
        return

    @functools.wraps(compile_graph)
    def compiled(graph: Any, graph_key: Any, *args: Any, **kwargs: Any) -> Any:
        answer = compile_graph(graph, graph_key, *_with_own_memory(graph, args), **kwargs)
        _name_missing_results(graph.graphs_meta[graph_key])
        return answer

    @functools.wraps(results)
    def new_results(graph: Any, graph_key: Any) -> list[Any]:
        return [_new_object(result) for result in results(graph, graph_key)]

    compiled.__module__ = new_results.__module__ = __name__
    graphs.compile_for_graph_key, graphs.reconstruct_outputs = compiled, new_results


_NOTHING = object()  # stands for a result that is None


def _name_missing_results(meta: Any) -> None:
    for index, form in enumerate(meta.outputs_meta):
        if form is None:
            meta.outputs_meta[index] = _NOTHING
            meta.outputs_weakref[index].swap_weakref(_NOTHING)


def _new_object(result: Any) -> Any:
    """The same memory; the graph's own tensor, by which it asks who needs the memory, lives as long."""
    if result is _NOTHING:
        return None
    if not isinstance(result, torch.Tensor):
        return result
    new = result.detach()
    new._opweld_result_of_graph = result  # type: ignore[attr-defined]
    return new


def _with_own_memory(graph: Any, args: Sequence[Any]) -> list[Any]:
    changed = graph._mutated_user_inputs or ()
    own = {
        index
        for name, index in graph._user_inputs_mapping.items()
        if index in graph._userinput_ref_with_output and name not in changed
    }
    return [arg.clone() if index in own else arg for index, arg in enumerate(args)]
