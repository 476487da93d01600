"""`opweld abi`."""

from __future__ import annotations

from opweld import abi as audit_of_abi


def abi(target: str, table_format: str) -> int:
    """Prints the audit of `target`; returns the exit code."""
    return audit_of_abi.report(target, table_format)
