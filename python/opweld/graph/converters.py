"""The converters that opweld gives to torchair."""

from __future__ import annotations

import os

from opweld.graph import attention, gradients


def register() -> None:
    """Registers all that this process's NPU has operators for; torchair has to be loaded already."""
    gradients.register()
    if os.environ.get("OPWELD_TARGET") == "software":
        attention.register()
