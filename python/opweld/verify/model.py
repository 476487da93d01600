"""What travels between the command and its worker processes, and what reports are made of. No torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Status = Literal["passed", "failed", "skipped"]
Step = tuple[Any, ...]


@dataclass(frozen=True)
class Case:
    """A sample by its origin: the `index`-th of the operator's samples, changed by `steps` (see steps.py).

    Any worker makes the same arguments of it, for the same seed.
    """

    index: int
    dtype: str
    size: str
    layout: str = "contiguous"
    steps: tuple[Step, ...] = ()

    @property
    def label(self) -> str:
        """For people: what is special about it."""
        return self.size if self.layout == "contiguous" else f"{self.size}, {self.layout}"

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    @staticmethod
    def from_json(data: dict[str, Any]) -> Case:
        """The inverse of `to_json`."""
        steps = tuple(tuple(step) for step in data["steps"])
        return Case(data["index"], data["dtype"], data["size"], data["layout"], steps)


@dataclass(frozen=True)
class Task:
    """One check of one operator on one device with one sample."""

    operator: str
    check: str
    device: str
    case: Case


@dataclass
class Outcome:
    """What a task found.

    `kind` names the sort of fault (`value`, `crash` ...), `caution` what a check that passed does not prove,
    `error` the worst error as a multiple of what is allowed, `histogram` how many elements have which
    relative error, by its power of ten.
    """

    operator: str
    check: str
    device: str
    dtype: str
    label: str
    status: Status
    detail: str = ""
    kind: str = ""
    error: float | None = None
    seconds: float = 0.0
    arguments: str = ""
    histogram: dict[str, int] = field(default_factory=dict)
    reproduction: list[str] = field(default_factory=list)
    caution: str = ""

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


@dataclass
class OperatorInfo:
    """An operator that is verified: its schema, and where its spec defines it (line 0: nowhere).

    `reference_line`, `output_lines`: where its reference and its outputs are;
    `backward_of`: the operators whose gradient it is.
    """

    name: str
    schema: str
    source: str = ""
    line: int = 0
    column: int = 0
    reference_line: int = 0
    output_lines: dict[str, int] = field(default_factory=dict)
    backward_of: list[str] = field(default_factory=list)


@dataclass
class Report:
    """A whole run."""

    target: str
    seed: int
    device: str
    versions: dict[str, str]
    operators: list[OperatorInfo]
    outcomes: list[Outcome] = field(default_factory=list)
    spec: str = ""
    seconds: float = 0.0
    not_run: int = 0

    @property
    def failures(self) -> list[Outcome]:
        """The outcomes that are faults."""
        return [outcome for outcome in self.outcomes if outcome.status == "failed"]

    def count(self, status: Status) -> int:
        """How many outcomes have that status."""
        return sum(outcome.status == status for outcome in self.outcomes)
