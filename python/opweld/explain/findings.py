"""From what an error says to the doctor's rule: the cause and the fix of what just happened."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from opweld.device import NO_FAKE, NOT_IMPLEMENTED, shortened, without_prefix
from opweld.doctor.findings import Finding, Place
from opweld.explain.failures import Failure, Failures
from opweld.explain.graphs import explain_graph, node_in

_NAME = r"(?P<operator>[A-Za-z_]\w*(?:::|\.)\w+(?:\.\w+)?)"
_TORCHS_OWN = ("aten", "prim", "prims", "profiler", "c10d", "quantized", "torchvision", "inductor")
_ON_PURPOSE = "a fault on purpose"


@dataclass(frozen=True)
class Evidence:
    """What is known when a program has failed."""

    text: str  # what the error says, and those that led to it
    kinds: tuple[str, ...]  # their classes
    failures: Failures | None
    failure: Failure | None  # the NPU's failure that this error tells of

    @staticmethod
    def of(error: BaseException, failures: Failures | None) -> Evidence:
        """Collects it."""
        errors = list(_with_causes(error))
        text = "\n".join(str(item) for item in errors)
        kinds = tuple(kind.__name__ for item in errors for kind in type(item).__mro__)
        return Evidence(text, kinds, failures, _told_failure(text, failures))

    @property
    def operator(self) -> str:
        """The operator that the error itself names (`ns::op`), or ""."""
        for pattern in _OPERATORS:
            for found in pattern.finditer(self.text):
                if not found["operator"].startswith("ge::"):  # a class of the graph engine
                    return _qualified(found["operator"])
        return ""


def _with_causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    item: BaseException | None = error
    while item is not None and id(item) not in seen:
        seen.add(id(item))
        yield item
        item = item.__cause__ or (None if item.__suppress_context__ else item.__context__)


def _told_failure(text: str, failures: Failures | None) -> Failure | None:
    """The NPU's failure that an error's text tells of: torch_npu puts the NPU's message into its own."""
    if failures is None:
        return None
    for known in (failures.tasks, failures.calls):
        for failure in reversed(known):
            if failure.message and failure.message in text:
                return _innermost(failure, failures.tasks)
    codes = {
        int(code) for code in re.findall(r"\b(?:error code is|ACL error code|ret=|error:)\s*(\d{6})\b", text)
    }
    codes |= {int(code) for code in re.findall(r"\b([1-5]0[0-9]{4})\b", text)}
    for known in (failures.tasks, failures.calls):
        for failure in reversed(known):
            if failure.code in codes:
                return _innermost(failure, failures.tasks)
    return None


def _innermost(failure: Failure, tasks: tuple[Failure, ...]) -> Failure:
    """The task of a captured graph that made the graph fail, where `failure` is the graph's."""
    inner = [task for task in tasks if task.operators and task.message in failure.message]
    return inner[-1] if inner and not failure.operators else failure


def _qualified(name: str) -> str:
    bare = name.removeprefix("torch.ops.").removesuffix(".default")
    return bare if "::" in bare else bare.replace(".", "::", 1)


_OPERATORS = [
    re.compile(pattern)
    for pattern in (
        rf"Could not run '{_NAME}'",
        rf"Operator does not support running with fake tensors.*?{_NAME}",
        rf"unsupported operator: {_NAME}",
        rf"data dependent operator: {_NAME}",
        rf"dynamic shape operator: {_NAME}",
        rf"derivative for {_NAME}",
        rf"(?:autograd formula|backward|fake impl|meta)\w*[^\n]*? for (?:operator )?{_NAME}",
        rf"torch\.ops\.{_NAME}",
        rf"call_function {_NAME}",
        r"(?<![\w/.:])(?P<operator>[A-Za-z_]\w*::\w+(?:\.\w+)?)",
    )
]

Rule = Callable[[Evidence], "Finding | None"]


def find(evidence: Evidence) -> Finding | None:
    """The first rule that explains it."""
    for rule in (
        _setting,
        _memory,
        _not_on_software_npu,
        _graph,
        _aclnn,
        _no_meta,
        _meta_device,
        _meta_promise,
        _no_kernel,
        _unknown_operator,
        _backward,
        _no_gradient,
        _kernel_failed,
    ):
        finding = rule(evidence)
        if finding is not None:
            return finding
    return None


def _place(evidence: Evidence, fallback: str = "the program") -> Place:
    return Place(_blamed(evidence) or fallback)


