"""The command line. Each command's work is in a module of its own, imported when the command runs."""

from __future__ import annotations

import os
import shlex
import sys
from enum import Enum
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from opweld.commands import doctor_options, verify_options
from opweld.errors import OpweldError

ClickError: type[Exception] = next(
    cls
    for cls in typer.BadParameter.__mro__
    if cls.__name__ == "ClickException" and issubclass(cls, Exception)
)
INTERNAL_FAULT = 3

app = typer.Typer(
    name="opweld",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Put your own operators into PyTorch on Ascend NPUs; build, verify and debug them without one.",
    epilog="Exit codes: 0 right, 1 faults found in what was examined, 2 wrong use, "
    "3 a fault of opweld or of the environment.",
)


class ReportFormat(str, Enum):
    """How `opweld check` reports."""

    text = "text"
    json = "json"
    sarif = "sarif"


class TableFormat(str, Enum):
    """How a table is written."""

    text = "text"
    json = "json"


class Target(str, Enum):
    """What an operator package is built for."""

    software = "software"
    npu = "npu"


Devices = Annotated[
    int | None, typer.Option("--devices", "-n", metavar="N", help="Number of devices of the software NPU.")
]
Soc = Annotated[
    str | None, typer.Option(metavar="NAME", help="What the software NPU is: Ascend910B1, Ascend950PR.")
]
Software = Annotated[
    bool, typer.Option("--software", help="The software NPU, also where there is a real one.")
]


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> None:
    """Handles the options that stand before a command."""
    if show_version:
        import opweld

        print(f"opweld {opweld.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="Name of the project and of its Python package.")],
    directory: Annotated[
        Path, typer.Option("--in", metavar="DIR", help="Folder in which the project's folder is made.")
    ] = Path("."),
) -> None:
    """Make a new operator project: spec, kernel, ready to build."""
    from opweld.commands import new as command

    command.new(name, directory)


@app.command(name="import")
def import_spec(
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="op-plugin's operator YAML, or msopgen's JSON.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="SPEC", help="The spec to write; default: stdout."),
    ] = None,
    complete: Annotated[
        bool,
        typer.Option("--complete", help="Only operators with all that code can be generated from."),
    ] = False,
) -> None:
    """Make a spec of the operators that another tool's file describes."""
    from opweld.commands import import_spec as command

    command.import_spec(source, output, complete)


@app.command()
def check(
    specs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="SPEC...", help="Spec files (YAML, or msopgen's JSON), or the folders of projects."
        ),
    ] = None,
    report_format: Annotated[
        ReportFormat, typer.Option("--format", help="How to report.")
    ] = ReportFormat.text,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as faults.")] = False,
    explain: Annotated[
        str | None, typer.Option("--explain", metavar="RULE", help="Print a rule's page, and leave.")
    ] = None,
    json_schema: Annotated[
        bool, typer.Option("--json-schema", help="Print the JSON Schema of specs, for editors, and leave.")
    ] = False,
) -> None:
    """Find all faults of operator specs, each with its place and how to fix it."""
    from opweld.commands import check as command

    if json_schema:
        command.print_json_schema()
        return
    if explain is not None:
        from opweld.commands import doctor

        doctor.explain(explain)
        return
    raise typer.Exit(command.check(specs or [], report_format.value, strict))


@app.command()
def gen(
    spec: Annotated[Path, typer.Argument(metavar="SPEC", help="Spec file.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where the files go.")],
) -> None:
    """Write the files that opweld generates from a spec; unchanged files keep their time stamp."""
    from opweld.commands import gen as command

    command.gen(spec, output)


