"""Leaves the inputs of captured training graphs as they are.

What forward keeps of its inputs for backward, npugraph_ex and torchair's reduce-overhead mode capture where
the first call's tensor lies, and copy those of later calls to that place: the caller's first batch is
overwritten, and in a slice of a data set the data set itself, without a word.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from types import ModuleType
from typing import Any


def register(acl_graph: ModuleType) -> None:
    """Lets the graphs of npugraph_ex's or torchair's module `acl_graph` keep such inputs in own memory."""
    compile_graph = acl_graph.AclGraph.compile_for_graph_key
    if getattr(compile_graph, "__module__", None) == __name__:
        return

    @functools.wraps(compile_graph)
    def compiled(graph: Any, graph_key: Any, *args: Any, **kwargs: Any) -> Any:
        return compile_graph(graph, graph_key, *_with_own_memory(graph, args), **kwargs)

    compiled.__module__ = __name__
    acl_graph.AclGraph.compile_for_graph_key = compiled


def _with_own_memory(graph: Any, args: Sequence[Any]) -> list[Any]:
    changed = graph._mutated_user_inputs or ()
    own = {
        index
        for name, index in graph._user_inputs_mapping.items()
        if index in graph._userinput_ref_with_output and name not in changed
    }
    return [arg.clone() if index in own else arg for index, arg in enumerate(args)]
