"""Every package of examples/faults gets the answer of its expected.txt, by its rule and by no other."""

import re

import pytest

import gallery
from opweld.doctor.rules import all_rules

NAMES = gallery.packages()
STATIC = [name for name in NAMES if not gallery.is_living(name) and not gallery.loads_library(name)]
LIVING = [name for name in NAMES if gallery.is_living(name)]
LOADING = [name for name in NAMES if gallery.loads_library(name)]
# What needs another Python environment or another machine: test_doctor_environment.py.
ELSEWHERE = {"OW951", "OW954", "OW955", "OW956", "OW958"}
# What needs a prototype library: test_doctor_prototypes.py.
LIBRARIES = {"OW864", "OW865"}
# What a whole graph shows, and no package: test_compiled_models.py.
GRAPHS = {"OW851"}
# What a generated package shows: test_graph_packages.py.
GENERATED = {"OW852"}
REPORTS = {
    "report-aclnn-not-in-libopapi": {"OW904"},
    "report-two-torch-library-blocks": {"OW701"},
    "report-key-npu-in-cpp": {"OW704"},
    "report-no-fake-under-compile": {"OW801"},
    "report-fake-fixes-a-dynamic-size": {"OW807"},
    "report-device-must-be-meta": {"OW805"},
    "report-backward-without-autograd": {"OW821"},
    "report-path-set-after-import": {"OW905"},
}


def expected(name: str) -> str:
    return (gallery.FAULTS / name / "expected.txt").read_text()


def rules_in(text: str) -> set[str]:
    return set(re.findall(r"(?:error|warning|note)\[(OW\d+)\]", text))


@pytest.mark.parametrize("name", STATIC)
def test_sources_and_environment(name):
    assert gallery.answer(name) == expected(name)


@pytest.mark.parametrize("name", LIVING)
def test_living_operators(npu, name):
    assert gallery.answer(name, npu) == expected(name)


@pytest.mark.parametrize("name", LOADING)
def test_libraries_that_cannot_be_loaded(name):
    assert gallery.answer(name) == expected(name)


def test_the_gallery_is_large_enough():
    assert len(NAMES) >= 30
    assert len(STATIC) + len(LIVING) + len(LOADING) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_found_by_its_rule_and_by_no_other(name):
    wanted = REPORTS.get(name) or {name.partition("-")[0]}
    assert rules_in(expected(name)) == wanted


def test_every_rule_has_a_package():
    shown = {name.partition("-")[0] for name in NAMES}
    assert {rule.id for rule in all_rules()} - shown == ELSEWHERE | LIBRARIES | GRAPHS | GENERATED


def test_every_public_report_is_there():
    assert set(REPORTS) <= set(NAMES)
    for name in REPORTS:
        assert "  cause: " in expected(name)
        assert "  fix: " in expected(name)
