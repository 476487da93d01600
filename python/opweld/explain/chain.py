"""The way from a program to the kernel that failed: operators, kernels, aclnn function or graph node."""

from __future__ import annotations

from dataclasses import dataclass

from opweld.explain.failures import Failure, Failures
from opweld.explain.graphs import node_in

AUTOGRAD, NPU, META = "AutogradPrivateUse1", "PrivateUse1", "Meta"
_RECENT = 8  # operators that may have run while an exception made its way up, as `finally` does


@dataclass(frozen=True)
class Link:
    """One step, and what is known about it."""

    name: str
    about: str = ""

    def __str__(self) -> str:
        return f"{self.name}  {self.about}".rstrip()


def chain_of(failure: Failure | None, failures: Failures, operator: str) -> tuple[Link, ...]:
    """The steps, outermost first. `operator` is the one that the error itself names, or ""."""
    names: tuple[str, ...] = ()
    if failure is not None:
        names = failure.operators
    if not names and 0 <= failures.since <= _RECENT:
        names = failures.raised
    if operator and not any(operator.partition(".")[0] == name for name in names):
        names = (operator,)
    steps = [name for name in names if "::" in name or "Backward" in name]
    links = [
        Link(name, _kernels(name))
        for index, name in enumerate(steps)
        if index == 0 or name != steps[index - 1]  # an operator that calls itself below a dispatch key
    ]
    if failure is not None and failure.task:
        told = ", ".join(f"{name} {value}" for name, value in failure.arguments.items())
        links.append(Link(failure.task, f"({told})" if told else ""))
    node = node_in(failure.message) if failure is not None else None
    if node is not None:
        links.append(
            Link(f"{node.type} '{node.name}'", f"[graph node of {node.origin}]" if node.origin else "")
        )
    return tuple(links)


def _kernels(name: str) -> str:
    """Which kernels an operator has where autograd, the NPU and Meta look for one; "" for what is none."""
    from opweld.dispatch_table import kernels_of
    from opweld.doctor.dispatcher import resolve

    if "::" not in name:
        return "(backward)" if "Backward" in name else ""
    overloads = resolve(name)
    if not overloads:
        return ""
    kernels = kernels_of(overloads[0])
    told = [
        f"{what}: {kernels[key].describe() if has_kernel(overloads[0], key) else 'none'}"
        for what, key in (("autograd", AUTOGRAD), ("NPU", NPU), ("Meta", META))
    ]
    return f"[{'; '.join(told)}]"


def has_kernel(operator: str, key: str) -> bool:
    """Whether an operator has a kernel that does something under a key: fallthrough kernels only pass on."""
    from opweld.dispatch_table import kernels_of

    kernel = kernels_of(operator).get(key)
    return kernel is not None and not kernel.is_fallback and not kernel.where.startswith("fallthrough")