@app.command()
def build(
    directory: Annotated[
        Path, typer.Argument(metavar="[DIR]", help="Project: the folder of its spec.yaml.")
    ] = Path("."),
    target: Annotated[
        Target, typer.Option("--target", help="What to build for: the software NPU, or a real one.")
    ] = Target.software,
    install: Annotated[
        bool, typer.Option("--install", help="Install the wheel into this environment.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", metavar="N", help="Compilations at a time.")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show the compiler's commands.")] = False,
) -> None:
    """Generate, compile and package a project: a wheel and a vendor package in its folder dist."""
    from opweld.commands import build as command

    command.build(directory, target.value, install=install, jobs=jobs, verbose=verbose)


@app.command(context_settings={"allow_interspersed_args": False, "ignore_unknown_options": False})
def run(
    command: Annotated[list[str], typer.Argument(metavar="-- CMD...", help="The command and its arguments.")],
    devices: Devices = None,
    soc: Soc = None,
    software: Software = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not say which device it is.")] = False,
) -> None:
    """Run any command on the NPU: the real one where there is one, else the software NPU."""
    from opweld.commands import environment

    environment.run(command, devices, soc, software=software, quiet=quiet)


@app.command()
def env(
    devices: Devices = None,
    soc: Soc = None,
    software: Software = False,
    unset: Annotated[bool, typer.Option("--unset", help="Print what undoes it.")] = False,
) -> None:
    """Print the environment for a shell: eval "$(opweld env)"."""
    from opweld.commands import environment

    print(environment.shell_lines(devices, soc, software=software, unset=unset))


@app.command()
def info(
    table_format: Annotated[
        TableFormat, typer.Option("--format", help="How to write it.")
    ] = TableFormat.text,
) -> None:
    """Show versions, the device, where CANN is, and the installed operator packages."""
    from opweld.commands import info as command

    command.info(table_format.value)


@app.command()
def abi(
    target: Annotated[
        str,
        typer.Argument(
            metavar="WHEEL|PACKAGE", help="A torch_npu wheel, or an installed package: torch_npu."
        ),
    ],
    table_format: Annotated[
        TableFormat, typer.Option("--format", help="How to write it.")
    ] = TableFormat.text,
) -> None:
    """Show which CANN symbols a torch_npu needs, and which of them the software NPU has."""
    from opweld.commands import abi as command

    raise typer.Exit(command.abi(target, table_format.value))


@app.command(context_settings={"allow_interspersed_args": True})
def graph(
    models: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[MODEL|DIR]...", help="Models: files *.air, or folders with such."),
    ] = None,
    program: Annotated[
        str, typer.Option("--run", metavar="CMD", help="Run a command, and show the graphs it compiles.")
    ] = "",
    shape: Annotated[
        list[str] | None,
        typer.Option(
            "--shape",
            metavar="[GRAPH:]INPUT=SIZES",
            help="Sizes of an input that the model leaves open; default: those of its first run.",
        ),
    ] = None,
    runs: Annotated[int, typer.Option("--runs", help="How often to measure each step; 0: not.", min=0)] = 5,
    table_format: Annotated[
        TableFormat, typer.Option("--format", help="How to write it.")
    ] = TableFormat.text,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Pictures (SVG) and files for Netron."),
    ] = None,
) -> None:
    """Show a compiled graph before and after the passes: shapes, memory and time of each step."""
    from opweld.commands import graph as command

    if not models and not program:
        raise typer.BadParameter("name a model or folder, or a program with --run")
    try:
        arguments = shlex.split(program)
    except ValueError as error:
        raise typer.BadParameter(f"--run {program}: {error}") from error
    raise typer.Exit(command.graph(models or [], arguments, shape or [], runs, table_format.value, output))


app.command()(verify_options.verify)
app.command()(doctor_options.doctor)


def main() -> NoReturn:
    """The command `opweld`. Ends the process with one of the four exit codes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(
                errors="backslashreplace"
            )  # a terminal that cannot show a name still shows the rest
    sys.exit(run_command_line(sys.argv[1:]))


def run_command_line(arguments: list[str]) -> int:
    """Runs one command line and returns its exit code."""
    from opweld import log

    try:
        log.configure()
        result = typer.main.get_command(app).main(arguments, prog_name="opweld", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except ClickError as error:
        return _complain(_sentence(error), getattr(error, "exit_code", 2))
    except OpweldError as error:
        return _complain(str(error), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _complain(f"{error.strerror or error}: {error.filename}" if error.filename else str(error), 3)
    except Exception as error:
        if os.environ.get("OPWELD_DEBUG"):
            raise
        where = f"{type(error).__name__}: {error}"
        return _complain(f"a fault of opweld itself, {where} (OPWELD_DEBUG=1 shows where)", INTERNAL_FAULT)


def _sentence(error: Exception) -> str:
    text = str(getattr(error, "format_message", lambda: error)()).strip()
    if not text:  # Typer has shown the help instead
        return ""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "opweld"
    return f"{text.rstrip('.')} (see '{path} --help')"


def _complain(sentence: str, code: int) -> int:
    if sentence:
        print(f"opweld: error: {sentence}", file=sys.stderr)
    return code
