"""Runs the tasks over worker processes, within a budget, and shrinks what fails."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opweld.environment import Device
from opweld.errors import OpweldError, UsageError
from opweld.verify.model import Case, OperatorInfo, Outcome, Report, Task
from opweld.verify.plan import make_plan
from opweld.verify.pool import Crash, WorkerProcess
from opweld.verify.target import Target

SHRINK_ATTEMPTS = 60
SHRINK_SECONDS = 20.0
SHRINK_CRASHES = 2  # each costs a new process
CRASHES_PER_OPERATOR = 3


@dataclass
class Options:
    """How to run."""

    samples: Path | None = None
    checks: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    device: str | None = None
    seed: int = 0
    jobs: int = 1
    budget: float | None = None


@dataclass
class Progress:
    """What has been done; `changed` is called after each step, from any thread."""

    total: int = 0
    done: int = 0
    failed: int = 0
    current: str = ""
    changed: Callable[[Progress], None] = field(default=lambda progress: None)


class Run:
    """One run of `opweld verify`."""

    def __init__(self, target: Target, device: Device, options: Options, progress: Progress) -> None:
        self._target = target
        self._device = device
        self._options = options
        self._progress = progress
        self._lock = threading.Lock()
        self._end = time.monotonic() + options.budget if options.budget else None
        self._results: dict[str, list[Outcome]] = {}
        self._not_run = 0
        self._errors: list[BaseException] = []

    def report(self) -> Report:
        """Does it all. Raises OpweldError where nothing could be examined."""
        begin = time.monotonic()
        environ = self._target.environ(self._device)
        opening = self._target.opening(self._options.samples, self._options.seed)
        first = WorkerProcess(environ, opening)
        try:
            opened = _open(first)
            operators = [
                OperatorInfo(source=str(self._target.spec or ""), **info) for info in opened["operators"]
            ]
            checks = first.ask("checks")
            waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
            for info in operators:
                waiting.put(info.name)
            self._run_threads(first, environ, opening, waiting, checks, len(operators))
        finally:
            first.close()
        if self._errors:
            raise self._errors[0]
        outcomes = [outcome for info in operators for outcome in self._results.get(info.name, [])]
        report = Report(
            self._target.name,
            self._options.seed,
            self._device.describe(),
            opened["versions"],
            operators,
            prove_backwards(operators, outcomes),
            str(self._target.spec or ""),
            time.monotonic() - begin,
            self._not_run,
        )
        return report

    def _run_threads(
        self,
        first: WorkerProcess,
        environ: dict[str, str],
        opening: dict[str, Any],
        waiting: queue.SimpleQueue[str],
        checks: list[dict[str, Any]],
        count: int,
    ) -> None:
        others = [WorkerProcess(environ, opening) for _ in range(min(self._options.jobs, count) - 1)]
        threads = [
            threading.Thread(target=self._serve, args=(worker, waiting, checks), daemon=True)
            for worker in others
        ]
        for thread in threads:
            thread.start()
        try:
            self._serve(first, waiting, checks)
            for thread in threads:
                thread.join()
        finally:
            for worker in others:
                worker.close()

    def _serve(
        self, worker: WorkerProcess, waiting: queue.SimpleQueue[str], checks: list[dict[str, Any]]
    ) -> None:
        while True:
            try:
                name = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                self._examine(worker, name, checks)
            except Crash as crash:
                self._add(name, Outcome(name, "result", "", "", "", "failed", str(crash), "crash"))
            except OpweldError as error:
                if error.exit_code != OpweldError.exit_code:
                    self._errors.append(error)
                    return
                told = f"opweld cannot examine it: {error}"
                self._add(name, Outcome(name, "result", "", "", "", "failed", told, "error"))
            except BaseException as error:
                self._errors.append(error)
                return

    def _examine(self, worker: WorkerProcess, name: str, checks: list[dict[str, Any]]) -> None:
        options = self._options
        if self._is_over():
            self._add(name, Outcome(name, "result", "", "", "", "skipped", "not run: the budget was used up"))
            return
        answer = worker.ask("plan", operator=name, dtypes=list(options.dtypes))
        wanted = list(options.checks)
        plan = make_plan(name, answer, checks, _with_needs(wanted, checks), options.device)
        if plan.reason:
            self._add(name, Outcome(name, "result", "", "", "", "skipped", plan.reason))
        with self._lock:
            self._progress.total += len(plan.tasks)
        state = _State({check["name"]: check for check in checks})
        for task in plan.tasks:
            if self._is_over():
                with self._lock:
                    self._not_run += 1
                continue
            outcome = self._outcome(worker, task, state)
            state.add(task, outcome)
            # What was not asked for ran because a check needs it; its faults are shown, since they are why.
            hidden = wanted and outcome.check not in wanted and outcome.status != "failed"
            self._add(name, outcome, counts=not hidden)

    def _is_over(self) -> bool:
        """Whether the budget is used up."""
        return self._end is not None and time.monotonic() > self._end

    def _outcome(self, worker: WorkerProcess, task: Task, state: _State) -> Outcome:
        if reason := state.obstacle(task):
            return _outcome(task, {"status": "skipped", "detail": reason})
        answer = _ask(worker, task)
        outcome = _outcome(task, answer)
        if outcome.kind == "crash":
            state.crashes += 1
            if task.check in ("outputs", "determinism"):
                outcome.check = "result"  # these only call it, too
        if outcome.kind == "form":
            outcome.check = "meta"  # whichever came first, it is Meta's formula that is wrong
        if outcome.status == "failed":
            first = not state.failed(outcome.check, task.device)
            case = task.case
            if first:
                case, outcome.detail = self._shrink(worker, task, answer)
            outcome.reproduction = _show(worker, task, case, outcome.kind)
        return outcome

    def _shrink(self, worker: WorkerProcess, task: Task, answer: dict[str, Any]) -> tuple[Case, str]:
        """The smallest case found that fails in the same way, and what it says."""
        best, detail = task.case, str(answer["detail"])
        attempts, end = 0, time.monotonic() + SHRINK_SECONDS
        limit = SHRINK_CRASHES if answer["kind"] == "crash" else SHRINK_ATTEMPTS
        progress = True
        while progress:
            progress = False
            for data in _candidates(worker, task, best):
                attempts += 1
                if attempts > limit or time.monotonic() > end:
                    return best, detail
                candidate = Case.from_json(data)
                found = _ask(worker, Task(task.operator, task.check, task.device, candidate))
                if found["status"] == "failed" and found["kind"] == answer["kind"]:
                    best, detail, progress = candidate, str(found["detail"]), True
                    break
        return best, detail

    def _add(self, name: str, outcome: Outcome, *, counts: bool = True) -> None:
        with self._lock:
            if counts:
                self._results.setdefault(name, []).append(outcome)
                self._progress.failed += outcome.status == "failed"
            self._progress.done += 1
            self._progress.current = f"{name} {outcome.check}"
            self._progress.changed(self._progress)


def prove_backwards(operators: list[OperatorInfo], outcomes: list[Outcome]) -> list[Outcome]:
    """The outcomes; the gradients of an operator that were compared prove the backward operator's results."""
    proved = {
        (outcome.operator, outcome.device)
        for outcome in outcomes
        if outcome.check == "gradients" and outcome.status == "passed" and not outcome.caution
    }
    forward = {info.name: info.backward_of for info in operators}
    for outcome in outcomes:
        for name in forward.get(outcome.operator, []):
            if outcome.check == "result" and outcome.caution and (name, outcome.device) in proved:
                outcome.caution, outcome.detail = "", f"proved by the gradients of {name}"
    return outcomes


