"""Reads the prototypes of the graph engine's standard operators.

They stand in the installed torchair, one function per operator type, each with a text in its docstring:
    REG_OP(Gelu).INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16})).OUTPUT(...).ATTR(...)
Those few that torchair builds by hand stand in `supplement.txt`, in the same form.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

Value: TypeAlias = "bool | int | float | str | list[Value]"

SUPPLEMENT = Path(__file__).with_name("supplement.txt")

VALUE_TYPES = {
    "Int": "VT_INT",
    "Float": "VT_FLOAT",
    "Bool": "VT_BOOL",
    "String": "VT_STRING",
    "Type": "VT_DATA_TYPE",
    "Tensor": "VT_TENSOR",
    "ListInt": "VT_LIST_INT",
    "ListFloat": "VT_LIST_FLOAT",
    "ListBool": "VT_LIST_BOOL",
    "ListString": "VT_LIST_STRING",
    "ListType": "VT_LIST_DATA_TYPE",
    "ListListInt": "VT_LIST_LIST_INT",
    "ListListFloat": "VT_LIST_LIST_FLOAT",
}

_GROUP_MEMBERS = """
QuantifiedType   QINT16 QINT32 QINT8 QUINT16 QUINT8
ComplexDataType  COMPLEX128 COMPLEX64 COMPLEX32
IntegerDataType  INT16 INT32 INT64 INT8 UINT16 UINT32 UINT64 UINT8
SignedDataType   INT16 INT32 INT64 INT8
UnsignedDataType UINT16 UINT32 UINT64 UINT8
FloatingDataType DOUBLE FLOAT FLOAT16
IndexNumberType  INT32 INT64
UnaryDataType    COMPLEX128 COMPLEX64 DOUBLE FLOAT FLOAT16 BF16 COMPLEX32
FLOAT            FLOAT FLOAT16 BF16
RealNumberType   DOUBLE FLOAT FLOAT16 IntegerDataType BF16
OrdinaryType     BOOL COMPLEX128 COMPLEX64 DOUBLE FLOAT FLOAT16 IntegerDataType BF16 COMPLEX32
NumberType       COMPLEX128 COMPLEX64 DOUBLE FLOAT FLOAT16 IntegerDataType QINT32 QINT8 QUINT8 BF16 COMPLEX32
BasicType        COMPLEX128 COMPLEX64 DOUBLE FLOAT FLOAT16 IntegerDataType QuantifiedType BF16 COMPLEX32
ALL              BOOL BasicType RESOURCE STRING
"""


def _read_groups() -> dict[str, tuple[str, ...]]:
    groups: dict[str, tuple[str, ...]] = {}
    for line in _GROUP_MEMBERS.split("\n"):
        name, *members = line.split() or [""]
        dtypes: list[str] = []
        for member in members:
            dtypes += groups[member.lower()] if member.endswith("Type") else [f"DT_{member}"]
        groups[name.lower()] = tuple(dtypes)
    return groups


GROUPS = _read_groups()
TYPES_HEADER = Path(__file__).parents[3] / "include/graph/types.h"
DATA_TYPES = frozenset(re.findall(r"\b(DT_(?!MAX)\w+) = \d+", TYPES_HEADER.read_text(encoding="utf-8")))

# Other spellings that the texts use.
SPELLINGS = {
    "DT_HALF": "DT_FLOAT16",
    "DT_FP16": "DT_FLOAT16",
    "float16": "DT_FLOAT16",
    "DT_FLOAT32": "DT_FLOAT",
    "DT_FP32": "DT_FLOAT",
    "float32": "DT_FLOAT",
    "DT_FLOAT64": "DT_DOUBLE",
    "DT_BFLOAT16": "DT_BF16",
    "DT_COMPLEXT64": "DT_COMPLEX64",
    "DT_RESOURSE": "DT_RESOURCE",
    "DT_FLOAT8_E4M3": "DT_FLOAT8_E4M3FN",
    "DT_FP8_E4M3FN": "DT_FLOAT8_E4M3FN",
    "DT_FP8_E5M2": "DT_FLOAT8_E5M2",
    "DT_FLOAT_E1M2": "DT_FLOAT4_E1M2",
    "DI_UINT16": "DT_UINT16",
    "DA_INT4": "DT_INT4",
    "int32": "DT_INT32",
    "int8": "DT_INT8",
    "BOOL": "DT_BOOL",
}


class PrototypeError(Exception):
    """A text that is no prototype."""


@dataclass(frozen=True)
class Port:
    """An input or output."""

    name: str
    kind: str  # "required", "optional", "dynamic"
    dtypes: tuple[str, ...]  # "DT_FLOAT"; none: any
    symbol: str = ""  # all ports with this symbol have one dtype


@dataclass(frozen=True)
class Attribute:
    """An attribute."""

    name: str
    type: str  # "VT_INT"
    required: bool
    default: Value | None = None


@dataclass
class Prototype:
    """What one operator type looks like."""

    type: str
    inputs: list[Port] = field(default_factory=list)
    outputs: list[Port] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)


PORT_KINDS = {
    "INPUT": ("inputs", "required"),
    "OPTIONAL_INPUT": ("inputs", "optional"),
    "DYNAMIC_INPUT": ("inputs", "dynamic"),
    "OUTPUT": ("outputs", "required"),
    "DYNAMIC_OUTPUT": ("outputs", "dynamic"),
}


def read_dtypes(text: str) -> tuple[str, ...]:
    """Gives the types of `TensorType({DT_FLOAT, BasicType()})`; none (any) where a word is no type."""
    dtypes: list[str] = []
    for word in re.findall(r"\w+", text):
        if word in ("TensorType", "TesnorType"):
            continue
        group = GROUPS.get(word.lower())
        name = SPELLINGS.get(word, word)
        if group is not None:
            dtypes += [dtype for dtype in group if dtype not in dtypes]
        elif name not in DATA_TYPES:
            return ()
        elif name not in dtypes:
            dtypes.append(name)
    return tuple(dtypes)


def _read_scalar(text: str, kind: str) -> Value:
    text = text.strip()
    if kind == "String":
        return text.strip("\"'")
    if kind == "Bool":
        if text.lower() in ("true", "1"):
            return True
        if text.lower() in ("false", "0"):
            return False
    if kind == "Float":
        number = re.fullmatch(r"([-+.\deE]+?)\.?f?(?:\s*/\s*([\d.]+))?", text)
        if number:
            return float(number[1]) / float(number[2] or 1)
    if kind in ("Int", "Type"):
        if re.fullmatch(r"-?\d+", text):
            return int(text)
        name = SPELLINGS.get(text, text)
        if name in DATA_TYPES:
            return name
    raise PrototypeError(f"{text!r} is no {kind}")


def read_value(text: str, kind: str) -> Value:
    """Gives the Python value of a default as C++ spells it: `{1, 2}`, `"ND"`, `1e-5f`, `DT_INT32`."""
    text = text.strip()
    if not kind.startswith("List"):
        return _read_scalar(text, kind)
    if text in ("ge::UNKNOWN_RANK", "ge::UNKNOWN_SHAPE"):
        return [-2 if text.endswith("RANK") else -1]
    if text[:1] + text[-1:] not in ("{}", "[]"):
        raise PrototypeError(f"{text!r} is no list")
    inner, item = text[1:-1].strip(), kind.removeprefix("List")
    if item.startswith("List"):
        return [read_value(part, item) for part in re.findall(r"\{[^{}]*\}", inner)]
    return [_read_scalar(part, item) for part in inner.split(",")] if inner else []


def _read_attribute(arguments: str, required: bool) -> Attribute:
    name, kind, *rest = (part.strip() for part in arguments.split(",", 2))
    kind = kind[:1].upper() + kind[1:]
    if kind not in VALUE_TYPES:
        raise PrototypeError(f"attribute {name} has the unknown type {kind}")
    default = read_value(rest[0], kind) if rest and not required else None
    return Attribute(name, VALUE_TYPES[kind], required or not rest, default)


def read_prototype(text: str) -> Prototype:
    """Reads one text. Raises PrototypeError with what is wrong."""
    prototype: Prototype | None = None
    ports: list[tuple[str, str, str, str]] = []
    symbols: dict[str, tuple[str, ...]] = {}
    for line in text.splitlines():
        part = line.strip().removesuffix("\\n").strip().removeprefix(".")
        call = re.fullmatch(r"(\w+)\((.*)\)", part)
        if not call:
            if part:
                raise PrototypeError(f"{part!r} is no part of a prototype")
            continue
        word, arguments = call[1], call[2]
        if word == "REG_OP":
            prototype = Prototype(arguments.strip())
        elif prototype is None:
            raise PrototypeError(f"{word} stands before REG_OP")
        elif word in PORT_KINDS:
            name, dtypes = (piece.strip() for piece in arguments.split(",", 1))
            ports.append((*PORT_KINDS[word], name, dtypes))
        elif word == "DATATYPE":
            name, dtypes = (piece.strip() for piece in arguments.split(",", 1))
            symbols[name] = read_dtypes(dtypes)
        elif word in ("ATTR", "ATRR", "REQUIRED_ATTR"):
            prototype.attributes.append(_read_attribute(arguments, word == "REQUIRED_ATTR"))
        elif word != "OP_END_FACTORY_REG":
            raise PrototypeError(f"{word} is no part of a prototype")
    if prototype is None:
        raise PrototypeError("no REG_OP")
    for side, kind, name, dtypes in ports:
        symbol = dtypes.strip('"') if dtypes.startswith('"') else ""
        port = Port(name, kind, symbols.get(symbol, ()) if symbol else read_dtypes(dtypes), symbol)
        (prototype.inputs if side == "inputs" else prototype.outputs).append(port)
    return prototype


def _read_texts(path: Path, texts: list[str]) -> dict[str, Prototype]:
    prototypes: dict[str, Prototype] = {}
    for text in texts:
        try:
            prototype = read_prototype(text)
        except PrototypeError as error:
            raise PrototypeError(f"{path}: {text.splitlines()[0]}: {error}") from None
        if prototypes.setdefault(prototype.type, prototype) != prototype:
            raise PrototypeError(f"{path}: {prototype.type} has two prototypes")
    return prototypes


_FIELDS = {
    "i": "VT_INT",
    "f": "VT_FLOAT",
    "b": "VT_BOOL",
    "s": "VT_STRING",
    "dt": "VT_DATA_TYPE",
}
_ZEROS: dict[str, Value] = {
    "VT_INT": 0,
    "VT_FLOAT": 0.0,
    "VT_BOOL": False,
    "VT_STRING": "",
    "VT_DATA_TYPE": "DT_FLOAT",
}


def _unwritten_attributes(function: str, prototype: Prototype) -> Iterator[Attribute]:
    """Gives the attributes that a function sets and its text forgot, with the defaults of its arguments."""
    known = {attribute.name for attribute in prototype.attributes}
    for name, place in dict(re.findall(r'op\.attr\["([a-zA-Z]\w*)"\]\.(\w+) =', function)).items():
        if name not in known:
            kind = _FIELDS[place]
            argument = re.search(rf"\b{name}: \w+ = ([^,\n)]+)", function)
            yield Attribute(name, kind, False, ast.literal_eval(argument[1]) if argument else _ZEROS[kind])


def read_prototypes(path: Path) -> dict[str, Prototype]:
    """Reads all prototypes of torchair's file, and those that it builds by hand, by operator type."""
    functions = re.split(r"^(?=def )", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    texts = [
        re.search(r'^ +"""\s*(REG_OP\(.*?)"""', function, re.MULTILINE | re.DOTALL) for function in functions
    ]
    if not any(texts):
        raise PrototypeError(f"{path} has no REG_OP text; expected torchair's auto_generated_ge_raw_ops.py")
    prototypes = _read_texts(path, [text[1] for text in texts if text])
    for function, text in zip(functions, texts, strict=True):
        if text:  # a few functions make operators of another type than their text says
            prototype = prototypes[read_prototype(text[1]).type]
            prototype.attributes += _unwritten_attributes(function, prototype)
            for name in re.findall(r'op\.type = "(\w+)"', function):
                prototypes.setdefault(name, replace(prototype, type=name))
    supplement = [text for text in SUPPLEMENT.read_text(encoding="utf-8").split("\n\n") if text.strip()]
    return _read_texts(SUPPLEMENT, supplement) | prototypes
