"""Converter files that fail, in packages that opweld generates; runs on the software NPU."""

from __future__ import annotations

import importlib
import sys
import warnings
from typing import Any

import torch
import torchair

from opweld.doctor.graphs import examine_graph


def register(folder: str, package: str) -> dict[str, Any]:
    """Imports a package's converters beside operators twice and twice_more; what is said then, and later."""
    sys.path.insert(0, folder)
    library = torch.library.Library(package, "DEF")
    for name in ("twice", "twice_more"):
        library.define(f"{name}(Tensor x) -> Tensor")
        library.impl(name, lambda x: x * 2, "PrivateUse1")
        library.impl(name, torch.empty_like, "Meta")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        importlib.import_module(f"{package}.converters")
    operators = getattr(torch.ops, package)
    findings = {
        name: [f"{one.rule_id} {one.message}" for one in examine_graph(f"{package}::{name}", operator, None)]
        for name, operator in (
            ("twice", operators.twice.default),
            ("twice_more", operators.twice_more.default),
        )
    }
    torch._dynamo.reset()
    compiled = torch.compile(operators.twice_more, backend=torchair.get_npu_backend(), dynamic=False)
    error = ""
    try:
        compiled(torch.ones(2, device="npu"))
    except Exception as caught_error:
        error = str(caught_error)
    library._destroy()
    return {"warnings": [str(one.message) for one in caught], "findings": findings, "error": error}