class _State:
    """What is known of an operator while its tasks run."""

    def __init__(self, checks: dict[str, dict[str, Any]]) -> None:
        self._checks = checks
        self._failed: set[tuple[str, str]] = set()
        self._failed_cases: set[tuple[str, str, Case]] = set()
        self._crashed: set[tuple[str, Case]] = set()
        self._wrong_form = ""
        self.crashes = 0

    def add(self, task: Task, outcome: Outcome) -> None:
        if outcome.status == "failed":
            self._failed.add((outcome.check, task.device))
            self._failed_cases.add((outcome.check, task.device, task.case))
            if outcome.kind == "form":
                self._wrong_form = self._wrong_form or outcome.detail
            if outcome.kind == "crash":
                self._crashed.add((task.device, task.case))

    def failed(self, check: str, device: str) -> bool:
        return (check, device) in self._failed

    def obstacle(self, task: Task) -> str:
        """Why the task makes no sense after what was found; empty where it does."""
        check = self._checks[task.check]
        if self._wrong_form:
            return f"not run: {self._wrong_form}"
        if self.crashes >= CRASHES_PER_OPERATOR:
            return f"not run: the operator has ended the process {self.crashes} times"
        if (task.device, task.case) in self._crashed:
            return "not run: the operator ends the process with this sample"
        for name in check["needs"]:
            if (name, task.device) in self._failed:
                return f"not run: {name} has faults"
        for name in check["needs_case"]:
            if (name, task.device, task.case) in self._failed_cases:
                return f"not run: {name} has a fault for this sample"
        return ""


def _open(worker: WorkerProcess) -> dict[str, Any]:
    try:
        opened: dict[str, Any] = worker.open()
    except Crash as crash:
        raise OpweldError(f"the process that should load the operators did not come up: {crash}") from crash
    if not opened["operators"]:
        raise UsageError("there is no operator to verify")
    return opened


def _with_needs(wanted: list[str], checks: list[dict[str, Any]]) -> list[str]:
    """The checks and those that they need to be understood."""
    by_name = {check["name"]: check for check in checks}
    found = list(wanted)
    for name in found:
        found += [need for need in by_name[name]["needs"] + by_name[name]["needs_case"] if need not in found]
    return found


def _ask(worker: WorkerProcess, task: Task) -> dict[str, Any]:
    begin = time.monotonic()
    try:
        answer: dict[str, Any] = worker.ask(
            "check", operator=task.operator, check=task.check, device=task.device, case=task.case.to_json()
        )
    except Crash as crash:
        seconds = time.monotonic() - begin
        return {"status": "failed", "kind": "crash", "detail": str(crash), "seconds": seconds}
    return answer


def _candidates(worker: WorkerProcess, task: Task, case: Case) -> list[dict[str, Any]]:
    try:
        found: list[dict[str, Any]] = worker.ask("smaller", operator=task.operator, case=case.to_json())
    except (Crash, OpweldError):  # then there are none
        return []
    return found


def _show(worker: WorkerProcess, task: Task, case: Case, kind: str) -> list[str]:
    try:
        shown: list[str] = worker.ask(
            "show",
            operator=task.operator,
            check=task.check,
            device=task.device,
            case=case.to_json(),
            kind=kind,
        )
    except (Crash, OpweldError) as error:
        return [f"# the sample cannot be written as Python: {error}"]
    return shown


def _outcome(task: Task, answer: dict[str, Any]) -> Outcome:
    return Outcome(
        task.operator,
        task.check,
        task.device,
        task.case.dtype,
        task.case.label,
        answer["status"],
        answer.get("detail", ""),
        answer.get("kind", ""),
        answer.get("error"),
        answer.get("seconds", 0.0),
        answer.get("arguments", ""),
        answer.get("histogram") or {},
        caution=answer.get("caution", ""),
    )
