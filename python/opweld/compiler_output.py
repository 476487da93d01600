"""Picks the faults out of what a compiler and a linker print, for messages that name the user's own files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_ERROR = re.compile(
    r"^(?P<file>[^:\s][^:]*):(?P<line>\d+):(?P<column>\d+): (?:fatal )?error: (?P<message>.*)$"
)
_UNDEFINED = re.compile(r"undefined reference to [`'](?P<symbol>.*)'$|undefined symbol: (?P<other>\S+)")
_CONTEXT = re.compile(r"^\s")


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


def faults(lines: list[str]) -> list[Fault]:
    """The faults in the output of GCC, clang and their linkers, each once, in order."""
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
            symbol = match["symbol"] or match["other"]
            message = f"{symbol} is declared but defined nowhere; the kernel source must define it"
            found.setdefault(("", 0, 0, message), Fault(None, 0, 0, message))
    return list(found.values())
