"""The options of `opweld doctor`; the work is imported when the command runs."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer


class DoctorFormat(str, Enum):
    """How `opweld doctor` reports."""

    text = "text"
    json = "json"
    sarif = "sarif"


def doctor(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[TARGET]",
            help="A folder, a source, a library, a wheel, an installed package, a namespace (npu) or an "
            "operator (npu::npu_fast_gelu). Without one: the environment.",
        ),
    ] = None,
    report_format: Annotated[
        DoctorFormat, typer.Option("--format", help="How to report.")
    ] = DoctorFormat.text,
    explain: Annotated[
        str | None, typer.Option("--explain", metavar="RULE", help="Print a rule's page, and leave.")
    ] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what is mechanical, and show it as a diff on stderr.")
    ] = False,
    imports: Annotated[
        list[str] | None,
        typer.Option("--import", metavar="MODULE", help="Import a package before operators are looked up."),
    ] = None,
    soc: Annotated[str | None, typer.Option("--soc", metavar="NAME", help="The SoC to examine for.")] = None,
    graph: Annotated[
        bool,
        typer.Option(
            "--graph", help="Operators must be usable in torchair's graphs, too: none lacks a converter."
        ),
    ] = False,
    no_load: Annotated[
        bool, typer.Option("--no-load", help="Load no library of a folder; read their symbols only.")
    ] = False,
) -> None:
    """Explain why an operator does not work: registration, Meta, autograd, graphs, kernel, environment."""
    from opweld.commands import doctor as command

    if explain is not None:
        command.explain(explain)
        return
    request = command.Request(
        target, report_format.value, soc, tuple(imports or ()), fix=fix, load=not no_load, graph=graph
    )
    raise typer.Exit(command.doctor(request))
