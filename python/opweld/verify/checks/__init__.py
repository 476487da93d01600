"""The checks, in the order in which they run; each subject is a module of this folder."""

from __future__ import annotations

from opweld.verify.checks.base import Check, Context
from opweld.verify.checks.compiling import COMPILE, NPUGRAPH_EX, TORCHAIR
from opweld.verify.checks.converting import INFERSHAPE
from opweld.verify.checks.eager import DETERMINISM, OUTPUTS, RESULT
from opweld.verify.checks.exporting import EXPORT, SERIALIZATION
from opweld.verify.checks.gradients import GRADIENTS
from opweld.verify.checks.meta import META
from opweld.verify.checks.modes import AUTOCAST, DETERMINISTIC_MODE, STREAMS
from opweld.verify.checks.schema import SCHEMA
from opweld.verify.checks.symbolic import SYMBOLIC
from opweld.verify.checks.vmap import VMAP

CHECKS: tuple[Check, ...] = (
    OUTPUTS,
    DETERMINISM,
    RESULT,
    META,
    SYMBOLIC,
    SCHEMA,
    GRADIENTS,
    AUTOCAST,
    VMAP,
    DETERMINISTIC_MODE,
    STREAMS,
    EXPORT,
    SERIALIZATION,
    COMPILE,
    INFERSHAPE,
    TORCHAIR,
    NPUGRAPH_EX,
)

__all__ = ["CHECKS", "Check", "Context"]
