"""For test_registration.py: the check in an NPU process."""

import torch

import opweld


def statuses(name: str) -> dict[str, str]:
    report = opweld.check_operator_registration(name)
    return {finding.check: finding.status for finding in report.findings}


def late_fault() -> tuple[str, str]:
    """The check of an operator whose NPU kernel fails on the device, after the call has returned."""
    library = torch.library.Library("opweld_late", "DEF")
    library.define("fault(Tensor x) -> Tensor")
    library.impl("fault", lambda x: x.new_empty(2, *x.shape[1:]), "Meta")
    library.impl("fault", _out_of_range, "PrivateUse1")
    try:
        found = opweld.check_operator_registration("opweld_late::fault").finding("device run")
    finally:
        library._destroy()
    return found.status, found.detail


def _out_of_range(table):
    return torch.nn.functional.embedding(torch.full((2,), 99, device=table.device), table)
