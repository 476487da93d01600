"""What sources say about operators, whatever the language: who claims, defines, implements, calls what."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from opweld.doctor.findings import Place
from opweld.doctor.schema import Schema

if TYPE_CHECKING:
    import tree_sitter

Language = Literal["cpp", "python", "yaml"]
ClaimKind = Literal["library", "fragment", "impl"]


@dataclass(frozen=True)
class Claim:
    """A registration block of a namespace. `kind_place` marks the word that says of which kind it is."""

    namespace: str
    kind: ClaimKind
    place: Place
    kind_place: Place
    language: Language
    conditional: bool = False


@dataclass(frozen=True)
class Definition:
    """An operator's schema; `schema` is None where it cannot be read or is inferred from a function."""

    namespace: str
    name: str
    overload: str
    schema: Schema | None
    place: Place
    language: Language
    conditional: bool = False
    how: str = ""  # custom_op, triton_op, inferred, spec, or empty

    @property
    def qualified(self) -> str:
        """`ns::name.overload`."""
        return qualified(self.namespace, self.name, self.overload)


@dataclass(frozen=True)
class Implementation:
    """A kernel of an operator for a dispatch key. `function` is what the source calls it, "" for a lambda."""

    namespace: str
    name: str
    overload: str
    key: str
    function: str
    place: Place
    key_place: Place
    language: Language
    conditional: bool = False
    cpp: CppFunction | None = None
    python: PythonFunction | None = None

    @property
    def qualified(self) -> str:
        """`ns::name.overload`."""
        return qualified(self.namespace, self.name, self.overload)


@dataclass(frozen=True)
class AclnnCall:
    """A call of an aclnn function; `arguments` are the sources of what is passed, None where unknown."""

    function: str
    arguments: tuple[str, ...] | None
    macro: str
    place: Place
    macro_place: Place


@dataclass(frozen=True)
class AclnnDefinition:
    """One phase of an aclnn function, defined or declared in a source."""

    function: str
    phase: Literal["workspace", "run"]
    parameters: tuple[str, ...]
    place: Place
    is_definition: bool
    is_c: bool


@dataclass(frozen=True)
class OperatorCall:
    """`torch.ops.ns.name` in Python."""

    namespace: str
    name: str
    place: Place


@dataclass
class BoundModule:
    """A Python module that C++ makes with PYBIND11_MODULE."""

    name: str  # as written; TORCH_EXTENSION_NAME leaves it to the build
    attributes: set[str]
    is_open: bool  # whether more is put into it than what stands here
    place: Place


@dataclass
class CppFunction:
    """A C++ function or lambda; types are texts as in the source."""

    name: str
    path: str
    parameters: list[tuple[str, str]]
    returns: str
    place: Place
    node: tree_sitter.Node
    owner: str = ""  # the class, for a member


@dataclass
class PythonFunction:
    """A Python function or lambda."""

    name: str
    path: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

    @property
    def parameters(self) -> list[str]:
        """The names of its parameters that can be given by position."""
        arguments = self.node.args
        return [argument.arg for argument in [*arguments.posonlyargs, *arguments.args]]


@dataclass
class Facts:
    """All facts of some sources."""

    claims: list[Claim] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    implementations: list[Implementation] = field(default_factory=list)
    aclnn_calls: list[AclnnCall] = field(default_factory=list)
    aclnn_definitions: list[AclnnDefinition] = field(default_factory=list)
    operator_calls: list[OperatorCall] = field(default_factory=list)
    functions: list[CppFunction] = field(default_factory=list)
    modules: list[BoundModule] = field(default_factory=list)
    opaque: set[str] = field(default_factory=set)  # namespaces with schemas that are not written out
    imports: set[str] = field(default_factory=set)  # packages that Python imports and that may load libraries
    scripts: set[str] = field(default_factory=set)  # Python files that run in processes of their own
    loads_library: bool = False
    languages: set[Language] = field(default_factory=set)

    def add(self, other: Facts) -> None:
        """Takes over all of `other`."""
        self.claims += other.claims
        self.definitions += other.definitions
        self.implementations += other.implementations
        self.aclnn_calls += other.aclnn_calls
        self.aclnn_definitions += other.aclnn_definitions
        self.operator_calls += other.operator_calls
        self.functions += other.functions
        self.modules += other.modules
        self.scripts |= other.scripts
        self.opaque |= other.opaque
        self.imports |= other.imports
        self.loads_library |= other.loads_library
        self.languages |= other.languages

    def meet(self, first: Place, second: Place) -> bool:
        """Whether the code at two places runs in one process."""
        same = first.subject == second.subject
        return same or not self.scripts & {first.subject, second.subject}

    def kernels(self, operator: str) -> Iterator[Implementation]:
        """The kernels of an operator (`ns::name.overload`)."""
        return (item for item in self.implementations if item.qualified == operator)


def qualified(namespace: str, name: str, overload: str = "") -> str:
    """`ns::name.overload`; `default` is no overload of its own."""
    suffix = f".{overload}" if overload and overload != "default" else ""
    return f"{namespace}::{name}{suffix}"
