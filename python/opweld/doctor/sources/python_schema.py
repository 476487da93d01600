"""The schema that torch.library.custom_op infers from a function's annotations."""

from __future__ import annotations

import ast

from opweld.doctor.schema import Argument, Schema, Type

_TYPES = {
    "Tensor": "Tensor", "torch.Tensor": "Tensor", "int": "int", "float": "float", "bool": "bool",
    "str": "str",
    "torch.dtype": "ScalarType", "torch.device": "Device", "torch.SymInt": "SymInt",
    "torch.types.Number": "Scalar",
    "Number": "Scalar",
}  # fmt: skip


def schema_of_function(
    namespace: str, name: str, node: ast.FunctionDef | ast.AsyncFunctionDef, call: ast.Call
) -> Schema | None:
    """The schema, or None where an annotation is missing or of an unknown type."""
    mutated = next((item.value for item in call.keywords if item.arg == "mutates_args"), None)
    names = (
        {item.value for item in mutated.elts if isinstance(item, ast.Constant)}
        if isinstance(mutated, ast.Tuple | ast.List | ast.Set)
        else set()
    )
    arguments = []
    given = [*node.args.posonlyargs, *node.args.args]
    defaults = len(node.args.defaults)
    for index, argument in enumerate(given):
        kind = _type(argument.annotation)
        if kind is None:
            return None
        if argument.arg in names:
            kind = Type(kind.base, kind.suffixes, f"(a{index}!)")
        arguments.append(Argument(argument.arg, kind, False, index >= len(given) - defaults))
    for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        kind = _type(argument.annotation)
        if kind is None:
            return None
        arguments.append(Argument(argument.arg, kind, True, default is not None))
    returns = _returns(node.returns)
    if returns is None:
        return None
    return Schema(namespace, name, "", tuple(arguments), returns)


def _returns(node: ast.expr | None) -> tuple[Type, ...] | None:
    if node is None:
        return None
    if isinstance(node, ast.Constant) and node.value is None:
        return ()
    if isinstance(node, ast.Subscript) and ast.unparse(node.value).rpartition(".")[2].lower() == "tuple":
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        kinds = [_type(part) for part in parts]
        return None if any(kind is None for kind in kinds) else tuple(kind for kind in kinds if kind)
    kind = _type(node)
    return None if kind is None else (kind,)


def _type(node: ast.expr | None) -> Type | None:
    if node is None:
        return None
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return _type(ast.parse(node.value, mode="eval").body)
        except SyntaxError:
            return None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        left, right = node.left, node.right
        bare = left if _is_none(right) else right if _is_none(left) else None
        kind = _type(bare)
        return Type(kind.base, (*kind.suffixes, "?")) if kind else None
    if isinstance(node, ast.Subscript):
        outer = ast.unparse(node.value).rpartition(".")[2].lower()
        kind = _type(node.slice)
        if kind is None:
            return None
        if outer == "optional":
            return Type(kind.base, (*kind.suffixes, "?"))
        return Type(kind.base, (*kind.suffixes, "[]")) if outer in ("list", "sequence") else None
    base = _TYPES.get(ast.unparse(node))
    return Type(base) if base else None


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
