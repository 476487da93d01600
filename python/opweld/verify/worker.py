"""The process in which operators run: requests come in as lines of JSON, answers go out.

It may end at any time, when a kernel crashes; pool.py then starts another and goes on.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import traceback
import warnings
import zlib
from pathlib import Path
from typing import Any

from opweld.errors import OpweldError, UsageError


class Worker:
    """What a worker knows after `open`."""

    def __init__(self) -> None:
        self.operators: dict[str, Any] = {}
        self.modules: list[str] = []
        self.path: list[str] = []
        self.seed = 0

    def open(
        self,
        modules: list[str],
        operators: list[str],
        namespaces: bool,
        spec: str | None,
        samples: str | None,
        seed: int,
        path: list[str],
        package: str,
    ) -> dict[str, Any]:
        """Imports what registers the operators and looks them up."""
        import torch

        from opweld.registration import _resolve
        from opweld.verify.operators import make_operator
        from opweld.verify.rules import load_rules
        from opweld.verify.sources import file

        sys.path[:0] = path
        torch.set_num_threads(1)
        warnings.simplefilter("ignore")
        known = set(torch._C._dispatch_get_all_op_names())
        for module in modules:
            _import(module)
        _require_from(package, path)
        self.modules, self.seed, self.path = modules, seed, path
        rules = load_rules(Path(spec), seed) if spec else {}
        self.file = file.load(Path(samples), seed) if samples else None
        names = operators or list(rules)
        if not names and namespaces:
            names = sorted(set(torch._C._dispatch_get_all_op_names()) - known)
            if not names:
                raise UsageError(
                    f"importing {', '.join(modules)} registers no operator; name the operators behind it"
                )
        for name in [_resolve(name) for name in names]:
            own = self.file.references.get(name) if self.file else None
            self.operators[name] = make_operator(name, rules.get(name), own)
        versions = {"torch": torch.__version__}
        if "torch_npu" in sys.modules:
            versions["torch_npu"] = sys.modules["torch_npu"].__version__
        return {"operators": [self._info(name, rules) for name in self.operators], "versions": versions}

    def _info(self, name: str, rules: dict[str, Any]) -> dict[str, Any]:
        model = rules[name].model if name in rules else {}
        schema = str(self.operators[name].schema)
        names = ("line", "column", "reference_line")
        backward_of = [
            other
            for other, own in rules.items()
            if isinstance(own.backward, dict) and own.backward.get("op") == name
        ]
        place = {key: model.get(key, 0) for key in names}
        lines = model.get("output_lines", {})
        return {
            "name": name,
            "schema": schema,
            **place,
            "output_lines": lines,
            "backward_of": backward_of,
        }

    def plan(self, operator: str, dtypes: list[str]) -> dict[str, Any]:
        """The operator's cases and devices."""
        from opweld.verify.cases import cases
        from opweld.verify.verdict import Skip

        target = self.operators[operator]
        try:
            self._load_samples(operator)
        except Skip as skip:
            return {"cases": [], "devices": target.devices(), "reason": str(skip)}
        found = cases(target, self.seed, tuple(dtypes))
        return {"cases": [case.to_json() for case in found], "devices": target.devices(), "reason": ""}

    def check(self, operator: str, check: str, device: str, case: dict[str, Any]) -> dict[str, Any]:
        """Runs one check; the answer has status, detail, kind, error, histogram, seconds."""
        from opweld.device import reason
        from opweld.verify.arguments import describe
        from opweld.verify.checks import CHECKS, Context
        from opweld.verify.form import require_form
        from opweld.verify.verdict import Failure, Skip

        chosen = next(known for known in CHECKS if known.name == check)
        arguments = self._arguments(operator, case)
        context = Context(self.operators[operator], arguments, device, self.seed)
        begin = time.perf_counter()
        answer: dict[str, Any] = {"status": "passed", "kind": ""}
        try:
            require_form(context.operator, arguments)
            verdict = chosen.run(context)
            answer |= {"detail": verdict.detail, "error": verdict.error, "histogram": verdict.histogram}
            answer["caution"] = verdict.caution
        except Failure as failure:
            answer |= {"status": "failed", "detail": failure.detail, "kind": failure.kind}
            answer |= {"error": _finite(failure.error), "histogram": failure.histogram}
        except Skip as skip:
            answer |= {"status": "skipped", "detail": str(skip), "kind": skip.kind}
        except Exception as error:  # the check itself met what it did not expect
            where = traceback.extract_tb(error.__traceback__)[-1]
            detail = (
                f"the check cannot deal with it: {reason(error)} ({Path(where.filename).name}:{where.lineno})"
            )
            answer |= {"status": "failed", "detail": detail, "kind": "error"}
        answer["seconds"] = time.perf_counter() - begin
        answer["arguments"] = ", ".join(
            [describe(value) for value in arguments.positional]
            + [f"{name}={describe(value)}" for name, value in arguments.keywords.items()]
        )
        _settle()
        return answer

    def smaller(self, operator: str, case: dict[str, Any]) -> list[dict[str, Any]]:
        """Cases with smaller, then with simpler arguments, that the operator accepts."""
        from dataclasses import replace

        from opweld.verify import steps
        from opweld.verify.cases import accepted
        from opweld.verify.model import Case

        target = self.operators[operator]
        old = Case.from_json(case)
        arguments = self._arguments(operator, case)
        found = []
        for step in steps.smaller(arguments, target.optional_arguments()) + steps.simpler(arguments):
            try:
                if accepted(target, steps.apply(arguments, step)):
                    found.append(replace(old, steps=(*old.steps, step)).to_json())
            except (IndexError, RuntimeError):
                continue  # the step makes no sense for these arguments
        return found

    def show(self, operator: str, check: str, device: str, case: dict[str, Any], kind: str) -> list[str]:
        """The case, in which a fault of that kind was found, as Python."""
        from opweld.verify import python_text
        from opweld.verify.checks import CHECKS

        chosen = next(known for known in CHECKS if known.name == check)
        arguments = self._arguments(operator, case)
        return python_text.lines(
            self.operators[operator], arguments, device, chosen, self.modules, self.path, kind
        )

    def checks(self) -> list[dict[str, Any]]:
        """What the scheduler needs to know of the checks."""
        from opweld.verify.checks import CHECKS

        names = ("name", "cases", "limit", "per_dtype", "floating", "dtype", "devices", "needs", "needs_case")
        return [{name: getattr(check, name) for name in names} for check in CHECKS]

    def _arguments(self, operator: str, case: dict[str, Any]) -> Any:
        from opweld.verify.cases import build
        from opweld.verify.model import Case

        self._load_samples(operator)
        return build(self.operators[operator], Case.from_json(case))

    def _load_samples(self, operator: str) -> None:
        from opweld.verify.sources import finite, opinfo, schema, spec

        target = self.operators[operator]
        if target.samples:
            return
        seed = zlib.crc32(f"{operator} {self.seed}".encode())
        if self.file is not None and operator in self.file.samples:
            target.samples = self.file.of(operator, seed)
        elif target.rules is not None and target.rules.model["samples"]:
            target.samples = spec.samples(target.rules, seed)
            for _, reference in target.references("cpu"):
                target.samples = finite.settled(target.samples, reference, seed)
        elif target.namespace == "aten":
            target.samples = opinfo.samples(target, seed)
        if not target.samples:
            target.samples = schema.samples(target, seed)
            target.made_up = True


def _import(module: str) -> None:
    try:
        importlib.import_module(module)
    except Exception as error:  # whatever a foreign module raises
        from opweld.device import reason

        raise UsageError(f"module {module} cannot be imported: {reason(error)}") from error


def _require_from(package: str, path: list[str]) -> None:
    """Raises UsageError where the package was found elsewhere than in the folders of the build."""
    if not package:
        return
    found = getattr(sys.modules[package], "__file__", None) or ""
    if not any(Path(found).is_relative_to(folder) for folder in path):
        raise UsageError(f"module {package} was imported from {found}, not from the build in {path[0]}")


def _finite(error: float | None) -> float | None:
    return None if error is None or error != error or error == float("inf") else error


def _settle() -> None:
    """What a failed task left on the device must not become the next one's error."""
    from opweld.device import synchronize

    try:
        synchronize("npu")
    except RuntimeError:
        return


def serve() -> None:
    """Answers requests from stdin until it is closed."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever an operator prints is no answer
    worker = Worker()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"result": getattr(worker, request.pop("do"))(**request)}
        except OpweldError as error:
            answer = {"sentence": str(error), "exit_code": error.exit_code}
        except Exception as error:  # a fault of ours; the parent reports it
            answer = {"sentence": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve()
