"""No false alarms: a hundred healthy specs, and the code that is generated from some of them."""

import pytest

from opweld import _core
from opweld.doctor.examine import examine_sources
from opweld.doctor.functions import Functions
from random_specs import random_spec

NO_CANN = Functions(False, "libopapi.so")


def told(findings) -> list[str]:
    return [f"{item.place}: {item.rule_id}: {item.message}" for item in findings]


@pytest.mark.parametrize("seed", range(100))
def test_a_healthy_spec_raises_no_finding(tmp_path, seed):
    (tmp_path / "spec.yaml").write_text(random_spec(seed))
    assert told(examine_sources(tmp_path, functions=NO_CANN)) == []


@pytest.mark.parametrize("seed", range(0, 100, 10))
def test_generated_code_raises_no_finding(tmp_path, seed):
    (tmp_path / "spec.yaml").write_text(random_spec(seed))
    result = _core.generate(str(tmp_path / "spec.yaml"), str(tmp_path / "generated"), "npu", False)
    assert result.ok, result.report
    assert told(examine_sources(tmp_path, functions=NO_CANN)) == []


def test_the_specs_differ():
    assert len({random_spec(seed).partition("ops:")[2] for seed in range(100)}) > 90
    assert random_spec(7) == random_spec(7)
