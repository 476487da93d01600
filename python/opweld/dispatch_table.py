"""Which kernel the dispatcher runs for an operator and a dispatch key, read from torch's own table."""

from __future__ import annotations

import re
from dataclasses import dataclass

import torch

_LINE = re.compile(r"^(?P<key>[A-Za-z0-9]+): (?P<where>.*?) \[(?P<kind>[^\]]+)\]$")
_PATH = re.compile(r"registered at (?P<path>\S+)")


@dataclass(frozen=True)
class Kernel:
    """A computed kernel: where it was registered, and how it serves the key (`kernel`, `math kernel` ...)."""

    key: str
    where: str
    kind: str

    @property
    def is_fallback(self) -> bool:
        """Whether it is the backend's answer to any operator rather than a kernel of this one."""
        return "fallback" in self.kind or "fallthrough" in self.kind

    def describe(self) -> str:
        """One line for people: the file without the folders of whoever built it."""
        match = _PATH.search(self.where)
        place = "/".join(match["path"].split("/")[-2:]) if match else self.where
        return place if self.kind == "kernel" else f"{place} ({self.kind})"


def kernels_of(qualified_name: str) -> dict[str, Kernel]:
    """The kernels of an operator (`ns::op.overload`) by dispatch key; keys without one are left out."""
    table: str = torch._C._dispatch_dump_table(qualified_name)
    kernels = {}
    for line in table.splitlines():
        match = _LINE.match(line)
        if match and match["kind"] not in ("missing", "ambiguous autogradother"):
            kernels[match["key"]] = Kernel(match["key"], match["where"], match["kind"])
    return kernels
