"""The doctor's rules: what is told about them, and how they are found by id.

The checks themselves are in `opweld.doctor.checks`, `opweld.doctor.dispatcher` and `opweld.doctor.graphs`.
"""

from __future__ import annotations

from opweld.doctor.rules import autograd, converter, environment, kernel, meta, prototype, registration
from opweld.doctor.rules.rule import Rule, Severity, render_index, render_page

__all__ = ["Rule", "Severity", "all_rules", "find_rule", "render_index", "render_page"]


def all_rules() -> tuple[Rule, ...]:
    """All rules, in the order of their ids."""
    tables = (
        registration.RULES,
        meta.RULES,
        autograd.RULES,
        converter.RULES,
        prototype.RULES,
        kernel.RULES,
        environment.RULES,
    )
    return tuple(rule for table in tables for rule in table)


_BY_ID = {rule.id: rule for rule in all_rules()}


def find_rule(rule_id: str) -> Rule:
    """The rule of an id. Raises KeyError."""
    return _BY_ID[rule_id]
