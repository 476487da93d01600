"""Writes C++ from the function table: kernels, exported functions, headers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from table import LIST_ROLES, OUTPUT_ROLES, TENSOR_ROLES, DTypeClass, Function, Known, TableError

_NOTE = "// Generated from the function table (npu/kernels/functions); do not edit.\n"


def write(path: Path, text: str) -> None:
    """Writes a file unless it holds the text already, so that what depends on it isn't built again."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


_CPU_CALL = re.compile(r"at::cpu::(\w+)\s*\(")
_ATEN_CALL = re.compile(r"at::(?:native::)?([a-z_]\w*)\s*\(")


def _operator_header(ops: Path, name: str, suffix: str) -> str | None:
    candidates = [name]
    for end in ("_outf", "_out", "_"):
        if name.endswith(end):
            candidates.append(name[: -len(end)])
    for candidate in candidates:
        if (ops / f"{candidate}{suffix}.h").exists():
            return f"#include <ATen/ops/{candidate}{suffix}.h>"
    return None


def _aten_includes(kernels: Iterable[str], ops: Path) -> list[str]:
    found: set[str] = set()
    for kernel in kernels:
        for pattern, suffix in ((_CPU_CALL, "_cpu_dispatch"), (_ATEN_CALL, "")):
            for name in pattern.findall(kernel):
                include = _operator_header(ops, name, suffix)
                if include is None:
                    raise TableError(f"no header of ATen declares '{name}', used in: {kernel}")
                found.add(include)
    return sorted(found)


def _kernel_function(function: Function) -> str:
    lists = [p.name for p in function.parameters if p.role in LIST_ROLES] if function.foreach else []
    lines = [f"void run_{function.name}([[maybe_unused]] std::span<Value> a) {{"]
    for index, parameter in enumerate(function.parameters):
        kind = parameter.kind
        declaration = kind.kernel_optional if parameter.optional and kind.kernel_optional else kind.kernel
        name = f"{parameter.name}_items" if parameter.name in lists else parameter.name
        lines.append(f"    [[maybe_unused]] {declaration.format(n=name, i=index)};")
    for alias, name in function.aliases.items():
        lines.append(f"    [[maybe_unused]] auto& {alias} = {name};")
    if function.foreach:
        lines.append(f"    for (size_t i = 0; i < {lists[-1]}_items.size(); ++i) {{")
        lines += [f"        [[maybe_unused]] auto& {name} = {name}_items[i];" for name in lists]
        lines += [f"        {function.kernel};", "    }", "}"]
    else:
        lines += [f"    {function.kernel};", "}"]
    return "\n".join(lines)


def kernels(family: str, functions: list[Function], folder: Path, ops: Path) -> str:
    """The C++ file with a family's kernels."""
    headers = [name for name in (f"{family}.h", f"nn/{family}.h") if (folder / name).exists()]
    own = [f'#include "npu/kernels/{name}"' for name in headers]
    includes = "\n".join([*own, '#include "npu/kernels/kernel.h"', '#include "npu/kernels/tensor.h"'])
    aten = "\n".join(_aten_includes((f.kernel for f in functions), ops))
    bodies = "\n\n".join(_kernel_function(f) for f in functions)
    rows = "\n".join(
        f'extern OPWELD_EXPORT const Kernel {f.name};\nconst Kernel {f.name}{{"{f.name}", run_{f.name}}};'
        for f in functions
    )
    return f"""{_NOTE}{includes}

{aten}

namespace opweld::npu::kernels {{
namespace {{

{bodies}

}}  // namespace

namespace rows {{
{rows}
}}  // namespace rows
}}  // namespace opweld::npu::kernels
"""


