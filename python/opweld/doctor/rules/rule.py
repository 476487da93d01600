"""One rule, and the page that explains it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Rule:
    """What must hold, how it comes to be broken, and how to mend it; `wrong` and `right` are examples.

    The ids are stable: an id is never used again for something else.
    """

    id: str
    name: str
    severity: Severity
    family: str
    says: str
    cause: str
    fix: str
    language: str = ""
    wrong: str = ""
    right: str = ""
    mechanical: bool = False  # whether `opweld doctor --fix` can mend it


def render_page(rule: Rule) -> str:
    """The rule's page in docs/rules, which `--explain` prints as well."""
    parts = [
        f"# {rule.id}: {rule.name}\n{rule.family} · {rule.severity}\n",
        f"{rule.says}\n",
        f"**Usual cause.** {rule.cause}\n",
        f"**Fix.** {rule.fix}" + (" `opweld doctor --fix` does it.\n" if rule.mechanical else "\n"),
    ]
    for title, example in (("Wrong", rule.wrong), ("Right", rule.right)):
        if example:
            parts.append(f"## {title}\n```{rule.language}\n{example.strip()}\n```\n")
    return "\n".join(parts)


def render_index(rules: Sequence[Rule]) -> str:
    """The page that lists all rules."""
    lines = [
        "# Rules of `opweld doctor`",
        "Every fault that `opweld doctor` reports carries one of these ids, or, where an operator spec is "
        "at fault, one",
        "of [`opweld check`'s](README.md). `opweld doctor --explain OW704` prints a rule's page.",
    ]
    for family, members in groupby(rules, key=lambda rule: rule.family):
        lines += ["", f"## {family}", "| rule | name | severity |", "| --- | --- | --- |"]
        lines += [f"| [{rule.id}]({rule.id}.md) | {rule.name} | {rule.severity} |" for rule in members]
    return "\n".join(lines) + "\n"
