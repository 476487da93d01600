"""Looks for aclnn functions the way torch_npu does: vendor packages first, then CANN's own libraries."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from opweld import vendor

BUILT_IN_LIBRARY = "libopapi.so"


def function_names(operator: str) -> list[str]:
    """The aclnn functions that an operator's name suggests, the likeliest first.

    `npu::npu_custom_linear` is aclnnCustomLinear, an in-place operator (`add_`) aclnnInplaceXxx; in another
    namespace `my_ops::scale` is aclnnMyOpsScale or aclnnScale. It is a convention that some do not follow.
    """
    namespace, _, bare = operator.rpartition("::")
    bare = bare.partition(".")[0].removeprefix("npu_")
    inplace = "Inplace" if bare.endswith("_") and not bare.endswith("__") else ""
    name = _camel_case(bare)
    prefixes = ["", _camel_case(namespace)] if namespace not in ("", "aten", "npu") else [""]
    return [f"aclnn{inplace}{prefix}{name}" for prefix in reversed(prefixes)]


def declared_functions() -> dict[str, str | None]:
    """The aclnn functions that imported operator packages say they call, by operator (`ns::op.overload`).

    None stands for an operator that needs none.
    """
    declared: dict[str, str | None] = {}
    for name, module in list(sys.modules.items()):
        if name.endswith("._loader"):
            declared.update(getattr(module, "ACLNN_FUNCTIONS", {}))
    return declared


def _camel_case(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.strip("_").split("_"))


def vendor_libraries() -> list[Path]:
    """The vendor libraries that torch_npu would look into, in its order."""
    folders = [
        Path(entry) for entry in os.environ.get("ASCEND_CUSTOM_OPP_PATH", "").split(os.pathsep) if entry
    ]
    libraries = [folder / vendor.LIBRARY for folder in folders]
    return [library for library in libraries if library.is_file()]


def find_function(name: str) -> tuple[str | None, list[str]]:
    """The library that has both phases of the aclnn function `name`, or None; and the problems on the way."""
    problems = []
    for library in [*map(str, vendor_libraries()), BUILT_IN_LIBRARY]:
        try:
            handle = ctypes.CDLL(library)
        except OSError as error:
            built_in = library == BUILT_IN_LIBRARY
            problems.append(
                "this process has no CANN" if built_in else f"{library} cannot be loaded: {error}"
            )
            continue
        phases = [f"{name}GetWorkspaceSize", name]
        missing = [phase for phase in phases if not hasattr(handle, phase)]
        if not missing:
            return library, problems
        if len(missing) < len(phases):
            problems.append(f"{library} lacks {missing[0]}")
    return None, problems
