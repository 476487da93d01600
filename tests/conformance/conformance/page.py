"""The report as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from conformance.outcome import FileResult
from conformance.report import Report, recorded_line

_STYLE = """
body{font:14px system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em;color:#222;background:#fff}
h1,h2{font-weight:600}table{border-collapse:collapse}td,th{padding:.15em .8em .15em 0;text-align:left;
vertical-align:top}.bar{background:#4477aa;height:.8em;display:inline-block}.passed{color:#187218}
.skipped{color:#777}.failed,.hung,.crashed{color:#b01010}code{font-size:12px}details{margin:.3em 0}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}.passed{color:#6c6}
.failed,.hung,.crashed{color:#f77}}
"""
_BAR = 300  # pixels of the longest bar


def to_html(reports: list[Report]) -> str:
    """The page."""
    body = "".join(_suite(report) for report in reports)
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Conformance</title>"
        f"<style>{_STYLE}</style><h1>Conformance on the software NPU</h1>{body}</html>\n"
    )


def _suite(report: Report) -> str:
    comparison = report.comparison
    parts = [f"<h2>{escape(report.headline)}</h2>"]
    if report.recorded[1]:
        parts.append(f"<p>Recorded: {escape(recorded_line(report.recorded))}.</p>")
    parts.append(_names("Newly failing", comparison.newly_failing, opened=True))
    parts.append(_names("Newly passing", comparison.newly_passing))
    parts.append(_names("Failing, not recorded", comparison.new))
    parts.append(_names("Passing before, did not run", comparison.vanished))
    missing = report.missing()
    if missing:
        longest = missing[0][1]
        rows = (
            f"<tr><td><code>{escape(name)}</code><td>{files}<td>{alone}"
            f"<td><span class=bar style='width:{max(2, _BAR * files // longest)}px'></span>"
            for name, files, alone in missing
        )
        parts.append(
            f"<details open><summary>Missing functions ({len(missing)})</summary><table>"
            f"<tr><th>Function<th>Files<th>Only it<th>{''.join(rows)}</table></details>"
        )
    reasons = report.reasons()
    if reasons:
        rows = (f"<tr><td>{files}<td><code>{escape(reason)}</code>" for reason, files in reasons)
        parts.append(
            f"<details><summary>Other errors ({len(reasons)})</summary><table>"
            f"<tr><th>Files<th>Error{''.join(rows)}</table></details>"
        )
    files = "".join(_file(result) for result in sorted(report.results, key=lambda r: r.file))
    parts.append(f"<details><summary>Files ({len(report.results)})</summary>{files}</details>")
    return "".join(parts)


def _names(title: str, names: Iterable[str], opened: bool = False) -> str:
    items = [f"<li><code>{escape(name)}</code>" for name in names]
    if not items:
        return ""
    state = " open" if opened else ""
    return f"<details{state}><summary>{title} ({len(items)})</summary><ul>{''.join(items)}</ul></details>"


def _file(result: FileResult) -> str:
    tests = "".join(
        f"<tr><td class={outcome}>{outcome}<td><code>{escape(test)}</code>"
        for test, outcome in result.tests.items()
    )
    reasons = "".join(f"<li><code>{escape(reason)}</code>" for reason in result.reasons)
    return (
        f"<details><summary><span class={result.outcome}>{result.outcome}</span> "
        f"<code>{escape(result.file)}</code> {result.seconds:.1f} s</summary>"
        f"<table>{tests}</table><ul>{reasons}</ul></details>"
    )
