"""From what torchair and the graph engine say to the doctor's rules of converters and prototypes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from opweld.device import shortened
from opweld.doctor.findings import Finding, Place

# What is said, by rule; the first that matches counts.
_TEXTS = (
    ("OW852", r"[^\s:]+ has no converter: [^\n]*?(?=; call it outside of the compiled function)"),
    ("OW848", r"[^\s:]+ has no converter: its converter file [^\n]*"),
    ("OW851", r"matmul_backward currently only support mask[^\n]*"),
    ("OW851", r"node '[^\n]* perm [^\n]*results of aten\.matmul_backward[^\n]*"),
    ("OW841", r"[^\n]*ge_converter is not implemented[^\n]*"),
    (
        "OW847",
        r"Failed to auto-generated converter[^\n]*?(?:does not match|greater than)[^\n]*?\. (?=You have)",
    ),
    ("OW841", r"Failed to auto-generated converter[^\n]*?(?=\. If necessary|\n|$)"),
    ("OW861", r"No AscendIR \w+ was found to be registered"),
    ("OW844", r"Failed to convert torch args to AscendIR args[^\n]*?(?=\. If implementing|\n|$)"),
    ("OW846", r"The dtype in num\[\d+\] net output of Ascend output[^\n]*?(?=\. FX graph|\n|$)"),
    ("OW849", r"The (?:number|size|dim|dim size) of Ascend GE graph NetOutput[^\n]*?(?=\. FX graph|\n|$)"),
    ("OW849", r"[^\n]*(?:length of ge_outputs|meta_outputs? must be|ge_outputs must be)[^\n]*"),
    ("OW848", r"Unsupported convert torch type[^\n]*?(?=, please|\n|$)"),
    ("OW862", r"[^\n]*no InferShape function is registered[^\n]*"),
    ("OW865", r"[^\n]*(?:InferShape function|verifier) of [^\n]* failed[^\n]*"),
)
_SIZE = re.compile(r"Check output size failed: [^\n]*? is (\w+)\[[^\n]*? promises (\w+)\[[^\n]*")
_NODE_NAME = re.compile(r"\bnode '([^']*)' of type (\w+): ([^\n]*)")
_ORIGIN = re.compile(r" \((\w+\.\w+\.\w+)(?: of results of [^()]*)?\)")
_NODE = re.compile(r"ge::Session::\w+: ((?:node|input) '[^']*' of [^\n]*)")
# A converter that somebody wrote, and what Python says of it.
_CONVERTER = re.compile(
    r"in wrapped_converter\n[^\n]*\n(?:[ ^~]+\n)?"
    r'  File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<name>\w+)\n'
    r"(?:[^\n]*\n)*?(?P<error>\w+(?:Error|Exception|Iteration): [^\n]*)"
)


@dataclass(frozen=True)
class GraphNode:
    """A node of a compiled graph; `origin` says of which operator of PyTorch, "" where that is not known."""

    name: str
    type: str
    origin: str = ""

    @property
    def operator(self) -> str:
        """The operator, `ns::name.overload`, or ""."""
        return self.origin.removesuffix(".default").replace(".", "::", 1)


def node_in(text: str) -> GraphNode | None:
    """The node that a message of the graph engine blames."""
    found = _NODE_NAME.search(text)
    if found is None:
        return None
    origin = _ORIGIN.search(found[3])
    return GraphNode(found[1], found[2], origin[1] if origin else "")


def explain_graph(text: str, operator: str) -> Finding | None:
    """The finding of an error that torchair or the graph engine raised, None for other errors.

    `operator` is the one that the error itself names, or "".
    """
    rule, told = _rule_of(text)
    if not rule:
        return _failed_converter(text, operator)
    if rule == "OW861" and operator and not _converts(operator):
        rule = "OW841"
    if rule in ("OW846", "OW849", "OW861", "OW865"):
        predicted = _predicted(rule, operator, told)
        if predicted is not None:
            return predicted
    node = node_in(told)
    place = operator or (node.operator if node is not None else "")
    return Finding(rule, Place(place or "the graph"), shortened(told))


def _failed_converter(text: str, operator: str) -> Finding | None:
    """The finding of an error that Python raised in a converter, where it isn't one of torchair's own."""
    found = _CONVERTER.search(text)
    if found is None or "/torchair/" in found["file"]:
        return None
    whose = f" of {operator}" if operator else ""
    file = Path(found["file"])
    hint = ""
    if file.parent.name == "converter_files":  # the installed copy of what the spec's `converter:` names
        hint = "Mend the file that the spec's `converter:` names, and build the package anew."
    place = f"{found['name']} ({file}:{found['line']})"
    told = f"the converter {place}{whose} fails: {shortened(found['error'])}"
    return Finding("OW848", Place(str(file), int(found["line"])), told, "Python met an error in it.", hint)


def _rule_of(text: str) -> tuple[str, str]:
    if size := _SIZE.search(text):
        return "OW849" if size[1] == size[2] else "OW846", size[0]
    for rule, pattern in _TEXTS:
        if found := re.search(pattern, text):
            return rule, found[0].strip()
    found = _NODE.search(text)
    return ("OW850", found[1]) if found else ("", "")


def _converts(operator: str) -> bool:
    from opweld.doctor.dispatcher import resolve
    from opweld.doctor.graphs import has_own_converter

    return any(has_own_converter(name) for name in resolve(operator))


def _predicted(rule: str, operator: str, told: str) -> Finding | None:
    """What the examination of the operators with converters of their own finds by that rule.

    An error of a whole graph does not name the operator; the examination does, and knows more of the cause.
    """
    from opweld.doctor.dispatcher import examine_conversion, operator_names, resolve
    from opweld.doctor.graphs import has_own_converter

    names = resolve(operator) if operator else [name for name in operator_names() if has_own_converter(name)]
    same = {rule, "OW843"} if rule == "OW861" else {rule}
    found = [item for name in names for item in examine_conversion(name) if item.rule_id in same]
    if len(found) < 2:
        return found[0] if found else None
    places = ", ".join(dict.fromkeys(str(item.place) for item in found))
    return Finding(rule, Place(places), f"{shortened(told)}; alone, one of these does so: {places}")
