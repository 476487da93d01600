"""Reads Python with `ast`: uses of torch.library, calls of operators, libraries that are loaded."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence

from opweld.doctor.facts import (
    Claim,
    ClaimKind,
    Definition,
    Facts,
    Implementation,
    OperatorCall,
    PythonFunction,
)
from opweld.doctor.findings import Finding, Place
from opweld.doctor.schema import Schema, SchemaError, operator_name, parse_schema
from opweld.doctor.sources.python_module import (
    PythonSource,
    conditional_nodes,
    imported_names,
    is_script,
)
from opweld.doctor.sources.python_schema import schema_of_function
from opweld.doctor.sources.text import SourceText

_DEVICE_KEYS = {
    "cpu": "CPU", "npu": "PrivateUse1", "privateuseone": "PrivateUse1", "cuda": "CUDA", "meta": "Meta",
    "xpu": "XPU",
    "mps": "MPS", "default": "CompositeExplicitAutograd",
}  # fmt: skip
_FAKES = {"register_fake", "impl_abstract"}
_LOADERS = {"load_library", "CDLL", "LoadLibrary", "load_inline"}
_WORDS = (
    b"library", b"torch.ops", b"ops.", b"autograd", b"custom_op", b"CDLL", b".backward(",
    b"_CUSTOM_OPP_PATH", b"import _C",
)  # fmt: skip
# Imports that certainly load no library with operators of somebody's own.
_PLAIN_IMPORTS = set(sys.stdlib_module_names) | {
    "torch", "torch_npu", "torchair", "numpy", "pytest", "setuptools", "typing_extensions", "opweld",
    "yaml", "packaging",
}  # fmt: skip


def read_python(source: SourceText) -> tuple[PythonSource | None, Facts, list[Finding]]:
    """A module's tree, facts and the schemas in it that cannot be read."""
    try:
        tree = ast.parse(source.content, source.path)
    except SyntaxError as error:
        place = Place(source.path, error.lineno or 1, error.offset or 1)
        return None, Facts(), [Finding("OW721", place, f"Python cannot read this: {error.msg}")]
    except ValueError as error:
        return (
            None,
            Facts(),
            [Finding("OW721", Place(source.path, 1, 1), f"Python cannot read this: {error}")],
        )
    module = PythonSource(source, tree, imported_names(tree), any(word in source.content for word in _WORDS))
    if not module.relevant:
        return module, Facts(languages={"python"}), []
    reader = _Reader(module)
    reader.read()
    reader.facts.languages.add("python")
    if is_script(source, tree):
        reader.facts.scripts.add(source.path)
    return module, reader.facts, reader.findings


