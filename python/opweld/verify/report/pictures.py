"""The pictures of the page as SVG: histograms, a matrix, bars. Each has a title that says what it shows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH = 520
ROW = 22
COLORS = {"passed": "var(--good)", "failed": "var(--bad)", "skipped": "var(--none)", "": "var(--none)"}


def histogram(title: str, counts: Mapping[str, int], allowed: float) -> str:
    """Elements by the power of ten of their relative error; a line marks what is allowed."""
    equal = counts.get("equal", 0)
    shown = {int(power): count for power, count in counts.items() if power != "equal"}
    low, high = -17, 9
    step = (WIDTH - 90) / (high - low + 2)
    top = max([equal, *shown.values(), 1])
    parts = [_text(4, 16, title, "start", "title")]
    bars = [("equal", 0, equal)] + [
        (f"1e{power}", power - low + 1, shown.get(power, 0)) for power in range(low, high + 1)
    ]
    for name, position, count in bars:
        height = 0 if not count else max(2, 90 * (count / top) ** 0.3)
        x = 60 + position * step
        tip = f"{count} elements: {'equal' if name == 'equal' else 'relative error from ' + name}"
        parts.append(
            f'<rect x="{x:.1f}" y="{120 - height:.1f}" width="{step - 2:.1f}" height="{height:.1f}" '
            f'fill="var(--bar)"><title>{escape(tip)}</title></rect>'
        )
        if name == "equal" or position % 3 == 0:
            parts.append(_text(x + step / 2, 134, name, "middle"))
    if allowed > 0:
        x = 60 + (math.log10(allowed) - low + 1) * step
        parts.append(
            f'<line x1="{x:.1f}" y1="26" x2="{x:.1f}" y2="120" stroke="var(--bad)" stroke-dasharray="3"/>'
        )
        parts.append(_text(x + 3, 34, "allowed", "start"))
    parts.append('<line x1="58" y1="120" x2="515" y2="120" stroke="currentColor" opacity=".4"/>')
    parts.append(_text(54, 34, str(top), "end"))
    return _svg(WIDTH, 142, title, parts)


def matrix(
    title: str, lines: Sequence[str], columns: Sequence[str], cells: Mapping[tuple[str, str], tuple[str, str]]
) -> str:
    """A coloured cell for each line and column: its status, and what its tip says."""
    label = max([len(line) for line in lines] + [8]) * 7 + 12
    wide = max([len(column) for column in columns] + [9]) * 7 + 10
    parts = [_text(4, 16, title, "start", "title")]
    for position, column in enumerate(columns):
        parts.append(_text(label + position * wide + wide / 2, 38, column, "middle"))
    for number, line in enumerate(lines):
        y = 46 + number * ROW
        parts.append(_text(label - 8, y + 15, line, "end"))
        for position, column in enumerate(columns):
            status, tip = cells.get((line, column), ("", "no such sample"))
            x = label + position * wide
            mark = {"passed": "✓", "failed": "✗", "skipped": "·"}.get(status, "")
            opacity = "" if status else ' opacity=".25"'
            parts.append(
                f'<rect x="{x}" y="{y}" width="{wide - 3}" height="{ROW - 3}" rx="3" fill="{COLORS[status]}"'
                f"{opacity}><title>{escape(tip)}</title></rect>"
            )
            parts.append(_text(x + wide / 2, y + 15, mark, "middle", "mark"))
    return _svg(label + len(columns) * wide + 8, 52 + len(lines) * ROW, title, parts)


def bars(title: str, values: Mapping[str, float], unit: str) -> str:
    """A horizontal bar for each value, the longest first."""
    ranked = sorted(values.items(), key=lambda item: -item[1])
    longest = max([value for _, value in ranked] + [1e-9])
    parts = [_text(4, 16, title, "start", "title")]
    for number, (name, value) in enumerate(ranked):
        y = 26 + number * ROW
        width = max(1.0, 260 * value / longest)
        parts.append(_text(146, y + 14, name, "end"))
        parts.append(
            f'<rect x="154" y="{y}" width="{width:.1f}" height="{ROW - 5}" rx="2" fill="var(--bar)"/>'
        )
        parts.append(_text(160 + width, y + 14, f"{value:.2f} {unit}", "start"))
    return _svg(WIDTH, 32 + len(ranked) * ROW, title, parts)


def _text(x: float, y: float, text: str, anchor: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{named}>{escape(text)}</text>'


def _svg(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" role="img" '
        f'aria-label="{escape(title)}">{"".join(parts)}</svg>'
    )
