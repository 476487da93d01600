"""What the benchmarks share: medians of two ways side by side, printed and written as JSON.

A time is of the whole process's wall clock, in seconds. Both ways take turns, so that what else the machine
does meets both; only ratios of medians are worth anything. A turn is a few rounds of one way, and its first
doesn't count: then the threads of the other way still look for work.
"""

import json
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

TURN = 4  # rounds that count


@dataclass(frozen=True)
class Ratio:
    """How long `ours` takes against `other`, in seconds (medians)."""

    name: str
    ours: float
    other: float

    @property
    def value(self) -> float:
        """ours / other."""
        return self.ours / self.other


def side_by_side(name: str, ours: Callable[[], None], other: Callable[[], None], rounds: int) -> Ratio:
    """Runs both in turns until each has at least `rounds` times; the first turn doesn't count."""
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(1 + -(-rounds // TURN)):
        for way, taken in zip((ours, other), times, strict=True):
            for index in range(1 + TURN):
                start = time.perf_counter()
                way()
                if turn and index:
                    taken.append(time.perf_counter() - start)
    return Ratio(name, statistics.median(times[0]), statistics.median(times[1]))


def report(row: str, ratios: list[Ratio], goal: str, output: Path | None) -> None:
    """Prints each ratio, and last the row of the performance page with the geometric mean."""
    for ratio in ratios:
        print(f"{ratio.name:40s} {ratio.ours * 1e3:10.3f} ms {ratio.other * 1e3:10.3f} ms {ratio.value:6.2f}")
    mean = statistics.geometric_mean(ratio.value for ratio in ratios)
    if output is not None:
        rows = [{"name": r.name, "ours": r.ours, "other": r.other, "ratio": r.value} for r in ratios]
        output.write_text(json.dumps({"row": row, "ratio": mean, "goal": goal, "rows": rows}, indent=1))
    print(f"{row} {mean:.2f} (goal {goal})")
