"""One self-contained HTML page: figures, pictures, and each fault with what to paste."""

from __future__ import annotations

from html import escape

from opweld.verify.model import Outcome, Report
from opweld.verify.report import pictures
from opweld.verify.report.summary import faults, rows, sentence

# Relative tolerances as in opweld.testing, which needs torch.
ALLOWED = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 5e-5, "float64": 1e-9}
STYLE = """
:root {
  --good: #2f9e5b; --bad: #d1393d; --none: #9aa3ad; --weak: #b7791f; --bar: #3b7dd8;
  --line: #d9dee3; --back: #fff; --ink: #1b1f24;
}
@media (prefers-color-scheme: dark) {
  :root { --line: #343b43; --back: #14171a; --ink: #e3e7eb; --bar: #5b9bf0 }
}
body {
  font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1120px; padding: 0 1rem;
  color: var(--ink); background: var(--back);
}
h1 { font-size: 1.5rem; margin: 0 }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem }
h3 { font-size: 1rem; margin: 1rem 0 .3rem }
.verdict { font-weight: 600; padding: .5rem .8rem; border-radius: 6px; color: #fff; display: inline-block }
.passed { background: var(--good) }
.failed { background: var(--bad) }
.tag { border-radius: 4px; padding: 0 .4rem; color: #fff }
.tag.skipped { background: var(--none) }
.tag.weak { background: var(--weak) }
table { border-collapse: collapse; width: 100%; font-size: 14px }
th { text-align: left }
td, th { padding: .25rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top }
td.number, th.number { text-align: right; white-space: nowrap }
pre {
  background: color-mix(in srgb, var(--line) 40%, transparent); padding: .7rem; border-radius: 6px;
  overflow-x: auto;
}
svg { font: 12px system-ui, sans-serif; max-width: 100%; height: auto; fill: currentColor }
svg .title { font-weight: 600 }
svg .mark { fill: #fff }
.pictures { display: flex; flex-wrap: wrap; gap: 1rem 2rem }
.quiet { color: var(--none) }
"""


def page(report: Report) -> str:
    """The document; it needs nothing from anywhere."""
    state = "failed" if report.failures else "passed"
    verdict = "faults found" if report.failures else "right in every check that ran"
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f"<title>opweld verify: {escape(report.target)}</title>",
        '<meta name="viewport" content="width=device-width">',
        f"<style>{STYLE}</style></head><body>",
        f"<h1>opweld verify: {escape(report.target)}</h1>",
        f"<p>{escape(report.device)}; {escape(versions)}</p>",
        f'<p><span class="verdict {state}">{verdict}</span></p><p>{escape(sentence(report))}</p>',
        *_faults(report),
        "<h2>Checks</h2>",
        *_table(report),
        "<h2>Errors by dtype</h2><div class='pictures'>",
        *_histograms(report),
        "</div><h2>Samples</h2><div class='pictures'>",
        *_matrices(report),
        "</div><h2>Time</h2>",
        _times(report),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def _faults(report: Report) -> list[str]:
    if not report.failures:
        return []
    parts = ["<h2>Faults</h2>"]
    for fault in faults(report):
        place = f"{fault.device}, {fault.dtype}, {fault.label}"
        parts.append(f"<h3>{escape(fault.operator)}: {escape(fault.check)}</h3>")
        parts.append(f"<p>{escape(fault.detail)} <span class='quiet'>({escape(place)})</span></p>")
        parts.append(f"<pre>{escape(chr(10).join(fault.reproduction))}</pre>")
    return parts


def _table(report: Report) -> list[str]:
    head = "".join(
        f"<th class='number'>{name}</th>" for name in ("passed", "failed", "skipped", "worst", "time")
    )
    parts = [f"<table><thead><tr><th>operator</th><th>check</th>{head}<th>note</th></tr></thead><tbody>"]
    for row in rows(report):
        worst = "" if row.error is None else f"{row.error:.2g}"
        figures = [row.passed, row.failed, row.skipped, worst, f"{row.seconds:.2f} s"]
        parts.append(
            f"<tr><td>{escape(row.operator)}</td>"
            f"<td><span class='tag {row.status}'>{escape(row.check)}</span></td>"
            + "".join(f"<td class='number'>{value}</td>" for value in figures)
            + f"<td>{escape(row.note)}</td></tr>"
        )
    return [*parts, "</tbody></table>", "<p class='quiet'>worst: as a multiple of the allowed difference</p>"]


def _histograms(report: Report) -> list[str]:
    counts: dict[str, dict[str, int]] = {}
    for outcome in report.outcomes:
        if outcome.check == "result" and outcome.histogram:
            own = counts.setdefault(outcome.dtype, {})
            for power, count in outcome.histogram.items():
                own[power] = own.get(power, 0) + count
    if not counts:
        return ["<p>No values were compared.</p>"]
    return [
        pictures.histogram(f"{dtype}: results against the reference", own, ALLOWED.get(dtype, 0.0))
        for dtype, own in counts.items()
    ]


def _matrices(report: Report) -> list[str]:
    parts = []
    for info in report.operators:
        own = [outcome for outcome in report.outcomes if outcome.operator == info.name and outcome.dtype]
        if own:
            parts.append(_matrix(info.name, own))
    return parts or ["<p>There were no samples.</p>"]


def _matrix(name: str, outcomes: list[Outcome]) -> str:
    cells: dict[tuple[str, str], tuple[str, str]] = {}
    for outcome in outcomes:
        key = (outcome.label, outcome.dtype)
        before, tip = cells.get(key, ("", outcome.arguments))
        order = ["", "skipped", "passed", "failed"]
        status = max(before, outcome.status, key=order.index)
        if outcome.status == "failed":
            tip = f"{tip}\n{outcome.check} ({outcome.device}): {outcome.detail}"
        cells[key] = (status, tip)
    lines = list(dict.fromkeys(outcome.label for outcome in outcomes))
    columns = list(dict.fromkeys(outcome.dtype for outcome in outcomes))
    return pictures.matrix(name, lines, columns, cells)


def _times(report: Report) -> str:
    seconds: dict[str, float] = {}
    for outcome in report.outcomes:
        seconds[outcome.check] = seconds.get(outcome.check, 0.0) + outcome.seconds
    return pictures.bars("Time for each check", seconds, "s")
