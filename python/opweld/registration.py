"""Whether an operator is registered completely: `check_operator_registration(name)`.

It asks the living dispatcher, so the operator's package must be imported first. It changes nothing.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import logging
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import torch

from opweld import aclnn, registration_rules, vendor
from opweld.device import reason as reason_of
from opweld.device import synchronize
from opweld.dispatch_table import Kernel, kernels_of
from opweld.errors import UsageError
from opweld.samples import (
    Sample,
    UnsupportedArgument,
    meta_samples,
    tensors_in,
    to_device,
    to_meta,
    with_optional_tensors,
)

logger = logging.getLogger("opweld.registration")

Status = Literal["ok", "note", "fault"]
_LEVELS: dict[Status, int] = {"ok": logging.INFO, "note": logging.WARNING, "fault": logging.ERROR}


@dataclass(frozen=True)
class Finding:
    """What one check found; `fix` says what to do about it, `rule` is the doctor's rule."""

    check: str
    status: Status
    detail: str
    fix: str = ""
    rule: str = ""

    def __str__(self) -> str:
        return f"{self.check}: {self.detail}" + (f" ({self.fix})" if self.fix else "")


@dataclass
class RegistrationReport:
    """All that was found about one operator; its text is a table."""

    operator: str
    schema: str
    findings: list[Finding] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether there is no fault (notes are none)."""
        return all(finding.status != "fault" for finding in self.findings)

    def finding(self, check: str) -> Finding:
        """The finding of one check, by its name. Raises KeyError."""
        for finding in self.findings:
            if finding.check == check:
                return finding
        raise KeyError(check)

    def add(self, check: str, status: Status, detail: str, fix: str = "", rule: str = "") -> None:
        """Records and logs a finding."""
        self.findings.append(Finding(check, status, detail, fix, rule))
        logger.log(_LEVELS[status], "%s: %s", self.operator, self.findings[-1])

    def __str__(self) -> str:
        width = max((len(finding.check) for finding in self.findings), default=0)
        lines = [self.schema] if self.schema else []
        for finding in self.findings:
            rule = f" [{finding.rule}]" if finding.rule else ""
            lines.append(f"  {finding.status:5}  {finding.check:{width}}  {finding.detail}{rule}")
            if finding.fix:
                lines.append(f"  {'':5}  {'':{width}}  -> {finding.fix}")
        return "\n".join(lines)


def check_operator_registration(
    name: str, *, samples: Sequence[Sample] | None = None, vendor_function: str | None = None
) -> RegistrationReport:
    """Checks schema, kernels per dispatch key, Meta, a run on the device, autograd, the vendor function.

    What `opweld doctor` finds besides is in the report, too: dynamic shapes, kernels under keys that shut out
    each other, backwards with the wrong gradients. Its rules are named where one is broken.

    `name` is `ns::op` or `ns::op.overload`, as `npu::npu_custom_linear` or `aten::add.Tensor`. `samples` are
    (arguments, keywords) to try it with; without them some are made from the schema. `vendor_function` is the
    aclnn function where neither the operator's package nor its name tells it. Findings are logged to
    `opweld.registration`, and where logging is not configured faults go to stderr. An operator that does not
    exist is a fault, the only one of the report, that names the nearest ones.
    """
    with _visible_findings():
        return _check(name, samples, vendor_function)


def _check(name: str, samples: Sequence[Sample] | None, vendor_function: str | None) -> RegistrationReport:
    try:
        qualified = _resolve(name)
    except UsageError as error:
        report = RegistrationReport(name, "")
        report.add("schema", "fault", str(error))
        return report
    base, _, overload = qualified.partition(".")
    schema = torch._C._get_schema(base, overload)
    text = schema_text(schema)
    report = RegistrationReport(qualified, text)
    report.add("schema", "ok", text)

    kernels = kernels_of(qualified)
    _check_kernels(report, kernels)
    operator = _overload_packet(base, overload)
    sample = _check_meta(report, operator, schema, kernels, samples)
    if sample is not None:
        _check_device(report, operator, sample, kernels)
        _check_autograd(report, operator, schema, sample, kernels, fuller=samples is None)
    _check_vendor_function(report, vendor_function)
    registration_rules.apply(report, qualified, sample)
    return report


def schema_text(schema: Any) -> str:
    """An operator's schema, with numbers in the shortest form, where torch writes 17 digits."""
    return re.sub(r"(?<==)-?\d+(\.\d+)?([eE][-+]?\d+)?(?=[,)\]])", _shortest, str(schema))


