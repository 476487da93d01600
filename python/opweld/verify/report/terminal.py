"""The run on a terminal: progress while it goes on, then a table and each fault."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.table import Table

from opweld.verify.model import Outcome, Report
from opweld.verify.names import CHECK_NAMES
from opweld.verify.report.summary import Row, faults, rows, sentence
from opweld.verify.run import Progress

_STYLES = {"passed": "green", "failed": "bold red", "weak": "yellow", "skipped": "dim"}
CHECK = max(map(len, CHECK_NAMES))
FIGURE = len("skipped")


@contextmanager
def progress(console: Console) -> Iterator[Progress]:
    """A bar on a terminal; nothing where the output goes elsewhere."""
    if not console.is_terminal:
        yield Progress()
        return
    columns = (BarColumn(30), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=None)

        def changed(now: Progress) -> None:
            failed = f"[red]{now.failed} failed[/red] " if now.failed else ""
            bar.update(task, completed=now.done, total=now.total, description=failed + escape(now.current))

        yield Progress(changed=changed)


def show(report: Report, console: Console) -> None:
    """Prints the table, the faults with what to paste, and a last line."""
    names = list(dict.fromkeys(row.operator for row in rows(report)))
    for number, name in enumerate(names):
        if len(names) > 1:
            console.print(f"[bold]{escape(name)}[/bold]", highlight=False, soft_wrap=True)
        own = [row for row in rows(report) if row.operator == name]
        console.print(_table(own, head=number == 0))
    for fault in faults(report):
        _show_fault(fault, report, console)
    console.print()
    console.print(escape(sentence(report)), highlight=False, soft_wrap=True)


def _table(own: list[Row], *, head: bool) -> Table:
    """Of one operator; the columns have the same widths for all, and only the note is wrapped."""
    table = Table(box=None, pad_edge=False, header_style="bold", show_header=head)
    table.add_column("check", no_wrap=True, min_width=CHECK)
    for name in ("passed", "failed", "skipped", "worst", "time"):
        table.add_column(name, justify="right", no_wrap=True, min_width=FIGURE)
    table.add_column("note", overflow="fold")
    for row in own:
        table.add_row(*_cells(row))
    return table


def _cells(row: Row) -> list[str]:
    style = _STYLES[row.status]
    worst = "" if row.error is None else f"{row.error:.2g}"
    return [
        f"[{style}]{row.check}[/{style}]",
        str(row.passed or ""),
        f"[bold red]{row.failed}[/bold red]" if row.failed else "",
        str(row.skipped or ""),
        worst,
        f"{row.seconds:.1f} s",
        escape(row.note),
    ]


def _show_fault(fault: Outcome, report: Report, console: Console) -> None:
    same = [
        other
        for other in report.failures
        if (other.operator, other.check, other.device) == (fault.operator, fault.check, fault.device)
    ]
    console.print()
    place = f"{fault.device}, {fault.dtype}, {fault.label}"
    console.print(
        f"[bold red]{fault.check}[/bold red] {escape(fault.operator)} [dim]({escape(place)})[/dim]",
        highlight=False,
        soft_wrap=True,
    )
    console.print(f"  {escape(fault.detail)}", highlight=False, soft_wrap=True)
    if fault.arguments:
        console.print(f"  [dim]with {escape(fault.arguments)}[/dim]", highlight=False, soft_wrap=True)
    if len(same) > 1:
        others = sorted({f"{other.dtype} {other.label}" for other in same[1:]})
        told = ", ".join(others[:6]) + (" ..." if len(others) > 6 else "")
        console.print(f"  [dim]likewise: {escape(told)}[/dim]", highlight=False, soft_wrap=True)
    for line in fault.reproduction:
        console.print(f"    {escape(line)}", highlight=False, soft_wrap=True)