class _Reader:
    def __init__(self, module: PythonSource) -> None:
        self.module = module
        self.facts = Facts()
        self.findings: list[Finding] = []
        # variable -> the lines from which it stands for a library, with namespace and default key
        self.libraries: dict[str, list[tuple[int, str, str]]] = {}
        self.custom_ops: dict[str, str] = {}  # function's name -> operator
        self.functions: dict[str, list[PythonFunction]] = {}
        self.by_node: dict[ast.AST, PythonFunction] = {}
        self.unsure = False  # whether what is being read may never run, or runs in another process
        self.inner = conditional_nodes(module.tree)

    def read(self) -> None:
        classes = [node for node in ast.walk(self.module.tree) if isinstance(node, ast.ClassDef)]
        methods = {member for node in classes for member in node.body}
        for node in ast.walk(self.module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.by_node[node] = PythonFunction(node.name, self.module.source.path, node)
                if node not in methods:
                    self.functions.setdefault(node.name, []).append(self.by_node[node])
        for node in ast.walk(self.module.tree):
            if isinstance(node, ast.Assign):
                self._assignment(node)
            elif isinstance(node, ast.withitem):
                self._library(node.context_expr, node.optional_vars)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._custom_op(node)
        decorators = {id(item) for node in self.by_node for item in node.decorator_list}  # type: ignore[attr-defined]
        for node in ast.walk(self.module.tree):
            self.unsure = node in self.inner
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for decorator in node.decorator_list:
                    self._decorator(decorator, node)
            elif isinstance(node, ast.Call):
                if id(node) not in decorators:
                    self._call(node)
            elif isinstance(node, ast.Attribute):
                self._operator(node)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                self._import(node)

    # ---- namespaces and libraries

    def _assignment(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._library(node.value, target)
        if isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Call):
            inner = node.value.func  # op = torch.library.custom_op("ns::op", ...)(function)
            if self.module.dotted(inner.func) == "torch.library.custom_op" and node.value.args:
                function = self._function(node.value.args[0])
                if function and isinstance(node.targets[0], ast.Name):
                    self._define_custom_op(inner, function, node.targets[0].id)

    def _library(self, value: ast.expr, target: ast.expr | None) -> None:
        if not isinstance(value, ast.Call):
            return
        name = self.module.dotted(value.func)
        if name not in ("torch.library.Library", "torch.library._scoped_library") or len(value.args) < 2:
            return
        namespace, kind = _text(value.args[0]), _text(value.args[1])
        if not namespace or kind not in ("DEF", "FRAGMENT", "IMPL"):
            return
        default = _text(value.args[2]) if len(value.args) > 2 else ""
        variable = self.module.dotted(target) if target is not None else ""
        self.libraries.setdefault(variable, []).append((value.lineno, namespace, default or ""))
        claim: ClaimKind = "library" if kind == "DEF" else "fragment" if kind == "FRAGMENT" else "impl"
        if name.endswith("_scoped_library"):
            return  # it is gone when its block ends
        self.facts.claims.append(
            Claim(
                namespace,
                claim,
                self.module.place(value.args[0]),
                self.module.place(value.args[1]),
                "python",
                value in self.inner,
            )
        )

    def _library_of(self, node: ast.expr) -> tuple[str, str] | None:
        """Namespace and default key of the library that a variable stands for here."""
        made = self.libraries.get(self.module.dotted(node), [])
        above = [item for item in made if item[0] <= node.lineno] or made
        return max(above)[1:] if above else None

    # ---- definitions

    def _custom_op(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and self.module.dotted(decorator.func) in (
                "torch.library.custom_op",
                "torch.library.triton_op",
            ):
                self._define_custom_op(decorator, self.by_node[node], node.name)

    def _define_custom_op(self, call: ast.Call, function: PythonFunction, variable: str) -> None:
        named = operator_name(_text(call.args[0]) or "") if call.args else None
        if not named or not named[0]:
            return
        place = self.module.place(call.args[0])
        how = self.module.dotted(call.func).rpartition(".")[2]
        written = next((_text(item.value) for item in call.keywords if item.arg == "schema"), None)
        schema = self._schema(written, call, named[1]) if written else None
        if schema is None and not isinstance(function.node, ast.Lambda):
            schema = schema_of_function(named[0], named[1], function.node, call)
        self.facts.definitions.append(
            Definition(
                named[0], named[1], named[2], schema, place, "python", function.node in self.inner, how
            )
        )
        self.custom_ops[variable] = f"{named[0]}::{named[1]}"
        devices = next((item.value for item in call.keywords if item.arg == "device_types"), None)
        keys = self._device_keys(devices)
        for key in keys:
            self._kernel(named, key, function, place, place)

    def _schema(self, text: str, node: ast.AST, name: str = "") -> Schema | None:
        whole = text if not name or operator_name(text) else name + text
        try:
            return parse_schema(whole)
        except SchemaError as error:
            shown = f"the schema {text!r} cannot be read: {error}"
            self.findings.append(Finding("OW708", self.module.place(node), shown))
            return None

    def _define(self, namespace: str, text: str, node: ast.AST, name: str = "") -> None:
        whole = f"{name}{text}" if name else text
        named = operator_name(whole)
        if not named:
            return
        schema = self._schema(whole, node)
        definition = Definition(
            named[0] or namespace,
            named[1],
            named[2],
            schema,
            self.module.place(node),
            "python",
            node in self.inner,
        )
        self.facts.definitions.append(definition)

    # ---- kernels

    def _device_keys(self, node: ast.expr | None) -> list[str]:
        names = (
            [_text(item) for item in node.elts] if isinstance(node, ast.Tuple | ast.List) else [_text(node)]
        )
        if node is None or names == [None]:
            return ["CompositeExplicitAutograd"]
        return [_DEVICE_KEYS.get(name, name) for name in names if name]

    def _function(self, node: ast.expr | None) -> PythonFunction | None:
        if isinstance(node, ast.Lambda):
            return PythonFunction("", self.module.source.path, node)
        if isinstance(node, ast.Name):
            above = [item for item in self.functions.get(node.id, []) if item.node.lineno <= node.lineno]
            return max(above, key=lambda item: item.node.lineno) if above else None
        return None

    def _kernel(
        self,
        named: tuple[str, str, str],
        key: str,
        function: PythonFunction | None,
        place: Place,
        key_place: Place,
        text: str = "",
    ) -> None:
        self.facts.implementations.append(
            Implementation(
                *named,
                key,
                function.name if function else text,
                place,
                key_place,
                "python",
                self.unsure,
                None,
                function,
            )
        )
        if key == "Meta" and function is not None:
            self.module.fakes.append(("::".join(named[:2]), function, place))

    def _decorator(self, decorator: ast.expr, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        function = self.by_node[node]
        call = decorator if isinstance(decorator, ast.Call) else None
        target = call.func if call else decorator
        name = self.module.dotted(target)
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            operator = self.custom_ops.get(target.value.id)
            if operator:
                self._method(operator, target.attr, call.args if call else [], function, decorator)
                return
        if call is not None:
            self._registration(name, call, function)

    def _method(
        self,
        operator: str,
        method: str,
        arguments: Sequence[ast.expr],
        function: PythonFunction | None,
        node: ast.AST,
    ) -> None:
        """A method of what torch.library.custom_op returns."""
        namespace, _, bare = operator.partition("::")
        place = self.module.place(node)
        if method in _FAKES:
            self._kernel((namespace, bare, ""), "Meta", function, place, place)
        elif method == "register_kernel":
            for key in self._device_keys(arguments[0] if arguments else None):
                self._kernel((namespace, bare, ""), key, function, place, place)
        elif method == "register_autograd":
            self._autograd((namespace, bare, ""), function, place)

    def _autograd(self, named: tuple[str, str, str], function: PythonFunction | None, place: Place) -> None:
        self._kernel(named, "Autograd", function, place, place)
        if function is not None:
            self.module.backwards.append(("::".join(named[:2]), function, place))

    def _registration(self, name: str, call: ast.Call, function: PythonFunction | None) -> None:
        """A call of a function of torch.library with `function` as what is registered."""
        short = name.removeprefix("torch.library.")
        if short == name or not call.args:
            return
        operator = self._operator_argument(call.args[0])
        place = self.module.place(call.args[0])
        if short in _FAKES and operator:
            self._kernel(operator, "Meta", function, place, place)
        elif short == "register_autograd" and operator:
            self._autograd(operator, function, place)
        elif short == "register_kernel" and operator and len(call.args) > 1:
            for key in self._device_keys(call.args[1]):
                self._kernel(operator, key, function, place, self.module.place(call.args[1]))
        elif short == "impl":
            self._impl(call, function, place, operator)

    def _impl(
        self,
        call: ast.Call,
        function: PythonFunction | None,
        place: Place,
        operator: tuple[str, str, str] | None,
    ) -> None:
        library = self._library_of(call.args[0])
        if library and len(call.args) > 1:  # impl(library, "op", "Key")
            self._library_impl(library, call.args[1:], call, function)
        elif operator and len(call.args) > 1:  # impl("ns::op", "device")
            for key in self._device_keys(call.args[1]):
                self._kernel(operator, key, function, place, self.module.place(call.args[1]))

    def _library_impl(
        self,
        library: tuple[str, str],
        arguments: Sequence[ast.expr],
        call: ast.Call,
        function: PythonFunction | None,
    ) -> None:
        """`arguments` are the operator's name and, where given, the key."""
        name = _text(arguments[0])
        named = operator_name(name) if name else None
        if isinstance(arguments[0], ast.Attribute):
            named = self._operator_argument(arguments[0])
        if not named:
            return
        node = arguments[1] if len(arguments) > 1 else _keyword(call, "dispatch_key")
        key = (_text(node) if node is not None else library[1]) or library[1] or "CompositeImplicitAutograd"
        place = self.module.place(arguments[0])
        key_place = self.module.place(node) if node is not None else place
        # "NPU" is what torch_npu calls PrivateUse1 in Python.
        key = {"NPU": "PrivateUse1", "AutogradNPU": "AutogradPrivateUse1"}.get(key, key)
        self._kernel((named[0] or library[0], named[1], named[2]), key, function, place, key_place)

    def _operator_argument(self, node: ast.expr) -> tuple[str, str, str] | None:
        text = _text(node)
        if text and "::" in text:
            return operator_name(text)
        dotted = self.module.dotted(node)
        if dotted.startswith("torch.ops."):
            parts = dotted.split(".")[2:]
            if len(parts) >= 2:
                return parts[0], parts[1], parts[2] if len(parts) > 2 and parts[2] != "default" else ""
        if isinstance(node, ast.Name) and node.id in self.custom_ops:
            namespace, _, bare = self.custom_ops[node.id].partition("::")
            return namespace, bare, ""
        return None

    # ---- calls and imports

    def _call(self, call: ast.Call) -> None:
        name = self.module.dotted(call.func)
        if name.rpartition(".")[2] in _LOADERS and name.count("."):
            self.facts.loads_library = True
        if name == "torch.library.define" and len(call.args) > 1 and _text(call.args[0]):
            self._define("", _text(call.args[1]) or "", call.args[1], _text(call.args[0]) or "")
            return
        if isinstance(call.func, ast.Call):  # torch.library.impl(library, "op", "Key")(function)
            self._registration(
                self.module.dotted(call.func.func),
                call.func,
                self._function(call.args[0] if call.args else None),
            )
            return
        if isinstance(call.func, ast.Attribute):
            library = self._library_of(call.func.value)
            if library and call.func.attr == "define" and call.args:
                if _text(call.args[0]):
                    self._define(library[0], _text(call.args[0]) or "", call.args[0])
                else:
                    self.facts.opaque.add(library[0])
            elif library and call.func.attr == "impl" and len(call.args) > 1:
                function = self._function(call.args[1])
                self._library_impl(library, [call.args[0], *call.args[2:3]], call, function)
            elif isinstance(call.func.value, ast.Name) and call.func.value.id in self.custom_ops:
                self._custom_op_call(call, self.custom_ops[call.func.value.id], call.func.attr)
                return
        position = {"register_kernel": 2, "impl": 2}.get(name.removeprefix("torch.library."), 1)
        if name.startswith("torch.library.") and len(call.args) > position:
            self._registration(name, call, self._function(call.args[position]))

    def _custom_op_call(self, call: ast.Call, operator: str, method: str) -> None:
        position = 1 if method == "register_kernel" else 0
        if len(call.args) > position:
            self._method(operator, method, call.args[:1], self._function(call.args[position]), call)

    def _operator(self, node: ast.Attribute) -> None:
        value = node.value
        if isinstance(value, ast.Attribute) and self.module.dotted(value.value) == "torch.ops":
            start = self.module.source.offset(node.end_lineno or 1, (node.end_col_offset or 0)) - len(
                node.attr
            )
            place = self.module.source.place(start, start + len(node.attr))
            self.facts.operator_calls.append(OperatorCall(value.attr, node.attr, place))

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        """The import of an extension module (`from . import _C`) registers what is in it."""
        if isinstance(node, ast.ImportFrom) and node.level:
            names = [alias.name for alias in node.names] if not node.module else [node.module]
            if any(name.startswith("_C") or name.endswith(("_lib", "_ext")) for name in names):
                self.facts.loads_library = True
            return
        modules = (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        )
        self.facts.imports |= {name.partition(".")[0] for name in modules} - _PLAIN_IMPORTS


def _text(node: ast.expr | None) -> str | None:
    """A string constant's value (also one in pieces)."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((item.value for item in call.keywords if item.arg == name), None)
