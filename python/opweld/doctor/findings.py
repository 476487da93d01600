"""What the doctor found: a rule, a place, a sentence, and how to mend it."""

from __future__ import annotations

from dataclasses import dataclass, field

from opweld.doctor.rules import Rule, Severity, find_rule


@dataclass(frozen=True, order=True)
class Place:
    """Where something is: a file with line and column (from 1, in characters), or a thing without lines.

    `line` 0 stands for the whole of `subject`: a library, an operator, the environment. `start` and `end` are
    offsets in bytes, for edits; they are equal where nothing is marked.
    """

    subject: str
    line: int = 0
    column: int = 0
    start: int = 0
    end: int = 0

    def __str__(self) -> str:
        return f"{self.subject}:{self.line}:{self.column}" if self.line else self.subject


@dataclass(frozen=True)
class Edit:
    """A mechanical, safe change of a source: the bytes from `start` to `end` become `text`."""

    path: str
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Finding:
    """One fault. `cause` and `fix` are this case's; without them the rule's stand."""

    rule_id: str
    place: Place
    message: str
    cause: str = ""
    fix: str = ""
    related: tuple[tuple[Place, str], ...] = ()
    edits: tuple[Edit, ...] = field(default=(), compare=False)
    spec_rule: Rule | None = field(default=None, compare=False)  # a rule of `opweld check`, not of the doctor

    @property
    def rule(self) -> Rule:
        """The rule that was broken. Raises KeyError where there is none of that id."""
        return self.spec_rule or find_rule(self.rule_id)

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return self.rule.severity

    @property
    def advice(self) -> str:
        """What to do."""
        return self.fix or self.rule.fix

    @property
    def reason(self) -> str:
        """How it usually comes about."""
        return self.cause or self.rule.cause


def in_order(findings: list[Finding]) -> list[Finding]:
    """The findings by place, without repetitions."""
    unique = {(item.rule_id, item.place, item.message): item for item in findings}
    return sorted(unique.values(), key=lambda item: (item.place, item.rule_id, item.message))


def counts(findings: list[Finding]) -> dict[Severity, int]:
    """How many errors, warnings and notes there are."""
    severities: tuple[Severity, ...] = ("error", "warning", "note")
    return {severity: sum(item.severity == severity for item in findings) for severity in severities}
