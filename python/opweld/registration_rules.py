"""The doctor's examination of a living operator as findings of `check_operator_registration`."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from opweld.samples import Sample

if TYPE_CHECKING:
    from opweld.doctor.findings import Finding as Examined
    from opweld.registration import RegistrationReport, Status

# Rules whose fault a check of the report tells already; it then gets the rule's id.
_TOLD = {
    "OW706": "NPU kernel",
    "OW801": "Meta kernel",
    "OW829": "autograd kernel",
    "OW810": "Meta run",
    "OW802": "device run",
    "OW803": "device run",
    "OW804": "device run",
    "OW811": "device run",
    "OW911": "device run",
    "OW912": "device run",
    "OW901": "vendor function",
    "OW902": "vendor function",
}
# The others get a finding of their own.
_ADDED = {
    "OW710": "composite kernel",
    "OW805": "Meta device",
    "OW806": "dynamic shapes",
    "OW807": "dynamic shapes",
    "OW822": "backward",
    "OW823": "backward",
    "OW827": "backward",
    "OW828": "backward",
}


def apply(report: RegistrationReport, operator: str, sample: Sample | None) -> None:
    """Examines the operator with the sample that the report was made with, and adds what is found."""
    from opweld.doctor.dispatcher import examine_operator

    found = examine_operator(operator, [] if sample is None else [sample])
    for item in found:
        if item.rule_id in _TOLD:
            _mark(report, _TOLD[item.rule_id], item)
        else:
            status: Status = "fault" if item.severity == "error" else "note"
            check = _ADDED.get(item.rule_id, item.rule.name)
            report.add(check, status, item.message, item.advice, item.rule_id)
    ran = any(finding.check == "Meta run" and finding.status == "ok" for finding in report.findings)
    if ran and not any(item.rule_id in ("OW805", "OW806", "OW807") for item in found):
        report.add("dynamic shapes", "ok", "Meta keeps sizes symbolic")


def _mark(report: RegistrationReport, check: str, item: Examined) -> None:
    """Gives the check's finding the rule's id, where it tells of a fault or of a gap."""
    for index, finding in enumerate(report.findings):
        if finding.check == check and finding.status != "ok":
            report.findings[index] = dataclasses.replace(finding, rule=item.rule_id)
