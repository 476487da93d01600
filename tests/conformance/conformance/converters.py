"""Runs the cases that torchair's converters declare: each compiled for itself, against eager mode.

usage: converters.py CONVERTER_TEST.PY JUNIT

Inputs and comparison are those of torchair's own file; the outcomes go to a JUnit file. The suite
torchair-converters starts this on the software NPU. A case that breaks the device doesn't reach the next
one: the program starts itself anew behind it.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

BEGIN = "OPWELD_CONVERTERS_BEGIN"  # how many cases earlier starts have done


def load(path: Path) -> Any:
    """The test file as a module, without its main part."""
    spec = importlib.util.spec_from_file_location("converter_test", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cases(module: Any) -> Iterator[tuple[str, Any, Any]]:
    """Name, operator and arguments of each case, in the converters' order."""
    importlib.import_module("torchair._ge_concrete_graph.ge_converter.custom")
    for op, converter in module._declare_supported_converters().items():
        name = op.__name__ if isinstance(op, types.FunctionType | types.BuiltinFunctionType) else str(op)
        for number, case in enumerate(converter.supported_cases or []):
            yield f"{name}.{number + 1}", converter._aten_op, case


def run(module: Any, op: Any, case: Any) -> None:
    """Runs one case; raises whatever is wrong with it."""
    import torch

    torch._dynamo.reset()
    eager = module._eager_aten_call(op)
    compiled = torch.compile(eager, backend=module.tng.get_npu_backend())
    torch.manual_seed(0)
    arguments, named = module._assemble_testcase_inputs(case)
    results = []
    for function in (compiled, eager):
        module.reset_rng_state()
        try:
            results.append(function(*arguments, **named))
        except Exception as error:
            results.append(error)
    module._check_result(*results)


def broken_device() -> bool:
    """Whether the device takes no work any more; what is called then may end without an error."""
    import torch

    try:
        return bool((torch.ones(2).npu() + 1).sum().item() != 4)
    except RuntimeError:
        return True


def write_junit(path: Path, done: dict[str, str]) -> None:
    """Writes the outcomes; an empty text is a pass."""
    lines = ["<testsuite>"]
    for name, error in done.items():
        text = "".join(c for c in error if c >= " " or c == "\n")
        failure = f"<failure>{escape(text)}</failure>" if error else ""
        lines.append(f'<testcase classname="" name={quoteattr(name)}>{failure}</testcase>')
    path.write_text("\n".join([*lines, "</testsuite>"]), encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Runs all cases; a failing one is no error of the program."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    module, junit = load(Path(arguments[0])), Path(arguments[1])
    progress = junit.with_suffix(".json")
    begin = int(os.environ.get(BEGIN, "0"))
    done: dict[str, str] = json.loads(progress.read_text()) if begin else {}
    for number, (name, op, case) in enumerate(cases(module)):
        if number < begin:
            continue
        try:
            run(module, op, case)
            done[name] = ""
        except Exception as error:
            done[name] = str(error) or type(error).__name__
            print(f"{name}: {done[name]}\n", flush=True)
        progress.write_text(json.dumps(done))
        write_junit(junit, done)
        if done[name] and broken_device():
            os.environ[BEGIN] = str(number + 1)
            os.execv(sys.executable, [sys.executable, *sys.argv])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
