"""`opweld abi`: which of CANN's symbols a torch_npu needs, and which of them the software NPU has."""

from __future__ import annotations

import json

from opweld.abi.audit import AbiReport, audit
from opweld.abi.render import as_text

__all__ = ["AbiReport", "as_text", "audit", "report"]


def report(target: str, table_format: str) -> int:
    """Prints the audit of `target`, "text" or "json". Returns the exit code: 1 where it cannot be loaded."""
    found = audit(target)
    if table_format == "json":
        print(json.dumps(found.as_json(), indent=1))
    else:
        print(as_text(found), end="")
    return 0 if found.loads else 1