def _shortest(number: re.Match[str]) -> str:
    return repr(float(number[0])) if re.search(r"[.eE]", number[0]) else number[0]


@contextmanager
def _visible_findings() -> Iterator[None]:
    """Shows faults on stderr as long as nobody has said where log lines go; the report has the rest."""
    if logger.hasHandlers():
        yield
        return
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)


def _resolve(name: str) -> str:
    """The dispatcher's name of an operator written in any usual way."""
    wanted = name.removeprefix("torch.ops.")
    if "::" not in wanted and wanted.count(".") >= 1:
        wanted = wanted.replace(".", "::", 1)
    wanted = wanted.removesuffix(".default")
    names: list[str] = torch._C._dispatch_get_all_op_names()
    if wanted in names:
        return wanted
    overloads = sorted(known for known in names if known.partition(".")[0] == wanted)
    if len(overloads) == 1:
        return overloads[0]
    if overloads:
        raise UsageError(f"operator {name!r} has overloads; name one of {', '.join(overloads)}")
    bases = sorted({known.partition(".")[0] for known in names})
    same = [
        known
        for known in bases
        if known.partition("::")[2] == wanted.partition("::")[2] or known.endswith(f"::{wanted}")
    ]
    near = same or difflib.get_close_matches(wanted, bases, n=3, cutoff=0.75)
    advice = f"did you mean {' or '.join(near[:3])}?" if near else "no operator has a similar name"
    raise UsageError(f"operator {name!r} is not registered; {advice} ({_whose(wanted)})")


def _whose(operator: str) -> str:
    """Which installed operator packages have an operator that is not registered."""
    namespace, _, bare = operator.partition(".")[0].rpartition("::")
    pattern = re.compile(rf"torch\.ops\.{re.escape(namespace) or r'[A-Za-z_]+'}\.{re.escape(bare)}\b")
    owners = []
    for package in vendor.installed():
        if package.folder is None:
            continue
        module = package.folder.parents[1]
        source = module / "__init__.py"
        if source.is_file() and pattern.search(source.read_text(encoding="utf-8", errors="replace")):
            owners.append(module.name)
    if owners:
        return f"the installed package {' or '.join(owners)} has it: import {owners[0]} first"
    return "is its package imported?"


def _overload_packet(base: str, overload: str) -> Any:
    namespace, _, bare = base.partition("::")
    return getattr(getattr(getattr(torch.ops, namespace), bare), overload or "default")


def _check_kernels(report: RegistrationReport, kernels: dict[str, Kernel]) -> None:
    npu = kernels.get("PrivateUse1")
    if npu is None or npu.is_fallback:
        how = "torch_npu's fall-back runs it on the CPU" if npu else "calls with NPU tensors fail"
        report.add(
            "NPU kernel",
            "fault",
            f"none is registered for PrivateUse1; {how}",
            "register one, or load its library",
        )
    else:
        report.add("NPU kernel", "ok", npu.describe())
    for check, key in (
        ("CPU kernel", "CPU"),
        ("Meta kernel", "Meta"),
        ("autograd kernel", "AutogradPrivateUse1"),
    ):
        kernel = kernels.get(key)
        if kernel is not None and not kernel.is_fallback:
            report.add(check, "ok", kernel.describe())
        elif key == "Meta":
            report.add(
                check,
                "fault",
                "none, so torch.compile and torch.export cannot trace it",
                "register a Meta kernel",
            )
        elif key == "CPU":
            report.add(check, "note", "none, so it runs on the NPU only")
        else:
            report.add(check, "note", "none, so no gradient flows through it")


