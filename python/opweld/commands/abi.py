"""`opweld abi`."""

from __future__ import annotations

from opweld.abi import report


def abi(target: str, table_format: str) -> int:
    """Prints the audit of `target`; returns the exit code."""
    return report(target, table_format)
