"""What a spec says about an operator, as functions: constraints, dtypes, the reference."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from opweld import _core
from opweld.errors import FaultsFound
from opweld.verify.arguments import Arguments, short_dtype

SAMPLES = 24
_CONVERTER = re.compile(r"""(^|[\s{,"'])converter["']?\s*:\s*["']?auto\b""")
_REFERENCE = re.compile(r"""(^|[\s{,"'])reference["']?\s*:""")
# A key at the beginning of a line, and the beginning of a section of outputs.
_KEY = re.compile(r"^\s*(?:- )?(?P<key>[a-z_]+)\s*:(?!:)")
_INSIDE = ("name", "type", "shape", "format", "present", "param_type", "doc")


class SpecRules:
    """The rules of one operator. `model` is its part of `_core.verification`'s answer."""

    def __init__(self, model: dict[str, Any], prelude: dict[str, Any]) -> None:
        self.model = model
        self._prelude = prelude
        self._order = [(item["name"], item["keyword_only"]) for item in model["arguments"]]
        self._types = {item["name"]: item["dtypes"] for item in model["inputs"]}
        self._bound = {item["name"]: None for item in model["inputs"] if item["bound"]}
        for attr in model["attrs"]:
            if attr["is_bound"]:
                self._bound[attr["name"]] = _constant(attr["bound"], attr["type"])

    @property
    def name(self) -> str:
        """The qualified name."""
        return str(self.model["qualified_name"])

    @property
    def depends_on_data(self) -> bool:
        """Whether an output's size is known only after the kernel has run."""
        return any(output["shape_kind"] == "data_dependent" for output in self.model["outputs"])

    @property
    def autocast(self) -> str:
        """The autocast policy: none, lower, fp32, promote."""
        return str(self.model["autocast"])

    @property
    def backward(self) -> Any:
        """None, "none" where the spec says so, or what gives the gradient."""
        return self.model["backward"]

    @property
    def states_converter(self) -> bool:
        """Whether the spec says outright that the operator has a converter."""
        return bool(self.model["states_converter"])

    @property
    def batching(self) -> dict[str, int]:
        """The vmap rule; empty: none."""
        return dict(self.model["batching"])

    @property
    def reference(self) -> Callable[..., Any] | None:
        """The reference as a function with the operator's arguments, or None."""
        text = self.model["reference"]
        if not text:
            return None
        code = compile(ast.parse(text, mode="eval"), f"<reference of {self.name}>", "eval")

        def reference(*positional: Any, **keywords: Any) -> Any:
            scope = {"torch": torch} | self.bindings(positional, keywords)
            return eval(code, scope)

        return reference

    @property
    def reference_text(self) -> str:
        """The reference as a Python function that can be pasted; empty where there is none."""
        text = self.model["reference"]
        if not text:
            return ""
        names = [name for name, keyword_only in self._order if not keyword_only]
        only = [name for name, keyword_only in self._order if keyword_only]
        only += [f"{name}={value!r}" for name, value in self._bound.items()]
        return f"lambda {', '.join([*names, *(['*'] if only else []), *only])}: {text}"

    def bindings(self, positional: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
        """The names of the spec and their values in a call."""
        names = [name for name, keyword_only in self._order if not keyword_only]
        return self._bound | dict(zip(names, positional, strict=False)) | keywords

    def accepts(self, arguments: Arguments) -> bool:
        """Whether a call with these arguments satisfies dtypes and constraints."""
        named = self.bindings(arguments.positional, arguments.keywords)
        if not self._dtypes_fit(named):
            return False
        scope = self._prelude | named
        try:
            for name, text in self.model["rules"]["lets"]:
                scope[name] = eval(text, scope)
            if not all(eval(text, scope) is True for text, _ in self.model["rules"]["constraints"]):
                return False
            for present, shape in self.model["rules"]["shapes"]:
                if eval(present, scope) and any(size < 0 for size in eval(shape, scope)):
                    return False
            return True
        except Exception:  # a value that does not exist: the constraint does not hold
            return False

    def _dtypes_fit(self, named: dict[str, Any]) -> bool:
        rows: set[int] | None = None
        for name, types in self._types.items():
            value = named.get(name)
            for tensor in value if isinstance(value, list) else [value]:
                if not isinstance(tensor, Tensor) or types["kind"] == "any":
                    continue
                dtype = short_dtype(tensor.dtype)
                if dtype not in types["list"]:
                    return False
                if types["kind"] == "paired":
                    own = {index for index, known in enumerate(types["list"]) if known == dtype}
                    rows = own if rows is None else rows & own
        return rows is None or bool(rows)

    def accepts_dtype(self, dtype: torch.dtype) -> bool:
        """Whether its floating-point inputs may all be of that dtype."""
        name = short_dtype(dtype)
        for types in self._types.values():
            floating = any("float" in known for known in types["list"])
            if floating and name not in types["list"]:
                return False
        return True

    def split(self, named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Named arguments as positional and keyword ones."""
        positional = tuple(named[name] for name, keyword_only in self._order if not keyword_only)
        return positional, {name: named[name] for name, keyword_only in self._order if keyword_only}


def _constant(value: Any, kind: str) -> Any:
    """A bound value as it is in Python; dtypes, layouts and devices are names in the model."""
    if isinstance(value, list):
        return [_constant(item, kind) for item in value]
    if isinstance(value, str) and kind.startswith(("ScalarType", "Layout", "MemoryFormat")):
        return getattr(torch, value)
    return torch.device(value) if isinstance(value, str) and kind.startswith("Device") else value


def _add_reference_lines(spec: Path, ops: list[dict[str, Any]]) -> None:
    """Adds to each operator the line of its reference, which may stand in the one it is a prototype of."""
    lines = spec.read_text(encoding="utf-8").splitlines()
    starts = sorted({op["line"] for op in ops})
    found = {}
    for op in ops:
        end = min((start for start in starts if start > op["line"]), default=len(lines) + 1)
        own = [n for n in range(op["line"], end) if _REFERENCE.search(lines[n - 1])]
        found[op["qualified_name"]] = own[0] if own else 0
        op["states_converter"] = any(_CONVERTER.search(lines[n - 1]) for n in range(op["line"], end))
    for op in ops:
        line = found[op["qualified_name"]] or found.get(op["prototype_of"] or "", 0)
        op["reference_line"] = line or op["line"]
        op["reference_place"] = f"{spec.name}:{op['reference_line']}"
        op["output_lines"] = _output_lines(lines, op, starts)


def _output_lines(lines: list[str], op: dict[str, Any], starts: list[int]) -> dict[str, int]:
    """The line of each output that the operator itself describes."""
    end = min((start for start in starts if start > op["line"]), default=len(lines) + 1)
    found: dict[str, int] = {}
    inside = False
    for number in range(op["line"], end):
        if key := _KEY.match(lines[number - 1]):
            inside = key["key"] == "output_desc" or (inside and key["key"] in _INSIDE)
        names = [output["name"] for output in op["outputs"]] if inside else []
        for name in names:
            if re.search(rf"\bname:\s*['\"]?{re.escape(name)}\b", lines[number - 1]):
                found.setdefault(name, number)
    return found


def load_rules(spec: Path, seed: int) -> dict[str, SpecRules]:
    """The rules of all operators of a spec, by qualified name. Raises FaultsFound."""
    try:
        model = json.loads(_core.verification(str(spec), SAMPLES, 1 + seed % 2**30))
    except ValueError as error:
        raise FaultsFound(f"{spec} has faults, see 'opweld check {spec}': {error}") from error
    prelude: dict[str, Any] = {}
    exec(model["prelude"], prelude)
    _add_reference_lines(spec, model["ops"])
    return {op["qualified_name"]: SpecRules(op, prelude) for op in model["ops"]}
