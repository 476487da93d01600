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
    "infershape",
    "torchair",
    "npugraph-ex",
)
