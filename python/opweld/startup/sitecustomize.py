"""What Python does at its start on the software NPU, and under `opweld run`.

It explains the error that ends a program, after its traceback, and lets torchair know opweld's converters.

Python imports a module of this name by itself where its folder is on PYTHONPATH. It costs next to nothing:
all else is imported when a program that uses torch has failed. It gives way to another module of its name.
"""

from __future__ import annotations

import os
import sys
import threading
import types
from importlib.machinery import PathFinder


def _explain(error: BaseException | None) -> None:
    if error is None or "torch" not in sys.modules or os.environ.get("OPWELD_EXPLAIN") != "1":
        return
    try:
        from opweld.explain import show
    except ImportError:  # another Python than opweld's
        return
    show(error)


def _install() -> None:
    import opweld_first_graph  # type: ignore[import-not-found]  # this folder is on the path yet

    opweld_first_graph.install()
    ends_program, ends_thread = sys.excepthook, threading.excepthook

    def program(kind: type[BaseException], error: BaseException, trace: types.TracebackType | None) -> None:
        ends_program(kind, error, trace)
        _explain(error)

    def thread(arguments: threading.ExceptHookArgs) -> None:
        ends_thread(arguments)
        _explain(arguments.exc_value)

    sys.excepthook, threading.excepthook = program, thread


def _give_way() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != here]
    spec = PathFinder.find_spec("sitecustomize")
    if spec is not None and spec.loader is not None:
        from importlib.util import module_from_spec  # costs more than all the rest

        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_install()
_give_way()
