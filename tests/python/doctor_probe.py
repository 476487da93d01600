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
