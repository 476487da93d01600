"""The reference page docs/reference/coverage.md: the aclnn functions, made from the function table.

usage: coverage.py [--check] FILE

Writes FILE, or with --check tells whether it is in step (exit code 1 where it is not). Imports the cases of
tests/python, which need torch but no NPU.
"""

from __future__ import annotations

import ast
import importlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT / "tests" / "python")]

from table import (  # noqa: E402
    TENSOR_ROLES,
    Function,
    Known,
    TableError,
    read_dtypes,
    read_inventory,
    read_table,
    snake_case,
)

KERNELS = ROOT / "npu" / "kernels"
INVENTORY = ROOT / "npu" / "aclnn" / "inventory.tsv"
IDENTITIES = ("Ascend910B1", "Ascend950PR")

_HEAD = """# Coverage: the aclnn functions of the software NPU

Made by `python npu/kernels/generate/coverage.py docs/reference/coverage.md` from the function table
(`npu/kernels/functions/`) and the cases of `tests/python/aclnn_cases*.py`; a test checks that it is in step.

torch_npu knows {known} functions.

- {implemented} are implemented, {named} of them named by a case that compares with the CPU over dtypes and
  layouts; the others are tested through PyTorch's operators (`nn_checks.py`, `test_parity.py`).
- {failing} fail by their name.
- {absent} are left out, because torch_npu then takes another way.

## Classes of dtypes
What a tensor argument may be; one that is not listed is refused, and the message says which are expected.
`OPWELD_LENIENT=1` lifts what the SoC limits.
"""


def named_by_cases(folder: Path) -> dict[str, list[str]]:
    """Function without "aclnn" -> the families of cases that name it, as "module:family"."""
    families: dict[str, list[str]] = {}
    for path in sorted(folder.glob("aclnn_cases*.py")):
        module = importlib.import_module(path.stem)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if (
                isinstance(node, ast.FunctionDef)
                and node.returns
                and ast.unparse(node.returns) == "Iterable[Case]"
            ):
                name = f"{path.stem.removeprefix('aclnn_')}:{node.name}"
                for function in dict.fromkeys(case.function for case in getattr(module, node.name)()):
                    families.setdefault(function, []).append(name)
    return families


def _dtypes(function: Function) -> str:
    tensors = [p for p in function.parameters if p.role in TENSOR_ROLES]
    classes = list(dict.fromkeys(p.dtypes for p in tensors))
    if len(classes) <= 1:
        return "".join(classes) or "no tensor"
    usual = max(classes, key=lambda name: sum(p.dtypes == name for p in tensors))
    others = (f"`{p.name}` {p.dtypes}" for p in tensors if p.dtypes != usual)
    return f"{usual}, {', '.join(others)}"


def _identities(function: Function) -> str:
    chosen = [name for name in IDENTITIES if name.startswith(function.soc)]
    return "both" if len(chosen) == len(IDENTITIES) else ", ".join(chosen)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _family(rows: list[Function], tests: Mapping[str, list[str]]) -> Iterator[str]:
    yield "| Functions | Dtypes | SoC | Cases |"
    yield "| --- | --- | --- | --- |"
    groups: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        key = (_dtypes(row), _identities(row), ", ".join(tests.get(row.name, ["by operators"])))
        groups.setdefault(key, []).append(row.symbol)
    yield from (f"| {_listed(names)} | {' | '.join(key)} |" for key, names in groups.items())


def _missing(inventory: Iterable[Known], implemented: set[str], when_missing: str) -> list[str]:
    return sorted(k.name for k in inventory if k.name not in implemented and k.when_missing == when_missing)


def page() -> str:
    """The text of the page."""
    inventory = read_inventory(INVENTORY)
    table = read_table(KERNELS / "functions", inventory)
    tests = named_by_cases(ROOT / "tests" / "python")
    rows = [row for family in table.values() for row in family]
    implemented = {row.symbol for row in rows}
    failing = _missing(inventory.values(), implemented, "fail")
    absent = _missing(inventory.values(), implemented, "absent")
    lines = [
        _HEAD.format(
            known=len(inventory),
            implemented=len(rows),
            named=sum(row.name in tests for row in rows),
            failing=len(failing),
            absent=len(absent),
        )
    ]
    lines += ["| Class | Dtypes | Limited by |", "| --- | --- | --- |"]
    limits = {"any": "nothing", "vector": "the SoC's vector cores", "cube": "the SoC's matrix unit"}
    for name, dtypes in read_dtypes(KERNELS / "dtypes.yaml").items():
        lines.append(f"| {name} | {', '.join(dtypes.dtypes)} | {limits[dtypes.unit]} |")
    for family, members in table.items():
        lines += ["", f"## {snake_case(family).replace('_', ' ').capitalize()}", *_family(members, tests)]
    lines += ["", "## Not implemented: fail by their name", _listed(failing)]
    lines += [
        "",
        "## Not implemented: left out",
        "torch_npu finds another way where these are not exported.",
        "",
    ]
    lines.append(_listed(absent))
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Writes or checks the page."""
    check = "--check" in arguments
    files = [argument for argument in arguments if argument != "--check"]
    if len(files) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    try:
        text = page()
    except TableError as error:
        print(f"coverage.py: {error}", file=sys.stderr)
        return 2
    path = Path(files[0])
    if not check:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return 0
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return 0
    print(f"{path} is not in step: run `python npu/kernels/generate/coverage.py {path}`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
