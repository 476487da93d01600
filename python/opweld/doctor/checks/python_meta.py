"""Meta kernels in Python: data, devices, symbolic sizes, order (OW805 to OW809)."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from opweld.doctor.facts import Facts, PythonFunction
from opweld.doctor.findings import Edit, Finding, Place
from opweld.doctor.schema import Schema
from opweld.doctor.sources.python_module import PythonSource

_READS = {"item", "tolist", "numpy", "data_ptr", "__bool__", "__int__", "__float__"}
_FACTORIES = {
    "empty", "zeros", "ones", "full", "rand", "randn", "randint", "arange", "tensor", "empty_strided",
    "eye", "linspace",
}  # fmt: skip
_REDUCTIONS = {"any", "all", "sum", "max", "min", "mean", "eq", "equal", "count_nonzero"}
_NUMBERS = {"int", "float", "bool"}
_SIZES = {"shape", "size", "stride", "numel", "sym_size"}


def check(module: PythonSource, facts: Facts) -> list[Finding]:
    """All findings of these rules in one module; `facts` are the project's."""
    schemas = {item.qualified: item.schema for item in facts.definitions}
    findings: list[Finding] = []
    for operator, function, _ in module.fakes:
        fake = _Fake(module, operator, function, schemas.get(operator))
        findings += fake.check()
    return findings + list(_after_compile(module))


