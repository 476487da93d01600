"""The command line of `opweld verify`; the work is in verify.py, imported when the command runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def verify(
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET", help="A project (its folder or spec), a module, or an operator (npu::npu_gelu)."
        ),
    ],
    operators: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[OPERATOR...]", help="Only these of the project's or the module's operators."
        ),
    ] = None,
    modules: Annotated[
        list[str] | None,
        typer.Option("--import", metavar="MODULE", help="Import this first: it registers the operator."),
    ] = None,
    samples: Annotated[
        Path | None,
        typer.Option(metavar="FILE.py", help="Samples and references of your own (see the guide)."),
    ] = None,
    checks: Annotated[
        list[str] | None, typer.Option("--check", metavar="NAME", help="Only this check; may be repeated.")
    ] = None,
    dtypes: Annotated[
        list[str] | None, typer.Option("--dtype", metavar="NAME", help="Only this dtype; may be repeated.")
    ] = None,
    device: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only on this device: npu or cpu.")
    ] = None,
    soc: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the software NPU is: Ascend910B1, Ascend950PR.")
    ] = None,
    seed: Annotated[
        int,
        typer.Option(metavar="N", help="Start of all random numbers; a run with the same one is the same."),
    ] = 0,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", metavar="N", help="Operators at a time, each in a process.")
    ] = 1,
    budget: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Start nothing more after that time.")
    ] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write one page with pictures.")] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write JUnit XML.")] = None,
    json: Annotated[Path | None, typer.Option(metavar="FILE", help="Write JSON.")] = None,
    sarif: Annotated[Path | None, typer.Option(metavar="FILE", help="Write SARIF.")] = None,
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a Markdown table of the operators.")
    ] = None,
) -> None:
    """Prove operators right: results, Meta, schema, gradients, vmap, autocast, export, compile, and more."""
    from opweld.commands import verify as command
    from opweld.verify.run import Options

    options = Options(samples, tuple(checks or ()), tuple(dtypes or ()), device, seed, jobs, budget)
    code = command.verify(
        target,
        operators or [],
        options,
        modules=modules or [],
        soc=soc,
        html=html,
        junit=junit,
        json=json,
        sarif=sarif,
        markdown=markdown,
    )
    raise typer.Exit(code)
