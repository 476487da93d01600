"""Gives torchair the converters that it lacks, right views, and captured graphs that spare their inputs.

That is when it begins with its first graph. Python's start imports this module by its name alone, without the
package opweld: it costs next to nothing.
"""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

FIRST_GRAPH = "torchair._ge_concrete_graph.custom_op_pre_scan"
COMPILER = "torchair.npu_fx_compiler"
CAPTURED = ("torchair._acl_concrete_graph.acl_graph", "npugraph_ex._acl_concrete_graph.acl_graph")


class _BeforeFirstGraph:
    """Sees which module torchair imports when it begins with its first graph, or defines captured graphs."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name == FIRST_GRAPH:
            try:
                from opweld.graph import converters  # torchair is loaded now
            except ImportError:  # another Python than opweld's
                return None
            converters.register()
        if name in CAPTURED:
            return _found(name, path, "captured")
        if name == COMPILER:
            return _found(name, path, "decompositions")
        return None


def _found(name: str, path: object, changer: str) -> ModuleSpec | None:
    """The module as Python finds it; opweld's module `changer` changes it once it has run."""
    spec = PathFinder.find_spec(name, path)  # type: ignore[arg-type]
    if spec is None or spec.loader is None:
        return None
    run = spec.loader.exec_module

    def run_and_change(module: ModuleType) -> None:
        run(module)
        try:
            changes = importlib.import_module(f"opweld.graph.{changer}")
        except ImportError:  # another Python than opweld's
            return
        changes.register(module)

    spec.loader.exec_module = run_and_change  # type: ignore[method-assign]
    return spec


def install() -> None:
    """Begins to watch this process."""
    sys.meta_path.insert(0, _BeforeFirstGraph)
