"""What a Python program does too late: setting the vendor packages' path (OW905)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from opweld.doctor.findings import Finding
from opweld.doctor.sources.python_module import PythonSource

_VARIABLE = "ASCEND_CUSTOM_OPP_PATH"
_READERS = {"torch", "torch_npu"}


def check(module: PythonSource) -> list[Finding]:
    """Where the variable is set below the first import of torch."""
    imported: ast.stmt | None = None
    findings = []
    for statement in _statements(module.tree.body):
        if imported is None and _imports_torch(statement):
            imported = statement
        elif imported is not None and _sets(module, statement):
            findings.append(
                Finding(
                    "OW905",
                    module.place(statement),
                    f"{_VARIABLE} is set after torch was imported (line {imported.lineno}): nobody reads "
                    "it any more",
                    related=((module.place(imported), "read here"),),
                )
            )
    return findings


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when the module is run, in order."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.Try | ast.With):
            yield from _statements(statement.body)


def _imports_torch(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Import):
        return any(alias.name.partition(".")[0] in _READERS for alias in statement.names)
    return (
        isinstance(statement, ast.ImportFrom)
        and not statement.level
        and (statement.module or "").partition(".")[0] in _READERS
    )


def _sets(module: PythonSource, statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign | ast.AugAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return any(
            isinstance(target, ast.Subscript)
            and module.dotted(target.value) == "os.environ"
            and _is_variable(target.slice)
            for target in targets
        )
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        name = module.dotted(call.func)
        if name in ("os.putenv", "os.environ.setdefault", "os.environ.__setitem__"):
            return bool(call.args) and _is_variable(call.args[0])
        if name == "os.environ.update":
            return any(item.arg == _VARIABLE for item in call.keywords) or any(
                isinstance(argument, ast.Dict)
                and any(key is not None and _is_variable(key) for key in argument.keys)
                for argument in call.args
            )
    return False


def _is_variable(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == _VARIABLE
