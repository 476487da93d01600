"""The function table: reads `functions/*.yaml` and `inventory.tsv` and checks them against each other."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml


class TableError(Exception):
    """A fault in the table, with the file and the function it is in."""


@dataclass(frozen=True)
class Kind:
    """A kind of parameter: its C type, and how generated code reads it in a kernel and in a check."""

    c_type: str
    enumerator: str
    kernel: str  # C++ declaration in a kernel, `{n}` the name and `{i}` the index
    kernel_optional: str
    check: str


_INTEGER = ("int64_t {n} = a[{i}].integer()", "const int64_t {n} = a.integer({i})")


def _integer(c_type: str) -> Kind:
    return Kind(c_type, "Integer", _INTEGER[0], "", _INTEGER[1])


def _tensor(c_type: str, role: str) -> Kind:
    return Kind(
        c_type,
        role,
        "at::Tensor& {n} = a[{i}].tensor()",
        "const std::optional<at::Tensor>& {n} = a[{i}].optional_tensor()",
        "const Operand {n} = a.tensor({i})",
    )


def _tensors(c_type: str) -> Kind:
    return Kind(
        c_type,
        "TensorList",
        "std::vector<at::Tensor>& {n} = a[{i}].tensors()",
        "",
        "const Operands {n} = a.tensors({i})",
    )


# Keyword in a signature -> kind. The first seven hold tensors.
KINDS: dict[str, Kind] = {
    "in": _tensor("const aclTensor*", "Tensor"),
    "out": _tensor("aclTensor*", "Tensor"),
    "inout": _tensor("aclTensor*", "Tensor"),
    "ins": _tensors("const aclTensorList*"),
    "outs": _tensors("aclTensorList*"),
    "inouts": _tensors("aclTensorList*"),
    "scalar": Kind(
        "const aclScalar*",
        "Scalar",
        "const at::Scalar& {n} = a[{i}].scalar()",
        "const std::optional<at::Scalar>& {n} = a[{i}].optional_scalar()",
        "const Number {n} = a.scalar({i})",
    ),
    "scalars": Kind(
        "const aclScalarList*",
        "ScalarList",
        "const std::vector<at::Scalar>& {n} = a[{i}].scalars()",
        "",
        "const std::span<const aclScalar* const> {n} = a.scalars({i})",
    ),
    "ints": Kind(
        "const aclIntArray*",
        "IntArray",
        "at::IntArrayRef {n} = a[{i}].integers()",
        "at::OptionalIntArrayRef {n} = a[{i}].optional_integers()",
        "const std::span<const int64_t> {n} = a.integers({i})",
    ),
    "floats": Kind(
        "const aclFloatArray*",
        "FloatArray",
        "c10::ArrayRef<float> {n} = a[{i}].floats()",
        "",
        "const std::span<const float> {n} = a.floats({i})",
    ),
    "bools": Kind(
        "const aclBoolArray*",
        "BoolArray",
        "c10::ArrayRef<bool> {n} = a[{i}].bools()",
        "c10::ArrayRef<bool> {n} = a[{i}].bools()",  # empty where it is absent
        "const std::span<const bool> {n} = a.bools({i})",
    ),
    "int64": _integer("int64_t"),
    "int32": _integer("int32_t"),
    "int8": _integer("int8_t"),
    "uint64": _integer("uint64_t"),
    "dtype": Kind(
        "int32_t",
        "DType",
        "at::ScalarType {n} = a[{i}].dtype()",
        "",
        "const int32_t {n} = static_cast<int32_t>(a.integer({i}))",
    ),
    "double": Kind("double", "Real", "double {n} = a[{i}].real()", "", "const double {n} = a.real({i})"),
    "float": Kind("float", "Real", "double {n} = a[{i}].real()", "", "const double {n} = a.real({i})"),
    "bool": Kind("bool", "Bool", "bool {n} = a[{i}].boolean()", "", "const bool {n} = a.boolean({i})"),
    "string": Kind(
        "const char*",
        "String",
        "std::string_view {n} = a[{i}].string()",
        "",
        "const std::string_view {n} = a.string({i})",
    ),
}
FLOATING = ("floating", "floating_complex", "wide_floating", "wide_floating_complex")  # of dtypes.yaml
TENSOR_ROLES = ("in", "out", "inout", "ins", "outs", "inouts")
LIST_ROLES = ("ins", "outs", "inouts", "scalars")
OUTPUT_ROLES = ("out", "inout", "outs", "inouts")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a function's first phase."""

    name: str
    role: str
    optional: bool
    dtypes: str  # class of dtypes, tensors only

    @property
    def kind(self) -> Kind:
        """The kind behind the role."""
        return KINDS[self.role]


