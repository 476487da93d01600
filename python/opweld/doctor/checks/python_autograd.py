"""Gradients in Python: autograd.Function and register_autograd (OW822 to OW824, OW826)."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from opweld.doctor.facts import Facts
from opweld.doctor.findings import Finding
from opweld.doctor.sources.python_module import PythonSource

Function = ast.FunctionDef | ast.AsyncFunctionDef


def check(module: PythonSource, facts: Facts) -> list[Finding]:
    """All findings of these rules in one module; `facts` are the project's."""
    findings: list[Finding] = []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ClassDef) and _is_function(module, node):
            findings += _function_class(module, node)
    findings += _registered(module, facts)
    return findings


def takes_gradients(module: PythonSource) -> bool:
    """Whether the module trains: it calls backward or torch.autograd.grad."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call):
            method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if method == "backward" or module.dotted(node.func) in (
                "torch.autograd.grad",
                "torch.autograd.backward",
            ):
                return True
    return False


def _is_function(module: PythonSource, node: ast.ClassDef) -> bool:
    return any(module.dotted(base) in ("torch.autograd.Function", "autograd.Function") for base in node.bases)


def _function_class(module: PythonSource, node: ast.ClassDef) -> Iterator[Finding]:
    methods = {item.name: item for item in node.body if isinstance(item, Function)}
    forward, backward = methods.get("forward"), methods.get("backward") or methods.get("vjp")
    if forward is None:
        return
    if backward is None:
        assigned = any(
            isinstance(target, ast.Name) and target.id in ("backward", "vjp")
            for item in node.body
            if isinstance(item, ast.Assign)
            for target in item.targets
        )
        if not assigned and len(node.bases) == 1:
            yield Finding("OW826", module.place(node), f"{node.name} has a forward but no backward")
    setup = methods.get("setup_context")
    context = _first(setup or forward)
    if backward is not None and forward.args.vararg is None:
        count = len(forward.args.posonlyargs) + len(forward.args.args) - (0 if setup else 1)
        yield from _count(module, backward, count, f"{node.name}.forward")
    yield from _saved(module, forward, setup, context)
    yield from _kept(module, setup or forward, context)


def _first(function: Function) -> str:
    arguments = [*function.args.posonlyargs, *function.args.args]
    return arguments[0].arg if arguments else ""


def _returns(function: Function) -> Iterator[ast.Return]:
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop(0)
        if isinstance(node, ast.Return):
            yield node
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            stack += list(ast.iter_child_nodes(node))


def _count(module: PythonSource, function: Function, wanted: int, whose: str) -> Iterator[Finding]:
    for statement in _returns(function):
        given, trailing = _number_of_values(function, statement.value)
        if given is None or given == wanted or (given > wanted and trailing >= given - wanted):
            continue
        gradients = "1 gradient" if given == 1 else f"{given} gradients"
        arguments = "1 argument" if wanted == 1 else f"{wanted} arguments"
        yield Finding(
            "OW822",
            module.place(statement),
            f"{function.name} returns {gradients}, but {whose} has {arguments}",
            fix=f"Return {wanted} values; None for an argument that has no gradient.",
        )


def _number_of_values(function: Function, value: ast.expr | None) -> tuple[int | None, int]:
    """How many values a return gives (None where it cannot be told), and how many None at its end."""
    if isinstance(value, ast.Name):
        assigned = [
            node.value
            for node in ast.walk(function)
            if isinstance(node, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == value.id for target in node.targets)
        ]
        if len(assigned) != 1 or isinstance(assigned[0], ast.Name):
            return None, 0
        value = assigned[0]
    if isinstance(value, ast.Tuple):
        if any(isinstance(item, ast.Starred) for item in value.elts):
            return None, 0
        trailing = 0
        for item in reversed(value.elts):
            if not (isinstance(item, ast.Constant) and item.value is None):
                break
            trailing += 1
        return len(value.elts), trailing
    if isinstance(value, ast.BinOp | ast.UnaryOp) and not _adds_tuples(value):
        return 1, 0
    return None, 0


def _adds_tuples(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Tuple | ast.List | ast.Starred) for part in ast.walk(node))


def _saved(
    module: PythonSource, forward: Function, setup: Function | None, context: str
) -> Iterator[Finding]:
    saved: dict[str, int] = {}
    dirty: set[str] = set()
    for node in ast.walk(setup or forward):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id == context):
            continue
        names = [item.id for item in node.args if isinstance(item, ast.Name)]
        if node.func.attr == "save_for_backward":
            saved.update(dict.fromkeys(names, node.lineno))
        elif node.func.attr == "mark_dirty":
            dirty.update(names)
    inputs = {item.arg for item in [*forward.args.posonlyargs, *forward.args.args]}
    for name, statement in _modifications(forward):
        if name not in saved:
            continue
        later = setup is None and statement.lineno > saved[name]
        if later or (name in inputs and name not in dirty):
            yield Finding(
                "OW823",
                module.place(statement),
                f"{name!r} is saved for backward (line {saved[name]}) and modified in place here",
            )


def _modifications(function: Function) -> Iterable[tuple[str, ast.stmt | ast.expr]]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
                method = node.func.attr
                if method.endswith("_") and not method.endswith("__") and method != "requires_grad_":
                    yield node.func.value.id, node
            for item in node.keywords:
                if item.arg == "out" and isinstance(item.value, ast.Name):
                    yield item.value.id, node
        elif isinstance(node, ast.AugAssign):
            target = node.target.value if isinstance(node.target, ast.Subscript) else node.target
            if isinstance(target, ast.Name):
                yield target.id, node
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                    yield target.value.id, node


def _kept(module: PythonSource, function: Function, context: str) -> Iterator[Finding]:
    tensors = {
        item.arg
        for item in [*function.args.posonlyargs, *function.args.args]
        if item.annotation is not None
        and ast.unparse(item.annotation).rpartition(".")[2].strip("'\"") == "Tensor"
    }
    for node in ast.walk(function):
        if not (
            isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in tensors
        ):
            continue
        target = node.targets[0]
        if (
            isinstance(target, ast.Attribute)
            and isinstance(target.value, ast.Name)
            and target.value.id == context
        ):
            yield Finding(
                "OW824", module.place(node), f"tensor {node.value.id!r} is kept as {context}.{target.attr}"
            )


def _registered(module: PythonSource, facts: Facts) -> Iterator[Finding]:
    schemas = {item.qualified: item.schema for item in facts.definitions if item.schema is not None}
    for operator, function, _ in module.backwards:
        schema = schemas.get(operator)
        if schema is None or not isinstance(function.node, Function):
            continue
        yield from _count(module, function.node, len(schema.arguments), operator)
