"""For tests of operators: comparisons with tolerances by dtype. The pytest plugin is `-p opweld`.

Nothing of torch is imported before one of the names is used, so that the plugin can choose the NPU first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opweld.testing.assertions import assert_close, assert_same_bits, assert_same_form
    from opweld.testing.tolerances import TOLERANCES, Comparison, compare, tolerance

__all__ = [
    "TOLERANCES",
    "Comparison",
    "assert_close",
    "assert_same_bits",
    "assert_same_form",
    "compare",
    "tolerance",
]
_ASSERTIONS = ("assert_close", "assert_same_bits", "assert_same_form")


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'opweld.testing' has no attribute {name!r}")
    from opweld.testing import assertions, tolerances

    return getattr(assertions if name in _ASSERTIONS else tolerances, name)