@dataclass(frozen=True)
class Function:
    """One row of the table: a pair of exported functions and the kernel behind them."""

    name: str  # without "aclnn"
    family: str
    parameters: tuple[Parameter, ...]
    kernel: str
    checks: tuple[str, ...]
    pointwise: bool
    fills: bool
    dynamic: bool
    foreach: bool  # the kernel is for one item of the lists
    header: str
    soc: str
    max_workspace: bool  # there is a …GetMaxWorkspaceSize, too
    aliases: dict[str, str] = field(default_factory=dict)  # name in kernel and checks -> parameter

    @property
    def symbol(self) -> str:
        """The exported name."""
        return f"aclnn{self.name}"


def snake_case(name: str) -> str:
    """`GeluBackwardV2` -> `gelu_backward_v2`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


_PARAMETER = re.compile(r"(?P<role>\w+) (?P<name>\w+)(?::(?P<dtypes>\w+))?(?P<optional>\?)?$")
_SIGNATURE = re.compile(r"(?P<name>\w+)\((?P<parameters>.*)\)$")
_KEYS = {
    "sig",
    "each",
    "dtypes",
    "check",
    "kernel",
    "pointwise",
    "fills",
    "dynamic",
    "foreach",
    "inplace",
    "header",
    "soc",
    "max_workspace",
}


def _parse_signature(where: str, text: str, dtypes: str) -> tuple[str, tuple[Parameter, ...]]:
    match = _SIGNATURE.match(" ".join(text.split()))
    if not match:
        raise TableError(f"{where}: not a signature: {text}")
    parameters = []
    for item in match["parameters"].split(", "):
        part = _PARAMETER.match(item)
        if not part or part["role"] not in KINDS:
            raise TableError(f"{where}: not a parameter: '{item}'; roles are {', '.join(KINDS)}")
        optional = bool(part["optional"])
        if optional and part["role"] not in TENSOR_ROLES and not KINDS[part["role"]].kernel_optional:
            raise TableError(f"{where}: a parameter '{part['role']}' can't be optional")
        parameters.append(Parameter(part["name"], part["role"], optional, part["dtypes"] or dtypes))
    return match["name"], tuple(parameters)


def _inplace_twin(function: Function) -> Function:
    first = function.parameters[0]
    outputs = [p for p in function.parameters if p.role in ("out", "outs")]
    if first.role not in ("in", "ins") or len(outputs) != 1:
        raise TableError(f"{function.name}: 'inplace' needs a first input and exactly one output")
    kept = [p for p in function.parameters[1:] if p is not outputs[0]]
    target = replace(first, role=f"inout{'s' if first.role == 'ins' else ''}")
    # Where the result is a floating-point number, the input that becomes it must be one.
    promoted = outputs[0].dtypes in FLOATING and first.dtypes not in FLOATING
    return replace(
        function,
        name=f"Inplace{function.name}",
        parameters=(target, *kept),
        checks=(*function.checks, *([f"holds_floating({first.name})"] if promoted else [])),
        aliases={outputs[0].name: first.name},
    )


def _default_header(name: str) -> str:
    return snake_case(name.removeprefix("Inplace"))


def _rows(family: str, entry: dict[str, Any], inventory: dict[str, Known]) -> list[Function]:
    where = f"functions/{family}.yaml: {entry.get('sig', entry)}"
    unknown = set(entry) - _KEYS
    if unknown or "sig" not in entry or "kernel" not in entry:
        raise TableError(f"{where}: needs 'sig' and 'kernel'; unknown keys: {sorted(unknown)}")
    each = entry.get("each", [""])
    names = each if isinstance(each, dict) else {name: snake_case(name) for name in each}
    rows = []
    for name, value in names.items():

        def fill(text: str, name: str = name, value: str = value) -> str:
            return text.replace("{N}", name).replace("{f}", value)

        function_name, parameters = _parse_signature(where, fill(entry["sig"]), entry.get("dtypes", "number"))
        row = Function(
            name=function_name,
            family=family,
            parameters=parameters,
            kernel=fill(entry["kernel"]).strip().rstrip(";"),
            checks=tuple(c.strip() for c in fill(entry.get("check", "")).split(";") if c.strip()),
            pointwise=bool(entry.get("pointwise", False)),
            fills=bool(entry.get("fills", False)),
            dynamic=bool(entry.get("dynamic", False)),
            foreach=bool(entry.get("foreach", False)),
            header=fill(entry.get("header", _default_header(function_name))),
            soc=entry.get("soc", ""),
            max_workspace=bool(entry.get("max_workspace", False)),
        )
        rows.append(row)
        if entry.get("inplace"):
            twin = _inplace_twin(row)
            if twin.symbol in inventory:
                rows.append(twin)
    return rows


@dataclass(frozen=True)
class Known:
    """A line of inventory.tsv: an aclnn name that torch_npu knows."""

    name: str
    when_missing: str  # "fail": exported with an error; "absent": not exported, torch_npu takes an older path
    types: tuple[str, ...]  # empty: not known


def read_inventory(path: Path) -> dict[str, Known]:
    """All names of inventory.tsv."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {
            row["name"]: Known(
                row["name"], row["when_missing"], tuple(t for t in (row["types"] or "").split(", ") if t)
            )
            for row in rows
        }