def _check_meta(
    report: RegistrationReport,
    operator: Any,
    schema: Any,
    kernels: dict[str, Kernel],
    samples: Sequence[Sample] | None,
) -> Sample | None:
    """Runs it on the meta device; returns the first sample that was accepted."""
    if "Meta" not in kernels or kernels["Meta"].is_fallback:
        return samples[0] if samples else None
    last: Exception | None = None
    try:
        candidates: Iterable[Sample] = samples if samples is not None else meta_samples(schema)
        for arguments, keywords in candidates:
            try:
                result = operator(
                    *to_meta(arguments), **{key: to_meta(value) for key, value in keywords.items()}
                )
            except Exception as error:  # an operator may raise anything
                last = error
                if samples is not None:
                    break
                continue
            shapes = ", ".join(_form(tensor) for tensor in tensors_in(result)) or "no tensor"
            report.add("Meta run", "ok", f"gives {shapes}")
            return arguments, keywords
    except UnsupportedArgument as error:
        report.add("Meta run", "note", str(error), "give samples=[(arguments, keywords)]")
        return None
    reason = reason_of(last) if last else "there is no sample"
    if samples is not None:
        report.add("Meta run", "fault", reason, "the Meta kernel refuses a sample that was given")
    else:
        report.add(
            "Meta run",
            "note",
            f"no arguments made from the schema were accepted: {reason}",
            "give samples=[...]",
        )
    return None


def _check_device(
    report: RegistrationReport, operator: Any, sample: Sample, kernels: dict[str, Kernel]
) -> None:
    """Runs it on the NPU (else on the CPU) and holds the result against Meta's."""
    device = _device(kernels)
    if device is None:
        report.add("device run", "note", "not tried: there is no NPU here and no CPU kernel")
        return
    try:
        real = tensors_in(_call(operator, sample, device))
        synchronize(device)
        meta = tensors_in(_call(operator, sample, "meta"))
    except Exception as error:  # an operator may raise anything
        report.add("device run", "fault", f"on {device}: {reason_of(error)}")
        return
    for index, (got, told) in enumerate(zip(real, meta, strict=False)):
        if _form(got) != _form(told):
            report.add(
                "device run",
                "fault",
                f"output {index} on {device} is {_form(got)}, but Meta says {_form(told)}",
                "make the Meta kernel give the kernel's shape, dtype and strides",
            )
            return
    if len(real) != len(meta):
        report.add("device run", "fault", f"{len(real)} tensors on {device}, but Meta gives {len(meta)}")
        return
    report.add("device run", "ok", f"on {device}, shapes, dtypes and strides as Meta says")


def _check_autograd(
    report: RegistrationReport,
    operator: Any,
    schema: Any,
    sample: Sample,
    kernels: dict[str, Kernel],
    *,
    fuller: bool,
) -> None:
    """Runs it with inputs that require a gradient, and backward where the result has one.

    `fuller`: with optional tensors that the sample leaves out, too.
    """
    device = _device(kernels)
    if device is None or schema.is_mutable or report.finding("device run").status == "fault":
        return
    if report.finding("autograd kernel").status != "ok":
        return
    found = _gradients(operator, sample, device)
    if found.status == "ok" and fuller:
        found = _gradients_of_optional(operator, schema, sample, device, found)
    report.add("autograd", found.status, found.detail)


@dataclass(frozen=True)
class _Gradients:
    """What a backward pass gave: for how many inputs, of how many that require a gradient."""

    status: Status
    detail: str
    given: int = 0
    wanted: int = 0


def _gradients_of_optional(
    operator: Any, schema: Any, sample: Sample, device: str, without: _Gradients
) -> _Gradients:
    """The gradients with the optional tensors given; `without` where that tells nothing more."""
    best, refused = without, None
    for positional, keywords in with_optional_tensors(schema, sample):
        candidate = positional, keywords
        try:
            _call(operator, candidate, "meta")
            _call(operator, candidate, device)
            synchronize(device)
        except Exception:  # made up from the schema: the operator may refuse it
            continue
        found = _gradients(operator, candidate, device)
        if found.status != "ok":
            refused = replace(found, detail=f"with its optional tensors given: {found.detail}")
        if found.status == "fault":
            break
        if found.given > best.given:
            best = found
        if found.wanted and found.given == found.wanted:
            break
    if refused is not None and (refused.status == "fault" or best is without):
        return refused
    return best


