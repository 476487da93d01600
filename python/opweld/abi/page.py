"""The reference page docs/reference/abi.md, made from the built software NPU and the installed torch_npu.

usage: python -m opweld.abi.page [--check] FILE

Writes FILE, or with --check tells whether it is in step (exit code 1 where it is not).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from opweld.abi.audit import AbiReport, audit
from opweld.abi.render import counts
from opweld.abi.software import SoftwareNpu, read_software
from opweld.errors import OpweldError
from opweld.home import software_home

_HEAD = """# The binary interface: what exists, what fails by its name

Made by `python -m opweld.abi.page docs/reference/abi.md` from the built software NPU and torch_npu {version};
a test checks that it is in step. `opweld abi torch_npu` says it of whichever torch_npu is installed, and
`opweld.json` in the software NPU's folder holds it for programs.

- **Bound at load**: {at_load}. One that were missing would stop `import torch_npu`.
- **Looked up by name**: {looked_up}.
- **aclnn functions looked up**: {aclnn}.

A function that *fails by its name* returns an error code (or null, zero, an empty object where its type is no
code) and leaves a sentence in `aclGetRecentErrMsg` that names it, says what it is for and what to do instead.
"""


def page(report: AbiReport, software: SoftwareNpu) -> str:
    """The text of the page."""
    return "\n".join(_lines(report, software)) + "\n"


def _lines(report: AbiReport, software: SoftwareNpu) -> Iterator[str]:
    yield _HEAD.format(
        version=report.version,
        at_load=counts(report.at_load),
        looked_up=counts(report.looked_up),
        aclnn=counts(report.aclnn),
    )
    for soname in software.libraries:
        symbols = [symbol for symbol, owner in software.owner.items() if owner == soname]
        yield from _library(soname, symbols, software)
    yield "## Absent on purpose"
    yield ""
    yield "torch_npu and torchair look these up and go another way where they do not find them."
    yield ""
    asked = {need.name: need.reason for need in [*report.looked_up, *report.aclnn] if need.status == "absent"}
    yield from _table(("Function", "Why"), _grouped(asked.items()))
    yield from ("", "Libraries that are opened when they are first used:", "")
    libraries = report.other_libraries | {
        name: late.reason for late in report.on_first_use for name in late.needs
    }
    yield from _table(("Library", "What it is"), _grouped(sorted(libraries.items())))


def _library(soname: str, symbols: list[str], software: SoftwareNpu) -> Iterator[str]:
    yield f"## {soname}"
    yield ""
    if not symbols:
        yield from ("Must exist, or serves the other libraries; none of CANN's functions is in it.", "")
        return
    implemented = [symbol for symbol in symbols if software.status[symbol] == "implemented"]
    if implemented:
        names = dict.fromkeys(_operator(software.readable(symbol), implemented) for symbol in implemented)
        yield from (f"Implemented ({len(names)}): {_listed(names)}", "")
    for status, title in (("no-op", "Do nothing, on purpose"), ("fails", "Fail by their name")):
        chosen = [symbol for symbol in symbols if software.status[symbol] == status]
        if chosen:
            rows = (
                (_operator(software.readable(symbol), chosen), software.reasons[symbol]) for symbol in chosen
            )
            yield from (f"{title}:", "")
            yield from _table(("Functions", "What for, and what to do"), _grouped(rows))
            yield ""


def _operator(symbol: str, symbols: Iterable[str]) -> str:
    """An operator's first phase goes by the operator's own name."""
    name = symbol.removesuffix("GetWorkspaceSize")
    return name if name in symbols else symbol


def _grouped(rows: Iterable[tuple[str, str]]) -> dict[str, dict[str, None]]:
    groups: dict[str, dict[str, None]] = {}
    for name, reason in rows:
        groups.setdefault(reason, {})[name] = None
    return groups


def _table(head: tuple[str, str], groups: dict[str, dict[str, None]]) -> Iterator[str]:
    yield f"| {head[0]} | {head[1]} |"
    yield "| --- | --- |"
    yield from (f"| {_listed(names)} | {reason} |" for reason, names in groups.items())


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def main(arguments: list[str]) -> int:
    """Writes or checks the page."""
    check = "--check" in arguments
    files = [argument for argument in arguments if argument != "--check"]
    if len(files) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        software = read_software(software_home())
        text = page(audit("torch_npu", software), software)
    except OpweldError as error:
        print(f"opweld.abi.page: {error}", file=sys.stderr)
        return error.exit_code
    path = Path(files[0])
    if not check:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return 0
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return 0
    print(f"{path} is not in step: run `python -m opweld.abi.page {path}`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
