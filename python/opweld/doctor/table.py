"""The table over the operators of a namespace: which have no kernel, no Meta, no autograd, no converter."""

from __future__ import annotations

from typing import Any

from opweld.doctor.findings import Finding, Place

_COLUMNS = (("npu", "NPU kernel"), ("meta", "Meta"), ("autograd", "autograd"), ("converter", "converter"))
_RULES = {"npu": "OW706", "meta": "OW801", "autograd": "OW829", "converter": "OW841"}
_TOLD = {
    "npu": "has no kernel for PrivateUse1",
    "meta": "has no Meta kernel, so torch.compile and torch.export cannot trace it",
    "autograd": "has no autograd kernel: no gradient flows through it",
    "converter": "has no converter: torchair cannot put it into a graph",
}


def _lacks(row: dict[str, Any], column: str) -> bool:
    if column == "autograd" and not row["differentiable"]:
        return False
    if column == "converter" and not row["in_graphs"]:
        return False
    return not row[column]


def findings_of(rows: list[dict[str, Any]]) -> list[Finding]:
    """The table's gaps as findings."""
    return [
        Finding(_RULES[column], Place(row["operator"]), f"{row['operator']} {_TOLD[column]}")
        for row in rows
        for column, _ in _COLUMNS
        if _lacks(row, column)
    ]


def as_text(rows: list[dict[str, Any]]) -> str:
    """The operators that lack something, and how many there are."""
    gaps = [row for row in rows if any(_lacks(row, column) for column, _ in _COLUMNS)]
    width = max([len(row["operator"]) for row in gaps], default=8)
    lines = [f"{'operator':{width}}  " + "  ".join(title for _, title in _COLUMNS)] if gaps else []
    for row in gaps:
        cells = [f"{_cell(row, column):{len(title)}}" for column, title in _COLUMNS]
        lines.append(f"{row['operator']:{width}}  {'  '.join(cells)}".rstrip())
    told = [f"{sum(_lacks(row, column) for row in rows)} without {title}" for column, title in _COLUMNS]
    lines.append(
        f"{len(rows)} operators: {', '.join(told)} (autograd: of those that could have a gradient; "
        "converter: of those that write into no argument)"
    )
    return "\n".join(lines) + "\n"


def _cell(row: dict[str, Any], column: str) -> str:
    if row[column]:
        return "yes"
    return "none" if _lacks(row, column) else "-"
