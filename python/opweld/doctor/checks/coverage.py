"""Which kernels an operator lacks, and which it has under the wrong key (OW706, OW707, OW709 to OW712, OW718,
OW801, OW821, OW829)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from opweld.doctor import keys
from opweld.doctor.checks.registration import OWNED
from opweld.doctor.facts import CppFunction, Definition, Facts, Implementation
from opweld.doctor.findings import Finding
from opweld.doctor.schema import Schema
from opweld.doctor.sources import cpp_types

_DEVICE_CODE = re.compile(r"\bEXEC_NPU\w*|\baclnn[A-Z]\w*|\bOpCommand\b|\baclop\w+|launcher::Function")
_BACKWARD = re.compile(r"(^|_)(backward|grad|bwd)(_|$|v\d)", re.IGNORECASE)


def check(facts: Facts, training: set[str]) -> list[Finding]:
    """All findings of these rules; `training` are the Python sources that take gradients."""
    trained = {(call.namespace, call.name) for call in facts.operator_calls if call.place.subject in training}
    findings: list[Finding] = []
    names = {item.qualified for item in facts.definitions}
    for definition in facts.definitions:
        if definition.how == "spec" or (definition.schema is None and definition.how != "inferred"):
            continue
        kernels = [
            item
            for item in facts.kernels(definition.qualified)
            if item.key in keys.KNOWN or item.key in keys.NPU_NAMES
        ]
        wrong_key = any(item.key not in keys.KNOWN for item in facts.kernels(definition.qualified))
        misplaced = list(_misplaced(definition, kernels))
        findings += misplaced
        if definition.schema is not None:
            findings += _signatures(definition, definition.schema, kernels)
        if not misplaced and not wrong_key and not _misspelt(definition, facts, names):
            trains = (definition.namespace, definition.name) in trained or (
                definition.how == "custom_op" and definition.place.subject in training
            )
            findings += _missing(definition, kernels, names, trains)
    findings += _calls(facts)
    return findings


def _misspelt(definition: Definition, facts: Facts, names: set[str]) -> bool:
    """Whether kernels of an operator that nobody defines are probably meant for this one."""
    strays = {item.qualified for item in facts.implementations} - names
    return bool(difflib.get_close_matches(definition.qualified, sorted(strays), n=1, cutoff=0.8))


def _keys_of(kernels: Iterable[Implementation]) -> set[str]:
    return {item.key for item in kernels}


def _missing(
    definition: Definition, kernels: list[Implementation], names: set[str], trains: bool
) -> Iterable[Finding]:
    have, name, schema = _keys_of(kernels), definition.qualified, definition.schema
    if definition.how in ("triton_op", "inferred"):
        return
    if not keys.serves_npu(have):
        others = sorted(have - {"Meta"})
        told = f"only for {', '.join(others)}" if others else "none at all"
        yield Finding("OW706", definition.place, f"{name} has no kernel for PrivateUse1 ({told})")
    returns = schema.returns if schema else ()
    custom = definition.how == "custom_op"
    if (custom and returns and "Meta" not in have) or not (custom or keys.serves_meta(have)):
        yield Finding(
            "OW801",
            definition.place,
            f"{name} has no Meta kernel, so torch.compile and torch.export cannot trace it",
        )
    if schema is not None and not keys.serves_autograd(have) and _differentiable(schema):
        backward = [known for known in names if re.fullmatch(rf"{re.escape(name)}_(backward|grad)", known)]
        if backward:
            yield Finding(
                "OW821",
                definition.place,
                f"{name} has no autograd kernel, although {backward[0]} looks like its backward",
            )
        elif trains:
            yield Finding(
                "OW821",
                definition.place,
                f"{name} has no autograd kernel, but a program takes gradients: none flows through it",
            )
        else:
            yield Finding(
                "OW829", definition.place, f"{name} has no autograd kernel: no gradient flows through it"
            )


def _differentiable(schema: Schema) -> bool:
    takes = any(argument.type.base == "Tensor" for argument in schema.arguments)
    gives = any(kind.base == "Tensor" for kind in schema.returns)
    return takes and gives and not schema.mutable and not _BACKWARD.search(schema.name)


def _misplaced(definition: Definition, kernels: list[Implementation]) -> Iterable[Finding]:
    have, name = _keys_of(kernels), definition.qualified
    for item in kernels:
        body = _text(item.cpp)
        device_code = _DEVICE_CODE.search(body)
        if item.key in keys.COMPOSITE and device_code:
            yield Finding(
                "OW718",
                item.place,
                f"{name} runs {device_code.group()} for every device: its function is registered under "
                f"{item.key}",
            )
            return
    if "CompositeImplicitAutograd" in have and "PrivateUse1" in have:
        if not have & {"Autograd", "AutogradPrivateUse1"}:
            place = next(item.place for item in kernels if item.key == "PrivateUse1")
            yield Finding(
                "OW710",
                place,
                f"{name} has a kernel for PrivateUse1 besides CompositeImplicitAutograd and no autograd "
                "kernel: on the "
                "NPU its gradient is lost",
            )
        return
    if any(key.startswith("Autograd") for key in have):
        return
    for item in kernels:
        if item.key == "PrivateUse1" and item.cpp is not None and _only_calls_operators(item.cpp):
            yield Finding(
                "OW709",
                item.place,
                f"{name} only calls other operators but is registered for PrivateUse1: no gradient, no "
                "other device",
            )


def _text(function: CppFunction | None) -> str:
    return (function.node.text or b"").decode("utf-8", "replace") if function else ""


def _only_calls_operators(function: CppFunction) -> bool:
    from opweld.doctor.sources import cpp

    body = function.node.child_by_field_name("body")
    if body is None:
        return False
    operators = 0
    for call in cpp.descendants(body, "call_expression"):
        name = cpp.called_name(call)
        last = re.split(r"::|\.", name)[-1]
        if name.startswith("TORCH_CHECK") or last in (
            "sizes",
            "size",
            "dim",
            "scalar_type",
            "options",
            "defined",
        ):
            continue
        if not re.fullmatch(r"(at|torch)::\w+|[\w().:,]+\.\w+", name) or last.endswith(("_", "_out")):
            return False
        if last.startswith(
            ("empty", "new_empty", "data", "const_data", "mutable_data", "call", "run", "apply")
        ):
            return False
        operators += 1
    return operators > 0


def _signatures(definition: Definition, schema: Schema, kernels: list[Implementation]) -> Iterable[Finding]:
    for item in kernels:
        function = item.cpp
        if function is None or _is_template(function):
            continue
        parameters = [pair for pair in function.parameters if "DispatchKeySet" not in pair[0]]
        if any("OperatorHandle" in kind or "Stack" in kind for kind, _ in parameters):
            continue
        told = _difference(schema, parameters, function.returns)
        if told:
            what = f"function {function.name!r}" if function.name else "the lambda"
            related = ((definition.place, "schema"),)
            yield Finding(
                "OW707",
                function.place,
                f"{what} is registered for {definition.qualified} under {item.key}, but {told}",
                related=related,
            )


def _is_template(function: CppFunction) -> bool:
    parent = function.node.parent
    return parent is not None and parent.type == "template_declaration"


def _difference(schema: Schema, parameters: list[tuple[str, str]], returns: str) -> str:
    if len(parameters) != len(schema.arguments):
        takes = "1 argument" if len(parameters) == 1 else f"{len(parameters)} arguments"
        return f"it takes {takes} and the schema has {len(schema.arguments)}"
    for argument, (kind, _) in zip(schema.arguments, parameters, strict=True):
        if not cpp_types.matches(kind, argument.type):
            wanted = cpp_types.shown(argument.type)
            return f"argument {argument.name!r} is {kind}; for {argument.type} it must be {wanted}"
    if returns and "auto" not in returns and not cpp_types.returns_match(returns, schema.returns):
        wanted = cpp_types.returns_shown(schema.returns)
        return f"it returns {' '.join(returns.split())}; by the schema it must be {wanted}"
    return ""


def _bound(name: str, facts: Facts) -> str:
    """Where a function is that Python calls as an operator, if pybind binds it."""
    module = next((item for item in facts.modules if name in item.attributes), None)
    return f"; {module.place} binds it with pybind, which makes a function of the module" if module else ""


def _calls(facts: Facts) -> Iterable[Finding]:
    """Python's calls of operators: those nobody defines, and those whose library nobody loads."""
    defined: dict[str, set[str]] = {}
    for item in facts.definitions:
        defined.setdefault(item.namespace, set()).add(item.name)
    in_cpp = {(item.namespace, item.name) for item in facts.definitions if item.language == "cpp"}
    in_python = {item.namespace for item in facts.definitions if item.language == "python"}
    loaded = set(OWNED) | facts.opaque | facts.imports
    reported = False
    for call in facts.operator_calls:
        names = defined.get(call.namespace)
        if not names and call.namespace not in loaded:
            owner = [namespace for namespace, own in defined.items() if call.name in own]
            owner = difflib.get_close_matches(call.namespace, owner, n=1, cutoff=0.75)
            if owner:
                yield Finding(
                    "OW712",
                    call.place,
                    f"nothing defines {call.namespace}::{call.name}; did you mean {owner[0]}::{call.name}?",
                    fix=f"Write torch.ops.{owner[0]}.{call.name}.",
                )
        if not names or (call.namespace in OWNED and (call.namespace, call.name) not in in_cpp):
            continue
        if call.name not in names:
            if call.namespace in facts.opaque or call.name.startswith("__"):
                continue
            near = difflib.get_close_matches(call.name, sorted(names), n=1, cutoff=0.6)
            hint = f"; did you mean {near[0]!r}?" if near else _bound(call.name, facts)
            yield Finding(
                "OW712",
                call.place,
                f"nothing defines {call.namespace}::{call.name}{hint}",
                fix=f"Write {near[0]}." if near else "",
            )
        elif (call.namespace, call.name) in in_cpp and not reported:
            if facts.loads_library or facts.imports or call.namespace in in_python:
                continue
            reported = True
            yield Finding(
                "OW711",
                call.place,
                f"{call.namespace}::{call.name} is registered by a C++ library that no Python source loads",
            )
