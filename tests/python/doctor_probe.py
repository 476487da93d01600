"""For test_doctor_*.py: the doctor's examination of living operators in an NPU process."""

import importlib
import sys

from opweld.commands.doctor import exit_code
from opweld.doctor import dispatcher
from opweld.doctor.findings import in_order
from opweld.doctor.report import as_text


def examine(folder: str, module: str, operator: str) -> str:
    sys.path.insert(0, folder)
    try:
        importlib.import_module(module)
    finally:
        sys.path.remove(folder)
    findings = in_order(dispatcher.examine_operator(operator))
    return as_text(findings) + f"exit code {exit_code(findings)}\n"


def ready() -> bool:
    return True


def rules(operator: str) -> list[str]:
    return [item.rule_id for item in dispatcher.examine_operator(operator)]


def rows(namespace: str) -> list[dict]:
    return [dispatcher.coverage(name) for name in dispatcher.operator_names(namespace)]


def graph_rules_of_new_operators() -> dict[str, list[str]]:
    """Of one without a converter, one that graphs replace by a formula, and one that is made of others."""
    import torch
    from torch.fx.experimental.proxy_tensor import ProxyTorchDispatchMode

    from opweld.doctor.graphs import examine_graph

    library = torch.library.Library("doctor_probe", "DEF")
    for name in ("bare", "formula", "composite"):
        library.define(f"{name}(Tensor x) -> Tensor")
    for name in ("bare", "formula"):
        library.impl(name, torch.neg, "PrivateUse1")
        library.impl(name, torch.neg, "Meta")
    library.impl("composite", torch.neg, "CompositeImplicitAutograd")
    torch.library.register_torch_dispatch(
        "doctor_probe::formula",
        ProxyTorchDispatchMode,
        lambda mode, function, types, args=(), kwargs=None: torch.neg(*args),
        lib=library,
    )
    return {
        name: [
            item.rule_id
            for item in examine_graph(
                f"doctor_probe::{name}", getattr(torch.ops.doctor_probe, name).default, None, asked=True
            )
        ]
        for name in ("bare", "formula", "composite")
    }
