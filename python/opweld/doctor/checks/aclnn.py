"""Calls of aclnn functions: their existence, phases and arguments (OW901 to OW904, OW908, OW910)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from pathlib import Path

from opweld import vendor
from opweld.doctor.facts import AclnnCall, AclnnDefinition, CppFunction, Facts
from opweld.doctor.findings import Edit, Finding, Place
from opweld.doctor.functions import Functions
from opweld.doctor.sources.cpp import read_cpp
from opweld.doctor.sources.text import SourceText, read_source

_INSIDE = {"EXEC_NPU_CMD", "EXEC_NPU_CMD_V1", "EXEC_NPU_CMD_V2"}
_TENSOR = re.compile(r"\baclTensor\s*\*")


def check(facts: Facts, functions: Functions, texts: dict[str, SourceText]) -> list[Finding]:
    """All findings of these rules. `functions` are those that the process would find."""
    own = _own(facts)
    declared = declarations(functions)
    findings = [*_macros(facts, texts), *_halves(own)]
    for call in facts.aclnn_calls:
        phases = own.get(call.function, [])
        if not phases:
            findings += existence(call.function, call.place, functions, frozenset(own))
        findings += _arguments(call, phases or declared.get(call.function, []), facts)
    return findings


def declarations(functions: Functions) -> dict[str, list[AclnnDefinition]]:
    """The functions that the C headers of the vendor packages on the path declare."""
    found = Facts()
    for library in functions.libraries:
        folder = Path(library).parents[1] / "include" if library.endswith(vendor.LIBRARY.name) else None
        if folder is not None and folder.is_dir():
            for header in sorted(folder.rglob("*.h")):
                found.add(read_cpp(read_source(header, str(header)))[0])
    return _own(found)


def _own(facts: Facts) -> dict[str, list[AclnnDefinition]]:
    own: dict[str, list[AclnnDefinition]] = {}
    for item in facts.aclnn_definitions:
        own.setdefault(item.function, []).append(item)
    return own


def _macros(facts: Facts, texts: dict[str, SourceText]) -> Iterator[Finding]:
    for call in facts.aclnn_calls:
        if call.macro not in _INSIDE:
            continue
        content = texts[call.place.subject].content
        if "op_plugin" in Path(call.place.subject).absolute().parts:  # torch_npu's own sources
            continue
        edits = ()
        if (
            b"op_api_common_base.h" in content
            or b"EXEC_NPU_CMD_EXT" in content
            or b"npu_cpp_extension.h" in content
        ):
            place = call.macro_place
            edits = (Edit(place.subject, place.start, place.end, f"{call.macro}_EXT"),)  # type: ignore[assignment]
        yield Finding(
            "OW908",
            call.macro_place,
            f"{call.macro} does not link outside torch_npu; write {call.macro}_EXT",
            edits=edits,
        )


def _halves(own: dict[str, list[AclnnDefinition]]) -> Iterator[Finding]:
    for function, items in own.items():
        defined = [item for item in items if item.is_definition]
        phases = {item.phase for item in defined}
        if len(phases) == 1:
            missing = function if phases == {"workspace"} else f"{function}GetWorkspaceSize"
            yield Finding(
                "OW902", defined[0].place, f"{function} has only one of its two phases: {missing} is missing"
            )
        declared_c = {item.phase for item in items if item.is_c}
        for item in defined:
            if item.phase not in declared_c and not declared_c:
                suffix = "GetWorkspaceSize" if item.phase == "workspace" else ""
                yield Finding(
                    "OW910", item.place, f'{function}{suffix} is not extern "C": its exported name is mangled'
                )
                break


def existence(
    function: str, place: Place, functions: Functions, own_names: frozenset[str] = frozenset()
) -> Iterator[Finding]:
    """Whether a process finds a function; `own_names` are those that the examined sources define."""
    if not functions.known or function in functions.absent:
        return
    phases = functions.phases(function)
    if phases == 2:
        return
    if phases == 1:
        yield Finding(
            "OW902",
            place,
            f"{function}: only one of its two phases is in {functions.where(function)}",
        )
        return
    elsewhere = functions.elsewhere.get(function)
    if elsewhere is not None:
        yield Finding(
            "OW904",
            place,
            f"{function} is in the vendor package {elsewhere}, which is not on ASCEND_CUSTOM_OPP_PATH",
            fix=f"export ASCEND_CUSTOM_OPP_PATH={elsewhere}, or start the program with opweld run.",
        )
        return
    near = difflib.get_close_matches(function, sorted(functions.names() | own_names), n=1, cutoff=0.85)
    hint = f"; did you mean {near[0]}?" if near else ""
    yield Finding(
        "OW901",
        place,
        f"{function} is in no vendor package, nor in {functions.built_in}{hint}",
        fix=f"Write {near[0]}." if near else "",
    )


def _arguments(call: AclnnCall, own: list[AclnnDefinition], facts: Facts) -> Iterator[Finding]:
    workspace = next((item for item in own if item.phase == "workspace"), None)
    if workspace is None or call.arguments is None or len(workspace.parameters) < 2:
        return
    wanted = workspace.parameters[:-2]
    related = ((workspace.place, "declared here"),)
    if len(call.arguments) != len(wanted):
        yield Finding(
            "OW903",
            call.place,
            f"{call.function} is passed {len(call.arguments)} arguments, but its first phase takes "
            f"{len(wanted)} "
            "before workspace size and executor",
            related=related,
        )
        return
    function = _around(call, facts)
    for index, (argument, kind) in enumerate(zip(call.arguments, wanted, strict=True)):
        is_tensor = _is_tensor(argument, function)
        takes_tensor = bool(_TENSOR.search(kind))
        if is_tensor is not None and is_tensor != takes_tensor and "List" not in kind:
            passed = "a tensor" if is_tensor else "no tensor"
            yield Finding(
                "OW903",
                call.place,
                f"argument {index + 1} of {call.function} is {argument} ({passed}), but its first phase "
                f"takes {kind}",
                related=related,
            )
            return


def _around(call: AclnnCall, facts: Facts) -> CppFunction | None:
    for function in facts.functions:
        if (
            function.path == call.place.subject
            and function.node.start_byte <= call.place.start < function.node.end_byte
        ):
            return function
    return None


def _is_tensor(argument: str, function: CppFunction | None) -> bool | None:
    """Whether what is passed is a tensor; None where the source does not tell."""
    if re.fullmatch(r"-?[\d.]+f?|true|false", argument):
        return False
    if function is None:
        return None
    for kind, name in function.parameters:
        if name == argument:
            bare = re.sub(r"\bconst\b|&|\s|at::|torch::|c10::|std::", "", kind)
            if bare in ("Tensor", "optional<Tensor>"):
                return True
            return (
                False
                if bare in ("int64_t", "double", "bool", "float", "int", "Scalar", "string_view")
                else None
            )
    text = (function.node.text or b"").decode("utf-8", "replace")
    if re.search(rf"\b(at|torch)::Tensor&?\s+{re.escape(argument)}\b", text):
        return True
    return None
