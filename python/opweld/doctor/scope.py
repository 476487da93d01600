"""What an examination has looked at: without it "no findings" would tell nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Scope:
    """Counts of what was examined, and remarks on what was not or was chosen among several."""

    sources: int = 0
    libraries: int = 0
    operators: list[str] = field(default_factory=list)
    environment: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Whether nothing was examined."""
        return not (self.sources or self.libraries or self.operators or self.environment)

    def __str__(self) -> str:
        told = [
            f"{number} {_noun(what, number)}"
            for what, number in (
                ("source", self.sources),
                ("library", self.libraries),
                ("operator", len(self.operators)),
            )
            if number
        ]
        if self.environment:
            told.insert(0, "the environment")
        return ", ".join(told) or "nothing"

    def as_json(self) -> dict[str, Any]:
        """The same as plain values."""
        return {
            "sources": self.sources,
            "libraries": self.libraries,
            "operators": self.operators,
            "environment": self.environment,
            "notes": self.notes,
        }


def _noun(noun: str, number: int) -> str:
    if number == 1:
        return noun
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
