"""PyTorch's own samples (OpInfo) on the NPU and on the CPU; see tests/parity/README.md."""

import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from npu_process import NpuError, NpuProcess

EXCEPTIONS = yaml.safe_load((Path(__file__).parents[1] / "parity" / "exceptions.yaml").read_text())
SEED = 20260
QUICK_OPERATORS = 120
GOAL = 0.97
# Without torch_npu's task queue an error belongs to the call that raises it.
ENVIRON = {"TASK_QUEUE_ENABLE": "0"}

pytestmark = pytest.mark.npu


def explained(row: dict[str, Any], what: str) -> int | None:
    """The exception that explains an outcome, by its place in the file."""
    for index, rule in enumerate(EXCEPTIONS):
        same = rule.get("dtype", row["dtype"]) == row["dtype"]
        same = same and rule.get("direction", row["direction"]) == row["direction"]
        if same and re.fullmatch(rule["op"], row["op"]) and re.search(rule["match"], what):
            return index
    return None


class Tally:
    """Adds up rows of opinfo_parity.check."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.rules: set[int] = set()
        self.unexplained: list[str] = []

    def add(self, row: dict[str, Any]) -> None:
        self.outcomes["passed"] += row["passed"]
        for outcome, what, number in row["others"]:
            self.outcomes[outcome] += number
            if outcome == "missing":
                continue
            rule = explained(row, what)
            if rule is None:
                self.unexplained.append(f"{row['op']} {row['dtype']} {row['direction']}: {number} {what}")
            else:
                self.rules.add(rule)

    @property
    def rate(self) -> float:
        """The share of passing samples of those whose functions are implemented."""
        counted = sum(number for outcome, number in self.outcomes.items() if outcome != "missing")
        return self.outcomes["passed"] / max(counted, 1)


def checked(process: NpuProcess, names: list[str], dtype: str, count: int) -> Iterator[dict[str, Any]]:
    """Rows of the operators; one that ends the process is a row, too."""
    for name in names:
        try:
            yield from process.call("opinfo_parity:check", only=[name], dtype=dtype, count=count, seed=SEED)
        except NpuError as error:
            what = f"{error.message} ({error.kind})"
            row = {"op": name, "dtype": dtype, "direction": "process", "passed": 0, "samples": 1}
            yield row | {"others": [["crashed", what, 1]]}


@pytest.fixture(scope="module")
def eager() -> Iterator[NpuProcess]:
    process = NpuProcess(environ=ENVIRON)
    yield process
    process.close()


def test_a_sample_of_operators_gives_what_the_cpu_gives(eager: NpuProcess) -> None:
    names = random.Random(SEED).sample(eager.call("opinfo_parity:names"), QUICK_OPERATORS)
    tally = Tally()
    for row in checked(eager, names, "float32", 4):
        tally.add(row)
    assert tally.outcomes["passed"] > 100
    assert not tally.unexplained


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "int64", "bool", "complex64"])
def test_all_operators_give_what_the_cpu_gives(eager: NpuProcess, dtype: str) -> None:
    tally = Tally()
    for row in checked(eager, eager.call("opinfo_parity:names"), dtype, 0):
        tally.add(row)
    print(dtype, dict(tally.outcomes), f"{tally.rate:.2%}")
    assert not tally.unexplained
    if dtype == "float32":
        assert tally.rate >= GOAL
        rules = [(index, rule) for index, rule in enumerate(EXCEPTIONS) if "dtype" not in rule]
        assert not [rule["op"] for index, rule in rules if index not in tally.rules], "no sample needs these"
