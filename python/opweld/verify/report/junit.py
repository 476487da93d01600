"""JUnit XML: a suite for each operator, a case for each outcome."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from opweld.verify.model import Report

_NOT_XML = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")


def junit(report: Report) -> str:
    """The document."""
    root = ElementTree.Element("testsuites", name="opweld verify")
    for info in report.operators:
        own = [outcome for outcome in report.outcomes if outcome.operator == info.name]
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=info.name,
            tests=str(len(own)),
            failures=str(sum(outcome.status == "failed" for outcome in own)),
            skipped=str(sum(outcome.status == "skipped" for outcome in own)),
            time=f"{sum(outcome.seconds for outcome in own):.3f}",
        )
        for outcome in own:
            parts = (outcome.check, outcome.device, outcome.dtype, outcome.label)
            case = ElementTree.SubElement(
                suite,
                "testcase",
                classname=f"{info.name}.{outcome.check}",
                name=_clean(" ".join(filter(None, parts))),
                time=f"{outcome.seconds:.3f}",
            )
            if outcome.status == "failed":
                fault = ElementTree.SubElement(
                    case, "failure", message=_clean(outcome.detail), type=outcome.kind
                )
                fault.text = _clean("\n".join([outcome.arguments, *outcome.reproduction]))
            elif outcome.status == "skipped":
                ElementTree.SubElement(case, "skipped", message=_clean(outcome.detail))
            elif outcome.caution:
                ElementTree.SubElement(case, "system-out").text = _clean(f"note: {outcome.caution}")
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _clean(text: str) -> str:
    return _NOT_XML.sub("?", text)