def _check_against(function: Function, inventory: dict[str, Known]) -> None:
    known = inventory.get(function.symbol)
    if known is None:
        raise TableError(f"{function.symbol} (functions/{function.family}.yaml) is not in inventory.tsv")
    types = tuple(p.kind.c_type.removeprefix("const ") for p in function.parameters)
    wanted = tuple("int32_t" if t == "aclDataType" else t for t in known.types)
    if wanted and types != wanted:
        raise TableError(
            f"{function.symbol} (functions/{function.family}.yaml) has the C types\n  {', '.join(types)}\n"
            f"but torch_npu calls it with\n  {', '.join(wanted)}"
        )


def read_table(folder: Path, inventory: dict[str, Known]) -> dict[str, list[Function]]:
    """All families: file name -> rows. Raises TableError for the first fault."""
    families: dict[str, list[Function]] = {}
    seen: dict[str, str] = {}
    for path in sorted(folder.glob("*.yaml")):
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        rows = [row for entry in document["functions"] for row in _rows(path.stem, entry, inventory)]
        for row in rows:
            if row.name in seen:
                raise TableError(f"{row.symbol} is in functions/{seen[row.name]}.yaml and in {path.name}")
            seen[row.name] = path.stem
            _check_against(row, inventory)
        families[path.stem] = rows
    return families


@dataclass(frozen=True)
class DTypeClass:
    """A class of dtypes, and the unit of the SoC that limits it further: "any", "vector" or "cube"."""

    unit: str
    dtypes: tuple[str, ...]


def read_dtypes(path: Path) -> dict[str, DTypeClass]:
    """The classes of dtypes.yaml by name."""
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {
        name: DTypeClass(value["unit"], tuple(value["dtypes"]))
        if isinstance(value, dict)
        else DTypeClass("vector", tuple(value))
        for name, value in document.items()
    }
