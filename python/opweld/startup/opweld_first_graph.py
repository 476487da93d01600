"""Gives torchair the converters that it lacks, and right views, when it begins with its first graph.

Python's start imports this module by its name alone, without the package opweld: it costs next to nothing.
"""

from __future__ import annotations

import sys


class _BeforeFirstGraph:
    """Finds nothing, but sees which module torchair imports when it begins with its first graph."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "torchair._ge_concrete_graph.custom_op_pre_scan":
            try:
                from opweld.graph import converters  # torchair is loaded now
            except ImportError:  # another Python than opweld's
                return
            converters.register()


def install() -> None:
    """Begins to watch this process."""
    sys.meta_path.insert(0, _BeforeFirstGraph)
