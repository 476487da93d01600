"""The names of the checks, for the command line, which does without torch."""

from __future__ import annotations

CHECK_NAMES = (
    "outputs",
    "determinism",
    "result",
    "meta",
    "symbolic",
    "schema",
    "gradients",
    "autocast",
    "vmap",
    "deterministic-mode",
    "streams",
    "export",
    "serialization",
    "compile",
)
# Their place is here: they come with the graph modes, and until then a run says that they did not run.
GRAPH_CHECK_NAMES = ("torchair", "npugraph-ex", "infershape")
GRAPH_REASON = "needs graph mode: not run"