def _gradients(operator: Any, sample: Sample, device: str) -> _Gradients:
    """Runs it forward and backward."""
    arguments = to_device(sample[0], device, requires_grad=True)
    keywords = {key: to_device(value, device, requires_grad=True) for key, value in sample[1].items()}
    inputs = [tensor for tensor in tensors_in([arguments, list(keywords.values())]) if tensor.requires_grad]
    if not inputs:
        return _Gradients("ok", "no input can require a gradient")
    try:
        outputs = [tensor for tensor in tensors_in(operator(*arguments, **keywords)) if tensor.requires_grad]
        if not outputs:
            return _Gradients("note", "the result requires no gradient although an input does")
        gradients = torch.autograd.grad(
            outputs, inputs, [torch.ones_like(output) for output in outputs], allow_unused=True
        )
    except Exception as error:  # an operator may raise anything
        return _Gradients("note", f"no gradient: {reason_of(error)}")
    try:
        synchronize(device)
    except RuntimeError as error:
        return _Gradients("fault", f"the backward fails on {device}: {reason_of(error)}")
    for gradient, tensor in zip(gradients, inputs, strict=True):
        if gradient is not None and gradient.shape != tensor.shape:
            told = f"a gradient has shape {list(gradient.shape)}, its input {list(tensor.shape)}"
            return _Gradients("fault", told)
    given = sum(gradient is not None for gradient in gradients)
    told = f"gradients for {given} of {len(inputs)} inputs on {device}"
    return _Gradients("ok", told, given, len(inputs))


def _check_vendor_function(report: RegistrationReport, named: str | None) -> None:
    known = aclnn.declared_functions().get(report.operator, ())
    if not named and known is None:
        report.add("vendor function", "ok", "none is needed: PyTorch's own operators do the work")
        return
    certain = named or known
    functions = [certain] if certain else aclnn.function_names(report.operator)
    problems: dict[str, None] = {}
    for function in functions:
        library, found = aclnn.find_function(function)
        if library is not None:
            report.add("vendor function", "ok", f"{function} in {library}")
            return
        problems |= dict.fromkeys(found)
    names = " or ".join(functions)
    told = "; ".join([f"no {names} in a vendor package or {aclnn.BUILT_IN_LIBRARY}", *problems])
    if certain:
        report.add(
            "vendor function", "fault", told, "install the vendor package, then import opweld before torch"
        )
    else:
        report.add("vendor function", "note", told, "if it has another name: vendor_function='aclnnXxx'")


def _device(kernels: dict[str, Kernel]) -> str | None:
    npu = getattr(torch, "npu", None)
    if npu is not None and npu.is_available() and "PrivateUse1" in kernels:
        return "npu"
    return "cpu" if "CPU" in kernels else None


def _call(operator: Any, sample: Sample, device: str) -> Any:
    convert = to_meta if device == "meta" else (lambda value: to_device(value, device))
    return operator(*convert(sample[0]), **{key: convert(value) for key, value in sample[1].items()})


def _form(tensor: torch.Tensor) -> str:
    dtype = str(tensor.dtype).removeprefix("torch.")
    return f"{dtype}{list(tensor.shape)} strides {list(tensor.stride())}"


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m opweld.registration [--import MODULE]... OPERATOR...`: reports; 1 where there is a fault.

    2 where a module cannot be imported.
    """
    parser = argparse.ArgumentParser(prog="python -m opweld.registration", description=__doc__)
    parser.add_argument("--import", dest="modules", action="append", default=[], metavar="MODULE")
    parser.add_argument("operators", nargs="+", metavar="OPERATOR")
    options = parser.parse_args(arguments)
    for module in options.modules:
        try:
            importlib.import_module(module)
        except Exception as error:  # a module may raise anything
            print(f"opweld: error: {module} cannot be imported: {reason_of(error)}", file=sys.stderr)
            return 2
    reports = []
    for name in options.operators:
        reports.append(check_operator_registration(name))
        print(reports[-1])
    return 0 if all(report.ok for report in reports) else 1


if __name__ == "__main__":
    logger.propagate = False  # the report says it all
    logger.addHandler(logging.NullHandler())
    sys.exit(main())