def _blamed(evidence: Evidence) -> str:
    """The operator to blame: of the NPU's failure the innermost one that isn't PyTorch's own."""
    operators = evidence.failure.operators if evidence.failure is not None else ()
    named = [name for name in operators if "::" in name]
    own = [name for name in named if name.partition("::")[0] not in _TORCHS_OWN]
    return (own or named or [evidence.operator])[-1]


def _setting(evidence: Evidence) -> Finding | None:
    """One of opweld's variables has a value that it doesn't take: the software NPU begins so to say it."""
    found = re.search(r"\b(OPWELD_[A-Z_]+)(?: is \"|: )[^\n]*", evidence.text)
    return Finding("OW958", Place(found[1]), shortened(found[0].strip())) if found else None


def _memory(evidence: Evidence) -> Finding | None:
    if "OutOfMemoryError" not in evidence.kinds:
        return None
    wanted = re.search(r"Tried to allocate ([\d.]+ \w+)", evidence.text)
    size = re.search(r"([\d.]+ \w+) total capacity", evidence.text)
    told = f"{wanted[1]} more do not fit" if wanted else "what is asked for does not fit"
    into = f" into the device's {size[1]}" if size else " into the device's memory"
    if _ON_PURPOSE in evidence.text or "oom@" in os.environ.get("OPWELD_FAULTS", ""):
        return Finding(
            "OW913",
            _place(evidence),
            f"{told}{into}",
            cause="OPWELD_FAULTS makes allocations fail on purpose.",
            fix="Unset OPWELD_FAULTS.",
        )
    return Finding("OW913", _place(evidence), f"{told}{into}")


def _not_on_software_npu(evidence: Evidence) -> Finding | None:
    found = re.search(rf"[^\n]*{NOT_IMPLEMENTED}[^\n]*", evidence.text)

    if not found:
        return None
    return Finding("OW912", _place(evidence), found[0].strip())


def _graph(evidence: Evidence) -> Finding | None:
    return explain_graph(evidence.text, evidence.operator)


def _aclnn(evidence: Evidence) -> Finding | None:
    found = re.search(r"(aclnn\w+?)(?:GetWorkspaceSize)?\b[^\n]*?\bnot (?:in|found)\b", evidence.text)
    if not found:
        return None
    from opweld import vendor
    from opweld.doctor.checks.aclnn import existence
    from opweld.doctor.functions import find_functions

    function = found[1]
    functions = find_functions(_program_folders())
    place = _place(evidence, function)
    if functions.phases(function) == 2 and functions.where(function).endswith(vendor.LIBRARY.name):
        return Finding(
            "OW905",
            place,
            f"{function} is in {functions.where(function)}, which is on ASCEND_CUSTOM_OPP_PATH now, but was "
            "not when torch was imported",
        )
    return next(existence(function, place, functions), None)


def _program_folders() -> list[Path]:
    """Where vendor packages of the program may lie: its own folder and the working one."""
    program = getattr(sys.modules.get("__main__"), "__file__", None)
    folders = [Path.cwd(), *([Path(program).resolve().parent] if program else [])]
    return [folder for folder in dict.fromkeys(folders) if folder != Path(folder.anchor)]


def _no_meta(evidence: Evidence) -> Finding | None:
    lowered = evidence.text.lower()
    unsupported = "UnsupportedOperatorException" in evidence.kinds or "unsupported operator" in lowered
    on_meta = re.search(r"could not run '[^']+' with arguments from the 'meta' backend", lowered)
    if not (on_meta or unsupported or any(told in lowered for told in NO_FAKE)) or not evidence.operator:
        return None
    return Finding(
        "OW801",
        _place(evidence),
        f"{evidence.operator} has no Meta kernel, so torch.compile and torch.export cannot trace it",
    )


def _meta_device(evidence: Evidence) -> Finding | None:
    found = re.search(r"[^\n]*(?:device must be `?meta|found device[^\n]*meta)[^\n]*", evidence.text)
    if not found:
        return None
    return Finding("OW805", _place(evidence), found[0].strip())


def _meta_promise(evidence: Evidence) -> Finding | None:
    """What compiled code asserts of each tensor that an operator gave it, dimension by dimension."""
    told = re.search(r"expected size \d+==\d+, stride [^\n]*", evidence.text)
    if not told:
        return None
    sizes = re.findall(r"expected size (\d+)==(\d+), stride (\d+)==(\d+) at dim=\d+", told[0])
    if any(given != promised for given, promised, _, _ in sizes):
        rule, what = "OW802", "sizes"
    else:
        rule, what = "OW804", "strides"
    pairs = [(size[0], size[1]) if rule == "OW802" else (size[2], size[3]) for size in sizes]
    given, promised = (", ".join(pair[i] for pair in pairs) for i in (0, 1))
    message = f"a tensor in compiled code has {what} {given}, where its Meta function promised {promised}"
    return Finding(rule, _place(evidence, "the compiled function"), message)


