"""Examines sources: reads a file or a folder, and asks every check."""

from __future__ import annotations

from pathlib import Path

from opweld.doctor.checks import (
    aclnn,
    coverage,
    cpp_functions,
    op_plugin,
    prototypes,
    pybind,
    python_autograd,
    python_meta,
    python_order,
    registration,
    spec,
)
from opweld.doctor.facts import Definition
from opweld.doctor.findings import Finding, Place, in_order
from opweld.doctor.functions import Functions, find_functions
from opweld.doctor.scope import Scope
from opweld.doctor.sources.project import Project, read_projects
from opweld.environment import DEFAULT_SOC


def examine_sources(
    target: Path, *, soc: str = DEFAULT_SOC, functions: Functions | None = None, scope: Scope | None = None
) -> list[Finding]:
    """What is wrong with the sources in a folder, or with one source; nothing of it is run.

    The sources that were read are counted in `scope`.
    """
    if functions is None:
        functions = find_functions([target] if target.is_dir() else [])
    findings: list[Finding] = []
    for project in read_projects(target):
        findings += _examine(project, soc, functions)
        if scope is not None:
            scope.sources += len(project.texts)
    return in_order(findings)


def _examine(project: Project, soc: str, functions: Functions) -> list[Finding]:
    facts = project.facts
    findings = list(project.findings)
    findings += spec.check(project.specs, project.texts, soc)
    for path, name in project.specs:
        facts.definitions += [
            Definition(namespace, bare, "", None, Place(name, 1, 1), "yaml", how="spec")
            for namespace, bare in spec.spec_operators(path)
        ]
    findings += op_plugin.check(project.plugin_operators, facts)
    findings += registration.check(facts)
    training = {module.source.path for module in project.python if python_autograd.takes_gradients(module)}
    findings += coverage.check(facts, training)
    findings += cpp_functions.check(facts, project.texts)
    findings += pybind.check(facts, project.texts)
    findings += aclnn.check(facts, functions, project.texts)
    findings += prototypes.check(facts, project.texts)
    for module in project.python:
        findings += python_meta.check(module, facts)
        findings += python_autograd.check(module, facts)
        findings += python_order.check(module)
    return findings