def registry(functions: list[Function]) -> str:
    """The C++ file that lists all kernels by name."""
    ordered = sorted(f.name for f in functions)
    declarations = "\n".join(f"extern const Kernel {name};" for name in ordered)
    entries = ",\n    ".join(f"&rows::{name}" for name in ordered)
    return f"""{_NOTE}#include "npu/kernels/kernel.h"

namespace opweld::npu::kernels {{
namespace rows {{
{declarations}
}}  // namespace rows
namespace {{
// In the order of their names: find() searches by halves.
const Kernel* const kKernels[] = {{
    {entries},
}};
}}  // namespace

std::span<const Kernel* const> all() noexcept {{ return kKernels; }}
}}  // namespace opweld::npu::kernels
"""


def _signature(function: Function) -> str:
    parameters = [f"{p.kind.c_type} {p.name}" for p in function.parameters]
    return ", ".join([*parameters, "uint64_t* workspace_size", "aclOpExecutor** executor"])


def _mask(dtypes: Iterable[str]) -> str:
    return " | ".join(f"bit(OPWELD_{name.upper()})" for name in dtypes)


def _check_function(function: Function) -> str:
    lines = [f"void check_{function.name}([[maybe_unused]] const Arguments& a) {{"]
    for index, parameter in enumerate(function.parameters):
        lines.append(f"    [[maybe_unused]] {parameter.kind.check.format(n=parameter.name, i=index)};")
    for alias, name in function.aliases.items():
        lines.append(f"    [[maybe_unused]] const auto& {alias} = {name};")
    lines += [f"    check::{check};" for check in function.checks]
    return "\n".join([*lines, "}"])


def _parameter_rows(function: Function, classes: dict[str, DTypeClass]) -> str:
    rows = []
    for p in function.parameters:
        fields = [f'.name = "{p.name}"', f".kind = Kind::{p.kind.enumerator}", f'.c_type = "{p.kind.c_type}"']
        if p.role in ("in", "ins", "inout", "inouts"):
            fields.append(".read = true")
        if p.role in OUTPUT_ROLES:
            fields.append(".written = true")
        if p.optional:
            fields.append(".optional = true")
        if p.role in OUTPUT_ROLES and function.fills:
            fields.append(".same_everywhere = true")
        if p.role in TENSOR_ROLES:
            if p.dtypes not in classes:
                raise TableError(f"{function.symbol}: no dtype class '{p.dtypes}' in dtypes.yaml")
            fields.append(f".dtypes = dtypes_{p.dtypes}")
            fields.append(f".unit = Unit::{classes[p.dtypes].unit}")
        rows.append(f"    {{{', '.join(fields)}}},")
    return "\n".join(rows)


def _first_phases(function: Function) -> list[str]:
    """The ends of the names of the functions that make an executor."""
    return ["GetWorkspaceSize", *(["GetMaxWorkspaceSize"] if function.max_workspace else [])]


def _exports(function: Function, classes: dict[str, DTypeClass]) -> str:
    n = function.name
    arguments = ", ".join(p.name for p in function.parameters)
    check = f"check_{n}" if function.checks else "nullptr"
    flags = f"{str(function.pointwise).lower()}, {str(function.dynamic).lower()}"
    first_phases = "\n".join(
        f"""
extern "C" OPWELD_EXPORT int32_t {function.symbol}{suffix}({_signature(function)}) {{
    const Slot slots[] = {{{arguments}}};
    return prepare(rows::{n}, slots, workspace_size, executor);
}}"""
        for suffix in _first_phases(function)
    )
    body = f"""constexpr Parameter parameters_{n}[] = {{
{_parameter_rows(function, classes)}
}};
"""
    if function.checks:
        body += f"\n{_check_function(function)}\n"
    return f"""namespace {{
{body}}}  // namespace

namespace rows {{
extern OPWELD_HIDDEN Function {n};
Function {n}{{"{function.symbol}", parameters_{n}, {check}, kernels::rows::{n}, {flags}}};
}}  // namespace rows
{first_phases}

extern "C" OPWELD_EXPORT int32_t {function.symbol}(void*, uint64_t, aclOpExecutor* executor, void* stream) {{
    return launch(rows::{n}, executor, stream);
}}
"""