def _no_kernel(evidence: Evidence) -> Finding | None:
    found = re.search(
        r"Could not run '([^']+)' with arguments from the '(?:NPU|PrivateUse1|npu)' backend", evidence.text
    )
    if not found:
        return None
    return Finding("OW706", Place(found[1]), f"{found[1]} has no kernel for PrivateUse1")


def _unknown_operator(evidence: Evidence) -> Finding | None:
    found = re.search(r"'_OpNamespace' '(\w+)' object has no attribute '(\w+)'", evidence.text)
    name = f"{found[1]}::{found[2]}" if found else ""
    if not name and (
        found := re.search(
            r"(?:No such operator|Couldn't find an operator for|Could not find schema for) ([\w:]+)",
            evidence.text,
        )
    ):
        name = found[1]
    if not name:
        return None
    from opweld.doctor.dispatcher import not_registered

    return not_registered(name)


_BACKWARD_RULES = (
    ("OW822", r"[^\n]*incorrect number of gradients[^\n]*"),
    ("OW823", r"[^\n]*modified by an inplace operation[^\n]*"),
    ("OW827", r"[^\n]*invalid gradient at index[^\n]*"),
)


def _backward(evidence: Evidence) -> Finding | None:
    for rule, pattern in _BACKWARD_RULES:
        if found := re.search(pattern, evidence.text):
            return Finding(rule, _place(evidence), found[0].strip())
    return None


def _no_gradient(evidence: Evidence) -> Finding | None:
    text = evidence.text
    named = re.search(r"(?:derivative for|not differentiable|autograd formula|autograd kernel)", text)
    lost = "does not require grad and does not have a grad_fn" in text
    # torch.library's backward of an operator without a formula fails in Python, outside of any operator.
    formula = re.search(r"Trying to backward through (\w+)\.(\w+)\.\w+ but no autograd formula", text)
    operator = f"{formula[1]}::{formula[2]}" if formula else evidence.operator
    if not lost and not (named and operator):
        return None
    without = [operator] if not lost else _without_autograd(evidence)
    if not without:
        return None
    names = ", ".join(without)
    many = len(without) > 1
    return Finding(
        "OW821",
        Place(names),
        f"{names} {'have' if many else 'has'} no autograd kernel, but the program takes gradients: none "
        f"flows through {'them' if many else 'it'}",
    )


def _without_autograd(evidence: Evidence) -> list[str]:
    """The operators that the program called, are not PyTorch's own, and let no gradient through."""
    from opweld.doctor.dispatcher import coverage, operator_names, resolve
    from opweld.explain.chain import AUTOGRAD, has_kernel

    entered = evidence.failures.entered if evidence.failures is not None else tuple(operator_names())
    found = []
    for name in entered:
        namespace, mark, _ = name.partition("::")
        if not mark or namespace in _TORCHS_OWN:
            continue
        rows = [coverage(overload) for overload in resolve(name)]
        if any(row["differentiable"] and not has_kernel(row["operator"], AUTOGRAD) for row in rows):
            found.append(name)
    return found


def _kernel_failed(evidence: Evidence) -> Finding | None:
    failure = evidence.failure
    if failure is None:
        found = re.search(r"[^\n]*\berror code(?: is|:) ?(?:5070|1610|3610|5610)\d\d\b[^\n]*", evidence.text)
        return Finding("OW911", _place(evidence), shortened(found[0].strip())) if found else None
    node = node_in(failure.message)
    if not (failure.task or failure.operators or node):
        return None
    blamed = (node.operator or f"the graph's node {node.name}") if node else _blamed(evidence) or failure.task
    message = without_prefix(failure.message)
    if node:
        message = message[message.index("node '") :]
    where = "" if failure.task else " before its kernel ran"
    told = f"{blamed} fails on the NPU{where}: {shortened(message)}"
    if _ON_PURPOSE in message:
        return Finding(
            "OW911",
            Place(blamed),
            told,
            cause="OPWELD_FAULTS or opweld.inject_faults has this task fail on purpose.",
            fix="Take the fault away: unset OPWELD_FAULTS, or leave the block of inject_faults.",
        )
    return Finding("OW911", Place(blamed), told, cause=f"The kernel itself says: {shortened(message)}")
