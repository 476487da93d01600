"""For test_registration.py: the check in an NPU process."""

import opweld


def statuses(name: str) -> dict[str, str]:
    report = opweld.check_operator_registration(name)
    return {finding.check: finding.status for finding in report.findings}
