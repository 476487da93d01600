"""What opweld gives to torchair: converters, and right views and outputs."""

from __future__ import annotations

import os

from opweld.graph import attention, gradients, outputs, standard_types, views


def register() -> None:
    """Registers all that this process's NPU has operators for; torchair has to be loaded already."""
    gradients.register()
    standard_types.register()
    outputs.register()
    views.register()
    if os.environ.get("OPWELD_TARGET") == "software":
        attention.register()