class _Fake:
    def __init__(
        self, module: PythonSource, operator: str, function: PythonFunction, schema: Schema | None
    ) -> None:
        self.module = module
        self.operator = operator
        self.function = function
        arguments = function.node.args
        self.parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        self.tensors = {item.arg for item in self.parameters if _may_be_tensor(item.annotation)}
        self.certain = {item.arg for item in self.parameters if item.annotation and item.arg in self.tensors}
        if schema is not None and len(schema.arguments) == len(self.parameters):
            pairs = list(zip(self.parameters, schema.arguments, strict=True))
            self.tensors = self.certain = {item.arg for item, told in pairs if told.type.base == "Tensor"}
        self.numbers: set[str] = set()  # variables that hold sizes

    def check(self) -> Iterator[Finding]:
        for node in self._nodes():
            if isinstance(node, ast.Assign):
                self._remember(node)
        for node in self._nodes():
            if isinstance(node, ast.Call):
                yield from self._call(node)
            elif isinstance(node, ast.If | ast.While | ast.IfExp):
                yield from self._condition(node)

    def _nodes(self) -> Iterator[ast.AST]:
        body = self.function.node.body
        for node in body if isinstance(body, list) else [body]:
            yield from ast.walk(node)

    def _remember(self, node: ast.Assign) -> None:
        names = [
            item.id for target in node.targets for item in ast.walk(target) if isinstance(item, ast.Name)
        ]
        if _is_size(node.value) or any(self._is_number(part) for part in ast.walk(node.value)):
            self.numbers.update(names)
        elif isinstance(node.value, ast.Call) and self._about_tensor(node.value):
            self.tensors.update(names)

    def _about_tensor(self, node: ast.AST) -> bool:
        """Whether a value of a tensor (not only its shape) is in the expression."""
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute) and part.attr in _SIZES | {"dtype", "device", "ndim", "dim"}:
                return False
        return any(isinstance(part, ast.Name) and part.id in self.tensors for part in ast.walk(node))

    def _call(self, call: ast.Call) -> Iterator[Finding]:
        name = self.module.dotted(call.func)
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if name.startswith("torch.ops.") and "::".join(name.split(".")[2:4]) == self.operator:
            yield self._finding("OW809", call, f"the Meta of {self.operator} calls {self.operator} itself")
        elif method in _READS and not name.startswith(("numpy.", "np.")):
            yield self._finding(
                "OW806", call, f"the Meta of {self.operator} reads a tensor's data with .{method}()"
            )
        elif name in _NUMBERS and call.args:
            yield from self._conversion(name, call)
        elif name == "range" and any(_is_size(item) or self._is_number(item) for item in call.args):
            yield self._finding(
                "OW807", call, f"the Meta of {self.operator} counts over a size, which fixes it"
            )
        elif name.startswith("torch.") and name.removeprefix("torch.") in _FACTORIES:
            yield from self._factory(name, call)
        elif method == "cpu" and not call.args:
            yield self._finding("OW805", call, f"the Meta of {self.operator} moves its result to the CPU")

    def _conversion(self, name: str, call: ast.Call) -> Iterator[Finding]:
        argument = call.args[0]
        if name == "int" and (_is_size(argument) or self._is_number(argument)):
            yield self._finding(
                "OW807",
                call,
                f"the Meta of {self.operator} makes a constant of a size with int(): every size compiles "
                "anew",
                edits=self._unwrap(call),
            )
        elif self._reads_tensor(argument):
            yield self._finding(
                "OW806", call, f"the Meta of {self.operator} reads a tensor's data with {name}()"
            )

    def _reads_tensor(self, node: ast.expr) -> bool:
        """Whether a number is made of a tensor's values: by a reduction, or of what certainly is a tensor."""
        if any(self._is_reduction(part) for part in ast.walk(node)):
            return True
        bare = node.value if isinstance(node, ast.Subscript) else node
        return isinstance(bare, ast.Name) and bare.id in self.certain

    def _is_number(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id in self.numbers

    def _unwrap(self, call: ast.Call) -> tuple[Edit, ...]:
        """`int(x.shape[0])` becomes `x.shape[0]`, where that is no change of precedence."""
        if (
            len(call.args) != 1
            or call.keywords
            or not isinstance(call.args[0], ast.Subscript | ast.Call | ast.Name)
        ):
            return ()
        place, inner = self.module.place(call), self.module.place(call.args[0])
        text = self.module.source.content[inner.start : inner.end].decode()
        return (Edit(place.subject, place.start, place.end, text),)

    def _factory(self, name: str, call: ast.Call) -> Iterator[Finding]:
        device = next((item.value for item in call.keywords if item.arg == "device"), None)
        if any(item.arg is None for item in call.keywords):  # **options may say it
            return
        if device is None:
            yield self._finding(
                "OW805",
                call,
                f"the Meta of {self.operator} makes a tensor on the CPU: {name}() without device=",
                edits=self._with_device(call),
            )
        elif isinstance(device, ast.Constant) and device.value == "cpu":
            yield self._finding("OW805", call, f"the Meta of {self.operator} makes a tensor on the CPU")

    def _with_device(self, call: ast.Call) -> tuple[Edit, ...]:
        """Adds `device=x.device` for the first tensor, where there is one for certain."""
        used = [
            node.value.id
            for node in ast.walk(call)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.attr in _SIZES | {"dtype"}
        ]
        names = [item.arg for item in self.parameters if item.arg in used]
        place = self.module.place(call)
        if not names or self.module.source.content[place.end - 1 : place.end] != b")":
            return ()
        before = self.module.source.content[place.start : place.end - 1].rstrip()
        comma = "" if before.endswith((b",", b"(")) else ", "
        return (Edit(place.subject, place.end - 1, place.end - 1, f"{comma}device={names[0]}.device"),)

    def _condition(self, node: ast.If | ast.While | ast.IfExp) -> Iterator[Finding]:
        if isinstance(node, ast.If) and all(isinstance(item, ast.Raise) for item in node.body):
            reads = [part for part in ast.walk(node.test) if self._is_reduction(part)]
        else:
            reads = [part for part in ast.walk(node.test) if self._is_reduction(part)]
            sizes = [
                part
                for part in ast.walk(node.test)
                if isinstance(part, ast.Compare) and self._compares_size(part)
            ]
            if sizes and not reads:
                yield self._finding(
                    "OW807", sizes[0], f"the Meta of {self.operator} branches on a size, which fixes it"
                )
        if reads:
            yield self._finding(
                "OW806", reads[0], f"the Meta of {self.operator} branches on a tensor's values"
            )

    def _is_reduction(self, node: ast.AST) -> bool:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return False
        return node.func.attr in _REDUCTIONS and self._about_tensor(node)

    def _compares_size(self, node: ast.Compare) -> bool:
        sides = [node.left, *node.comparators]
        if not all(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops):
            return False
        fixed = any(
            isinstance(item, ast.Constant) and item.value not in (0, 1) for item in sides
        )  # 0, 1: fixed anyway
        return fixed and any(_is_one_size(item) for item in sides)

    def _finding(self, rule: str, node: ast.AST, message: str, edits: tuple[Edit, ...] = ()) -> Finding:
        return Finding(rule, self.module.place(node), message, edits=edits)


def _may_be_tensor(annotation: ast.expr | None) -> bool:
    return annotation is None or "Tensor" in ast.unparse(annotation)


def _is_size(node: ast.AST) -> bool:
    return any(
        isinstance(part, ast.Attribute) and part.attr in _SIZES for part in ast.walk(node)
    ) and not any(
        isinstance(part, ast.Call)
        and isinstance(part.func, ast.Name)
        and part.func.id in ("len", "isinstance", "tuple", "list")
        for part in ast.walk(node)
    )


def _is_one_size(node: ast.expr) -> bool:
    """`x.shape[0]`, `x.size(0)`, `x.numel()`: one number, not the whole shape."""
    if isinstance(node, ast.Subscript):
        return (
            isinstance(node.value, ast.Attribute)
            and node.value.attr == "shape"
            and not isinstance(node.slice, ast.Slice)
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr == "numel" or (node.func.attr == "size" and bool(node.args))
    return False


def _after_compile(module: PythonSource) -> Iterable[Finding]:
    """Meta kernels that are registered below a torch.compile at the module's top level."""
    compiled: Place | None = None
    for statement in module.tree.body:
        for operator, function, place in module.fakes:
            registered = statement.lineno <= place.line <= (statement.end_lineno or 0)
            own = isinstance(function.node, ast.FunctionDef) and function.node is statement
            if compiled is not None and (registered or own):
                yield Finding(
                    "OW808",
                    place,
                    f"the Meta of {operator} is registered after the torch.compile of line {compiled.line}",
                    related=((compiled, "torch.compile"),),
                )
        if compiled is None and not isinstance(statement, ast.FunctionDef | ast.ClassDef):
            for node in ast.walk(statement):
                if isinstance(node, ast.Call) and module.dotted(node.func) == "torch.compile":
                    compiled = module.place(node)
                    break