def exports(family: str, functions: list[Function], classes: dict[str, DTypeClass], folder: Path) -> str:
    """The C++ file with a family's exported functions."""
    own = f"call/check_{family}.h"
    include = f'#include "npu/aclnn/{own}"\n' if (folder / own).exists() else ""
    externs = "\n".join(f"extern const Kernel {f.name};" for f in functions)
    used = sorted(
        {p.dtypes for f in functions for p in f.parameters if p.role in TENSOR_ROLES} & set(classes)
    )
    masks = "\n".join(f"constexpr uint64_t dtypes_{name} = {_mask(classes[name].dtypes)};" for name in used)
    bodies = "\n".join(_exports(f, classes) for f in functions)
    return f"""{_NOTE}#include "npu/aclnn/call/check.h"
{include}#include "npu/aclnn/call/function.h"

namespace opweld::npu::kernels::rows {{
{externs}
}}  // namespace opweld::npu::kernels::rows

namespace opweld::npu::aclnn {{
namespace {{
{masks}
}}  // namespace

{bodies}
}}  // namespace opweld::npu::aclnn
"""


def function_list(functions: list[Function], inventory: dict[str, Known]) -> str:
    """The C++ file with the list of all functions and the exported names that fail."""
    implemented = {f.symbol for f in functions}
    ordered = sorted(f.name for f in functions)
    declarations = "\n".join(f"extern OPWELD_HIDDEN Function {name};" for name in ordered)
    entries = ",\n    ".join(f"&rows::{name}" for name in ordered)
    missing = [k for k in inventory.values() if k.when_missing == "fail" and k.name not in implemented]
    stubs = "\n".join(
        f'extern "C" OPWELD_EXPORT int32_t {k.name}{suffix}() {{ return not_implemented("{k.name}"); }}'
        for k in missing
        for suffix in ("GetWorkspaceSize", "")
    )
    return f"""{_NOTE}#include "npu/aclnn/call/function.h"

namespace opweld::npu::aclnn {{
namespace rows {{
{declarations}
}}  // namespace rows
namespace {{
Function* const kFunctions[] = {{
    {entries},
}};
}}  // namespace

std::span<Function* const> all_functions() noexcept {{ return kFunctions; }}

// Names that torch_npu may call and that are not done. They take no argument: none is looked at.
{stubs}

}}  // namespace opweld::npu::aclnn
"""


def headers(functions: list[Function]) -> dict[str, str]:
    """Headers for C and C++ programs: file name -> text."""
    by_header: dict[str, list[Function]] = {}
    for function in functions:
        by_header.setdefault(f"aclnn_{function.header}.h", []).append(function)
    return {name: _header(name, rows) for name, rows in by_header.items()}


def _header(name: str, functions: list[Function]) -> str:
    guard = f"OPWELD_ACLNNOP_{name.upper().replace('.', '_')}"
    declarations = "\n".join(
        "".join(f"aclnnStatus {f.symbol}{suffix}({_public_signature(f)});\n" for suffix in _first_phases(f))
        + f"aclnnStatus {f.symbol}(void* workspace, uint64_t workspace_size, aclOpExecutor* executor, "
        f"aclrtStream stream);"
        for f in sorted(functions, key=lambda f: f.name)
    )
    return f"""{_NOTE}#ifndef {guard}
#define {guard}

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {{
#endif

// The first function of a pair checks the arguments, sets *workspace_size to the bytes of device memory that
// the second one needs and makes the executor; the second puts the work on the stream and frees the executor.
{declarations}

#ifdef __cplusplus
}}
#endif

#endif
"""


def _public_signature(function: Function) -> str:
    parameters = [
        f"{'aclDataType' if p.role == 'dtype' else p.kind.c_type} {p.name}" for p in function.parameters
    ]
    return ", ".join([*parameters, "uint64_t* workspace_size", "aclOpExecutor** executor"])
