"""Picks the faults out of what a compiler and a linker print, for messages that name the user's own files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_ERROR = re.compile(
    r"^(?P<file>[^:\s][^:]*):(?P<line>\d+):(?P<column>\d+): (?:fatal )?error: (?P<message>.*)$"
)
_UNDEFINED = re.compile(r"undefined reference to [`'](?P<symbol>.*)'$|undefined symbol: (?P<other>.+)$")
_MULTIPLE = re.compile(r"multiple definition of [`'](?P<symbol>.*?)'|duplicate symbol: (?P<other>.+)$")
_CONTEXT = re.compile(r"^\s")
_STEP = re.compile(r"^\[(?P<done>\d+)/(?P<all>\d+)\] (?P<what>Building|Linking) ")
_KERNEL = re.compile(
    r"^// ---- (?P<operator>\S+) ----$[\s\S]*?^// Implemented in (?P<source>.+)\.$"
    r"\n^void (?P<name>\w+)\(const (?P<type>\w+)&",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Fault:
    """One fault; `file` is None for one that the linker found."""

    file: Path | None
    line: int
    column: int
    message: str
    context: tuple[str, ...] = ()

    def is_in(self, folder: Path) -> bool:
        """Whether it is in a file below `folder`."""
        return self.file is not None and self.file.resolve().is_relative_to(folder.resolve())

    def text(self, relative_to: Path) -> str:
        """`file:line:column: error: message` as editors parse it, then the source lines."""
        if self.file is None:
            return f"link: error: {self.message}"
        path = self.file.resolve()
        shown = path.relative_to(relative_to) if path.is_relative_to(relative_to) else path
        return "\n".join([f"{shown}:{self.line}:{self.column}: error: {self.message}", *self.context])


@dataclass(frozen=True)
class KernelFunction:
    """A function that a hand-written kernel source must define."""

    operator: str
    source: str
    name: str
    argument: str

    def is_named_in(self, symbol: str) -> bool:
        """Whether the demangled symbol of a linker is this function with whatever arguments."""
        return re.search(rf"\b{self.name}\(", symbol) is not None


def kernel_functions(header: str) -> list[KernelFunction]:
    """The functions that a generated `<package>_kernels.hpp` declares."""
    return [
        KernelFunction(match["operator"], match["source"], match["name"], match["type"])
        for match in _KERNEL.finditer(header)
    ]


def step(line: str) -> str | None:
    """`2/8 kernels/scale.cpp` for a line of ninja that says what was compiled or linked, else None."""
    match = _STEP.match(line)
    if match is None:
        return None
    words = line.split(".dir/", 1) if match["what"] == "Building" else line.rsplit(" ", 1)
    file = words[-1].removesuffix(".o")
    return f"{match['done']}/{match['all']} {'/'.join(file.split('/')[-2:])}"


def faults(lines: list[str], kernels: Sequence[KernelFunction] = ()) -> list[Fault]:
    """The faults in the output of GCC, clang and their linkers, each once, in order.

    Faults of the linker name the operator whose kernel function of `kernels` it is about.
    """
    found: dict[tuple[str, int, int, str], Fault] = {}
    for number, line in enumerate(lines):
        text = line.removeprefix("*** ")
        if match := _ERROR.match(text):
            context = []
            for following in lines[number + 1 : number + 3]:
                if not _CONTEXT.match(following):
                    break
                context.append(following)
            key = (match["file"], int(match["line"]), int(match["column"]), match["message"])
            found.setdefault(key, Fault(Path(key[0]), key[1], key[2], key[3], tuple(context)))
        elif match := _UNDEFINED.search(text):
            message = _undefined(match["symbol"] or match["other"], kernels)
            found.setdefault(("", 0, 0, message), Fault(None, 0, 0, message))
        elif match := _MULTIPLE.search(text):
            message = (
                f"{match['symbol'] or match['other']} is defined twice; remove it from one of the sources"
            )
            found.setdefault(("", 0, 0, message), Fault(None, 0, 0, message))
    return list(found.values())


def _undefined(symbol: str, kernels: Sequence[KernelFunction]) -> str:
    for kernel in kernels:
        if kernel.is_named_in(symbol):
            package = symbol.rpartition(f"{kernel.name}(")[0].strip(":")
            return (
                f"the kernel function of {kernel.operator} is defined nowhere: {kernel.source} must have "
                f"'void {kernel.name}(const {kernel.argument}& args)' in namespace {package}"
            )
    return f"{symbol} is declared but defined nowhere; define it in a kernel source, or do not call it"
