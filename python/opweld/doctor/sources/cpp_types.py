"""Which C++ types a kernel may take and return for a schema's types."""

from __future__ import annotations

import re

from opweld.doctor.schema import Type

_QUALIFIER = re.compile(r"\b(?:at|c10|torch|std|at::indexing)::|\bconst\b|\btypename\b|^::|&|\s+")
_ALIASES = {"string_view": "str", "string": "str", "basic_string_view<char>": "str", "longlong": "int64_t"}
_PLAIN = {
    "Tensor": ("Tensor",),
    "int": ("int64_t",),
    "SymInt": ("int64_t", "SymInt"),
    "float": ("double",),
    "bool": ("bool",),
    "str": ("str",),
    "Scalar": ("Scalar",),
    "ScalarType": ("ScalarType",),
    "Layout": ("Layout",),
    "Device": ("Device",),
    "MemoryFormat": ("MemoryFormat",),
    "Generator": ("Generator",),
}
_SHOWN = {"str": "c10::string_view", "Tensor": "const at::Tensor&"}
# Types that PyTorch's dispatcher refuses; anything unknown may be an alias and is left alone.
_WRONG = {
    "int", "long", "short", "unsigned", "unsignedint", "int32_t", "uint32_t", "uint64_t", "size_t",
    "float", "char*",
    "int16_t", "int8_t", "uint8_t", "void", "longdouble",
}  # fmt: skip


def normalised(cpp_type: str) -> str:
    """A C++ type without qualifiers, references and the namespaces of PyTorch."""
    bare = _QUALIFIER.sub("", cpp_type)
    for name, short in _ALIASES.items():
        bare = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", short, bare)
    return bare


def accepted(kind: Type) -> tuple[str, ...] | None:
    """The normalised C++ types for a schema's type, the usual one first; None where they are not known."""
    base = _PLAIN.get(kind.base)
    if base is None:
        return None
    current = list(base)
    for index, suffix in enumerate(kind.suffixes):
        if suffix == "?":
            optional = [f"optional<{item}>" for item in current]
            if index and kind.base in ("int", "SymInt"):
                optional += ["OptionalIntArrayRef", "OptionalSymIntArrayRef"]
                optional += [f"OptionalArrayRef<{item}>" for item in base]
            if kind.base == "Tensor" and index == 0:
                optional += ["OptionalTensorRef"]
            current = optional
        else:
            current = _lists(kind, current, suffix)
    return tuple(current)


def _lists(kind: Type, current: list[str], suffix: str) -> list[str]:
    made = []
    if kind.base in ("int", "SymInt") and len(kind.suffixes) <= 2 and "optional" not in current[0]:
        made += ["IntArrayRef"] + (["SymIntArrayRef"] if kind.base == "SymInt" else [])
    if kind.base == "Tensor" and "optional" not in current[0]:
        made += ["TensorList", "ITensorListRef"]
    if kind.base == "Tensor" and "optional" in current[0]:
        made += ["List<optional<Tensor>>", "IOptTensorListRef"]
    for item in current:
        made += [f"ArrayRef<{item}>", f"vector<{item}>", f"List<{item}>"]
        if suffix != "[]":
            made.append(f"array<{item},{suffix[1:-1]}>")
    return made


def is_known(bare: str) -> bool:
    """Whether a normalised type is a type of its own, and no alias that could stand for anything."""
    if bare in _WRONG or bare in {name for names in _PLAIN.values() for name in names}:
        return True
    match = re.fullmatch(r"(optional|ArrayRef|vector|List|OptionalArrayRef|array|tuple)<(.*)>", bare)
    if match:
        inner = [part for part in _split(match[2]) if not part.isdigit()]
        return all(is_known(part) for part in inner)
    return bare in (
        "IntArrayRef",
        "SymIntArrayRef",
        "TensorList",
        "OptionalIntArrayRef",
        "OptionalSymIntArrayRef",
    )


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        depth += (character == "<") - (character == ">")
        if character == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]]


def shown(kind: Type) -> str:
    """The usual C++ type for a schema's type, for messages."""
    types = accepted(kind)
    if not types:
        return str(kind)
    if kind.mutated and not kind.suffixes:
        return "at::Tensor&"
    if str(kind) == "Tensor":
        return _SHOWN["Tensor"]
    text = types[0].replace("str", "c10::string_view") if kind.base == "str" else types[0]
    text = re.sub(r"\boptional<", "std::optional<", text)
    text = re.sub(
        r"\b(?<!:)(Tensor|Scalar|ScalarType|Layout|Device|MemoryFormat|Generator|IntArrayRef|TensorList)\b",
        r"at::\1",
        text,
    )
    return re.sub(r"\b(?<!:)(SymInt|SymIntArrayRef|List|ArrayRef)\b", r"c10::\1", text)


def matches(cpp_type: str, kind: Type) -> bool:
    """Whether a C++ type may stand for a schema's type; true where it cannot be told."""
    types = accepted(kind)
    bare = normalised(cpp_type)
    return types is None or bare in types or not is_known(bare)


def returns_match(cpp_type: str, kinds: tuple[Type, ...]) -> bool:
    """Whether a C++ return type may stand for a schema's results; true where it cannot be told."""
    bare = normalised(cpp_type)
    if not kinds:
        return bare == "void" or not is_known(bare)
    if len(kinds) == 1:
        return matches(cpp_type, kinds[0])
    tuple_match = re.fullmatch(r"tuple<(.*)>", bare)
    if tuple_match:
        parts = _split(tuple_match[1])
        return len(parts) == len(kinds) and all(
            matches(part, kind) for part, kind in zip(parts, kinds, strict=True)
        )
    return not is_known(bare)


def returns_shown(kinds: tuple[Type, ...]) -> str:
    """The usual C++ return type for a schema's results."""
    plain = [
        shown(kind).removeprefix("const ").removesuffix("&") if not kind.mutated else shown(kind)
        for kind in kinds
    ]
    if not kinds:
        return "void"
    return plain[0] if len(kinds) == 1 else f"std::tuple<{', '.join(plain)}>"
