"""PyTorch's schema language, read without torch: `ns::name.overload(Type name=default, *, ...) -> Type`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAME = re.compile(r"\s*(?:(?P<namespace>[A-Za-z_]\w*)::)?(?P<name>[A-Za-z_]\w*)(?:\.(?P<overload>\w+))?\s*")
_TYPES = {
    "Tensor", "int", "SymInt", "float", "bool", "str", "Scalar", "ScalarType", "Layout", "Device",
    "MemoryFormat", "Generator", "Storage", "Stream", "Dimname", "complex", "QScheme", "t", "Any",
    "SymBool", "DeviceIndex", "number", "AnyEnumType", "None", "DimnameList", "Future", "Capsule",
}  # fmt: skip
_INSTEAD = {
    "int64_t": "int", "int32_t": "int", "long": "int", "size_t": "int", "double": "float",
    "std::string": "str", "string": "str", "String": "str", "at::Tensor": "Tensor", "torch::Tensor": "Tensor",
    "tensor": "Tensor", "Int": "int", "Bool": "bool", "boolean": "bool", "Float": "float",
    "IntArrayRef": "int[]", "TensorList": "Tensor[]", "dtype": "ScalarType", "scalar": "Scalar",
}  # fmt: skip
_BASE = re.compile(r"[A-Za-z_][\w:.]*")
_SUFFIX = re.compile(r"\s*(\[\d*\]|\?|\([^()]*\))")


class SchemaError(ValueError):
    """A schema that cannot be read; `offset` is where, in characters."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(frozen=True)
class Type:
    """A type: its base (`Tensor`), what follows it (`?`, `[]`, `[3]`), and whether it is written to."""

    base: str
    suffixes: tuple[str, ...] = ()
    alias: str = ""

    @property
    def mutated(self) -> bool:
        """Whether its annotation says that it is written to."""
        return "!" in self.alias

    def __str__(self) -> str:
        return self.base + self.alias + "".join(self.suffixes)


@dataclass(frozen=True)
class Argument:
    """One argument."""

    name: str
    type: Type
    keyword_only: bool
    has_default: bool
    default: str = ""  # as it is written, where that is known


@dataclass(frozen=True)
class Schema:
    """A whole schema. `namespace` is empty where it is not written."""

    namespace: str
    name: str
    overload: str
    arguments: tuple[Argument, ...]
    returns: tuple[Type, ...]

    @property
    def mutable(self) -> bool:
        """Whether an argument is written to."""
        return any(argument.type.mutated for argument in self.arguments)

    @property
    def key(self) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
        """What makes two schemas the same operator: arguments and results."""
        arguments = tuple((argument.name, str(argument.type)) for argument in self.arguments)
        return arguments, tuple(str(result) for result in self.returns)


def operator_name(text: str) -> tuple[str, str, str] | None:
    """Namespace, name and overload at the start of a schema or of an operator's name."""
    match = _NAME.match(text)
    return (match["namespace"] or "", match["name"], match["overload"] or "") if match else None


def parse_schema(text: str) -> Schema:
    """Reads a schema. Raises SchemaError."""
    match = _NAME.match(text)
    if not match:
        raise SchemaError("a schema begins with the operator's name", 0)
    position = match.end()
    if text[position : position + 1] != "(":
        raise SchemaError(f"expected '(' after the name {match['name']!r}", position)
    close = _closing(text, position)
    arguments = _arguments(text, position + 1, close)
    rest = re.compile(r"\s*->\s*").match(text, close + 1)
    if not rest:
        raise SchemaError(
            "expected '->' and the result's type after the arguments", min(close + 1, len(text))
        )
    returns = _returns(text, rest.end())
    return Schema(match["namespace"] or "", match["name"], match["overload"] or "", arguments, returns)


def _closing(text: str, start: int) -> int:
    depth = 0
    quote = ""
    for index in range(start, len(text)):
        character = text[index]
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
            if depth == 0:
                return index
    raise SchemaError("the bracket that opens here is not closed", start)


def _parts(text: str, start: int, end: int) -> list[tuple[int, str]]:
    """The parts between commas, each with its offset."""
    parts, depth, begin, quote = [], 0, start, ""
    for index in range(start, end):
        character = text[index]
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append((begin, text[begin:index]))
            begin = index + 1
    if text[begin:end].strip() or parts:
        parts.append((begin, text[begin:end]))
    return [(offset + len(part) - len(part.lstrip()), part.strip()) for offset, part in parts]


def _type(text: str, offset: int) -> tuple[Type, int]:
    """A type at the start of `text`, and how many characters it takes."""
    match = _BASE.match(text)
    if not match:
        raise SchemaError(f"expected a type, found {text[:12]!r}", offset)
    base = match.group()
    if base not in _TYPES and not base.startswith("__torch__."):
        instead = _INSTEAD.get(base) or _INSTEAD.get(base.rpartition("::")[2])
        hint = f"; write {instead}" if instead else ""
        raise SchemaError(f"{base!r} is no type of PyTorch's schemas{hint}", offset)
    position, suffixes, alias = match.end(), [], ""
    while found := _SUFFIX.match(text, position):
        if found[1].startswith("("):
            alias = found[1]
        else:
            suffixes.append(found[1])
        position = found.end()
    return Type(base, tuple(suffixes), alias), position


def _arguments(text: str, start: int, end: int) -> tuple[Argument, ...]:
    arguments: list[Argument] = []
    keyword_only = False
    for offset, part in _parts(text, start, end):
        if part == "*":
            keyword_only = True
            continue
        if not part:
            raise SchemaError("an argument is missing between two commas", offset)
        kind, used = _type(part, offset)
        gap = r"\s*" if kind.suffixes or kind.alias else r"\s+"
        rest = re.fullmatch(gap + r"([A-Za-z_]\w*)\s*(=.*)?", part[used:], re.DOTALL)
        if not rest:
            raise SchemaError(f"expected a name after the type in {part!r}", offset + used)
        if any(known.name == rest[1] for known in arguments):
            raise SchemaError(f"argument {rest[1]!r} is there twice", offset + used)
        default = (rest[2] or "").lstrip("= ")
        arguments.append(Argument(rest[1], kind, keyword_only, rest[2] is not None, default))
    return tuple(arguments)


def _returns(text: str, start: int) -> tuple[Type, ...]:
    body = text[start:].rstrip()
    if not body:
        raise SchemaError("the result's type is missing after '->'", len(text))
    if not body.startswith("("):
        kind, used = _type(body, start)
        rest = body[used:].strip()
        if rest and not re.fullmatch(r"[A-Za-z_]\w*", rest):
            raise SchemaError(f"unexpected {rest[:20]!r} after the result's type", start + used)
        return (kind,)
    close = _closing(text, start)
    if text[close + 1 :].strip():
        raise SchemaError("unexpected text after the results", close + 1)
    return tuple(_type(part, offset)[0] for offset, part in _parts(text, start + 1, close))
