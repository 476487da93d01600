"""Examines operators in the living dispatcher of this process: kernels, Meta, a run on the device, gradients.

It calls the operators, so a process of its own is the place for it: see `opweld.doctor.child`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Any

import torch

from opweld import aclnn
from opweld.device import NO_FAKE, NOT_IMPLEMENTED, synchronize
from opweld.device import reason as reason_of
from opweld.dispatch_table import Kernel, kernels_of
from opweld.doctor.findings import Finding, Place
from opweld.doctor.graphs import examine_graph, has_converter
from opweld.doctor.symbolic import examine_symbolic
from opweld.graph import conversion
from opweld.samples import Sample, UnsupportedArgument, meta_samples, tensors_in, to_device, to_meta

_BACKWARD = re.compile(r"(^|_)(backward|grad|bwd)(_|$|v\d)", re.IGNORECASE)


def operator_names(namespace: str = "") -> list[str]:
    """The registered operators (`ns::op.overload`), of one namespace or of all."""
    names: list[str] = torch._C._dispatch_get_all_op_names()
    return sorted(name for name in names if not namespace or name.startswith(f"{namespace}::"))


def resolve(name: str) -> list[str]:
    """The dispatcher's names of an operator written in any usual way; all overloads where none is named."""
    wanted = name.removeprefix("torch.ops.")
    if "::" not in wanted and "." in wanted:
        wanted = wanted.replace(".", "::", 1)
    wanted = wanted.removesuffix(".default")
    names = operator_names()
    if wanted in names:
        return [wanted]
    return [known for known in names if known.partition(".")[0] == wanted]


def examine_operator(
    name: str, samples: Sequence[Sample] | None = None, *, graph: bool = False
) -> list[Finding]:
    """What is wrong with a registered operator; OW720 where it is not registered.

    `graph` says that it must be usable in torchair's graphs.
    """
    found = resolve(name)
    if not found:
        return [not_registered(name)]
    return [item for known in found for item in _Operator(known, samples, graph).examine()]


def examine_conversion(name: str) -> list[Finding]:
    """What is wrong with the way of a registered operator (`ns::op.overload`) into graphs."""
    operator = _Operator(name, None, graph=True)
    try:
        sample = operator.accepted_sample()
    except UnsupportedArgument:
        sample = None
    return examine_graph(name, operator.call, sample, asked=True)


def not_registered(name: str) -> Finding:
    """OW720, with the names that are near."""
    bare = name.rpartition("::")[2]
    bases = sorted({known.partition(".")[0] for known in operator_names()})
    same = [known for known in bases if known.partition("::")[2] == bare]
    near = same or difflib.get_close_matches(name, bases, n=2, cutoff=0.75)
    hint = f"; did you mean {' or '.join(near[:2])}?" if near else ""
    return Finding("OW720", Place(name), f"operator {name} is not registered in this process{hint}")


def coverage(name: str) -> dict[str, Any]:
    """Which kernels an operator has: a row of the table over a namespace."""
    kernels = kernels_of(name)
    schema = torch._C._get_schema(*_split(name))
    return {
        "operator": name,
        "npu": _has(kernels, "PrivateUse1"),
        "meta": _has(kernels, "Meta"),
        "autograd": _has_autograd(name, kernels),
        "differentiable": _is_differentiable(name, schema),
        "converter": not conversion.obstacle() and has_converter(find_overload(name)),
        "in_graphs": not schema.is_mutable,
    }


def find_overload(name: str) -> Any:
    """torch.ops' object for a name of the dispatcher."""
    base, overload = _split(name)
    namespace, _, bare = base.partition("::")
    return getattr(getattr(getattr(torch.ops, namespace), bare), overload or "default")


def _split(name: str) -> tuple[str, str]:
    base, _, overload = name.partition(".")
    return base, overload


def _has(kernels: dict[str, Kernel], key: str) -> bool:
    kernel = kernels.get(key)
    return kernel is not None and not kernel.is_fallback


def _has_autograd(name: str, kernels: dict[str, Kernel]) -> bool:
    kernel = kernels.get("AutogradPrivateUse1")
    return kernel is not None and not kernel.is_fallback


def _is_differentiable(name: str, schema: Any) -> bool:
    """Whether gradients may be expected of it, by its schema and name."""
    takes = any("Tensor" in str(argument.type) for argument in schema.arguments)
    gives = any("Tensor" in str(result.type) for result in schema.returns)
    bare, _, overload = name.partition("::")[2].partition(".")
    writes = schema.is_mutable or "out" in overload.split("_")
    return takes and gives and not writes and not _BACKWARD.search(bare)


class _Operator:
    def __init__(self, name: str, samples: Sequence[Sample] | None, graph: bool = False) -> None:
        self.name = name
        self.graph = graph
        base, overload = _split(name)
        self.schema = torch._C._get_schema(base, overload)
        self.call = find_overload(name)
        self.kernels = kernels_of(name)
        self.samples = samples
        self.findings: list[Finding] = []

    def add(self, rule: str, message: str, *, cause: str = "", fix: str = "") -> None:
        self.findings.append(Finding(rule, Place(self.name), message, cause, fix))

    def examine(self) -> list[Finding]:
        npu, meta = _has(self.kernels, "PrivateUse1"), _has(self.kernels, "Meta")
        if not npu:
            how = (
                "torch_npu's fall-back runs it on the CPU" if "PrivateUse1" in self.kernels else "calls fail"
            )
            others = [key for key in ("CPU", "CUDA") if _has(self.kernels, key)]
            told = f"only for {', '.join(others)}" if others else "none at all"
            self.add("OW706", f"{self.name} has no kernel for PrivateUse1 ({told}); with NPU tensors {how}")
        if not meta:
            self.add(
                "OW801", f"{self.name} has no Meta kernel, so torch.compile and torch.export cannot trace it"
            )
        self._composite()
        self._autograd_kernel()
        sample = self._meta() if meta else (self.samples[0] if self.samples else None)
        if sample is not None and meta:
            if not any(item.rule_id == "OW805" for item in self.findings):
                self.findings += examine_symbolic(self.name, self.call, sample)
            device = self._device()
            if device and self._compare(sample, device):
                self._gradients(sample, device)
        self._vendor_function()
        wrong_meta = any(item.rule_id == "OW805" for item in self.findings)
        self.findings += examine_graph(self.name, self.call, None if wrong_meta else sample, asked=self.graph)
        return self.findings

    def _direct(self, key: str) -> bool:
        return bool(torch._C._dispatch_has_kernel_for_dispatch_key(self.name, key))

    def _composite(self) -> None:
        if not (self._direct("CompositeImplicitAutograd") and self._direct("PrivateUse1")):
            return
        if not (self._direct("AutogradPrivateUse1") or self._direct("Autograd")):
            self.add(
                "OW710",
                f"{self.name} has a kernel for PrivateUse1 besides CompositeImplicitAutograd and no "
                "autograd kernel: "
                "on the NPU its gradient is lost",
            )

    def _autograd_kernel(self) -> None:
        if not _has_autograd(self.name, self.kernels) and _is_differentiable(self.name, self.schema):
            self.add("OW829", f"{self.name} has no autograd kernel: no gradient flows through it")

    def _device(self) -> str | None:
        npu = getattr(torch, "npu", None)
        if _has(self.kernels, "PrivateUse1") and npu is not None and npu.is_available():
            return "npu"
        return "cpu" if _has(self.kernels, "CPU") else None

    def _meta(self) -> Sample | None:
        """Runs it on the meta device; the first sample that is accepted."""
        given = self.samples is not None
        last: Exception | None = None
        try:
            for sample in self.samples if self.samples is not None else meta_samples(self.schema):
                try:
                    results = self._run(sample, "meta")
                except Exception as error:  # an operator may raise anything
                    if any(told in str(error).lower() for told in NO_FAKE):
                        self.add(
                            "OW801",
                            f"{self.name} has no Meta kernel, so torch.compile and torch.export cannot "
                            "trace it",
                        )
                        return None
                    last = last or error
                    continue
                self._meta_results(results)
                return sample
        except UnsupportedArgument:
            return None
        if last is not None and (given or self._accepted_by_kernel()):
            self.add("OW810", f"the Meta of {self.name} fails: {reason_of(last)}")
        return None

    def accepted_sample(self) -> Sample | None:
        """The first sample that Meta accepts."""
        for sample in meta_samples(self.schema):
            try:
                self._run(sample, "meta")
            except Exception:  # an operator may raise anything
                continue
            return sample
        return None

    def _accepted_by_kernel(self) -> bool:
        """Whether the kernel takes a sample that Meta refuses."""
        device = self._device()
        if device is None:
            return False
        for index, sample in enumerate(meta_samples(self.schema)):
            if index == 4:
                return False
            try:
                self._run(sample, device)
                synchronize(device)
            except Exception:  # an operator may raise anything
                continue
            return True
        return False

    def _run(self, sample: Sample, device: str) -> Any:
        convert = to_meta if device == "meta" else (lambda value: to_device(value, device))
        return self.call(*convert(sample[0]), **{key: convert(value) for key, value in sample[1].items()})

    def _meta_results(self, results: Any) -> None:
        wrong = [tensor.device.type for tensor in tensors_in(results) if tensor.device.type != "meta"]
        if wrong:
            self.add(
                "OW805",
                f"tensor's device must be meta, got {wrong[0]}: the Meta of {self.name} makes it there",
            )

    def _compare(self, sample: Sample, device: str) -> bool:
        """Holds the kernel's results against Meta's; whether the kernel ran."""
        try:
            real = tensors_in(self._run(sample, device))
            synchronize(device)
        except Exception as error:  # an operator may raise anything
            self._kernel_failed(error, device)
            return False
        told = tensors_in(self._run(sample, "meta"))
        if len(real) != len(told):
            self.add(
                "OW811", f"{self.name} gives {len(real)} tensors on {device}, but its Meta gives {len(told)}"
            )
            return True
        for index, (got, meta) in enumerate(zip(real, told, strict=True)):
            self._compare_one(
                f"result {index} of {self.name}" if len(real) > 1 else f"the result of {self.name}",
                got,
                meta,
                device,
            )
        return True

    def _compare_one(self, what: str, got: torch.Tensor, meta: torch.Tensor, device: str) -> None:
        if got.device.type != device:
            self.add("OW911", f"{what} is on {got.device.type}, although its inputs are on {device}")
        if got.shape != meta.shape:
            self.add(
                "OW802", f"{what} has shape {list(got.shape)} on {device}, but Meta says {list(meta.shape)}"
            )
        elif got.dtype != meta.dtype:
            self.add("OW803", f"{what} is {_dtype(got)} on {device}, but Meta says {_dtype(meta)}")
        elif got.stride() != meta.stride() and got.numel():
            self.add(
                "OW804",
                f"{what} has strides {list(got.stride())} on {device}, but Meta says {list(meta.stride())}",
            )

    def _kernel_failed(self, error: Exception, device: str) -> None:
        reason = reason_of(error)
        missing = re.search(r"(aclnn\w+?)(GetWorkspaceSize)?\b.*not (?:in|found)", str(error))
        if NOT_IMPLEMENTED in reason:
            self.add("OW912", f"{self.name} cannot run here: {reason}")
        elif isinstance(error, torch.OutOfMemoryError):
            wanted = re.search(r"Tried to allocate ([\d.]+ \w+)", reason)
            told = f" for {wanted[1]}" if wanted else ""
            self.add("OW913", f"{self.name} finds no memory on {device}{told}")
        elif missing:
            self.add("OW901", f"{self.name} calls {missing[1]}, which is nowhere: {reason}")
        else:
            self.add("OW911", f"{self.name} fails on {device}: {reason}", cause=_own_words(reason))

    def _gradients(self, sample: Sample, device: str) -> None:
        if self.schema.is_mutable or not _has_autograd(self.name, self.kernels):
            return
        arguments = to_device(sample[0], device, requires_grad=True)
        keywords = {key: to_device(value, device, requires_grad=True) for key, value in sample[1].items()}
        inputs = [item for item in tensors_in([arguments, list(keywords.values())]) if item.requires_grad]
        if not inputs:
            return
        try:
            results = self.call(*arguments, **keywords)
            outputs = [item for item in tensors_in(results) if item.requires_grad]
            floating = [item for item in tensors_in(results) if item.is_floating_point()]
            if not outputs:
                if floating:
                    self.add(
                        "OW828", f"the result of {self.name} requires no gradient although its input does"
                    )
                return
            gradients = torch.autograd.grad(
                outputs, inputs, [torch.ones_like(item) for item in outputs], allow_unused=True
            )
            synchronize(device)
        except Exception as error:  # an operator may raise anything
            self._backward_failed(error, inputs)
            return
        for gradient, tensor in zip(gradients, inputs, strict=True):
            if gradient is not None and gradient.shape != tensor.shape:
                self.add(
                    "OW827",
                    f"a gradient of {self.name} has shape {list(gradient.shape)}, its input "
                    f"{list(tensor.shape)}",
                )

    def _backward_failed(self, error: Exception, inputs: Sequence[torch.Tensor]) -> None:
        text, reason = str(error), reason_of(error)
        refusals = ("not differentiable", "derivative", "no autograd formula was registered")
        if isinstance(error, NotImplementedError) or any(told in text for told in refusals):
            return  # it refuses, clearly
        if "incorrect number of gradients" in text:
            self.add("OW822", f"the backward of {self.name}: {reason}")
        elif NOT_IMPLEMENTED in text:
            self.add("OW912", f"the backward of {self.name} cannot run here: {reason}")
        elif "modified by an inplace operation" in text:
            self.add("OW823", f"the backward of {self.name}: {reason}")
        elif "invalid gradient at index" in text and "shape" in text:
            cause, fix = _swapped(text, [list(item.shape) for item in inputs])
            self.add("OW827", f"the backward of {self.name}: {reason}", cause=cause, fix=fix)
        else:
            self.add(
                "OW911", f"the backward of {self.name} fails: {reason}", cause=_own_words(reason, "backward")
            )

    def _vendor_function(self) -> None:
        """The aclnn function that the operator's package declares; a guess by name would prove nothing."""
        function = aclnn.declared_functions().get(self.name)
        if not function:
            return
        library, problems = aclnn.find_function(function)
        if library is None:
            told = "; ".join(problems) or f"it is in no vendor package, nor in {aclnn.BUILT_IN_LIBRARY}"
            rule = "OW902" if any("lacks" in problem for problem in problems) else "OW901"
            self.add(rule, f"{self.name} calls {function}: {told}")


def _own_words(reason: str, who: str = "kernel") -> str:
    """The cause of a failed call: what the kernel itself said, without the names of who passed it on."""
    words = re.sub(r"^(\w*(Error|Exception): |aclrt\w+: )+", "", reason)
    return f"The {who} itself says: {words}"


def _swapped(text: str, shapes: Sequence[list[int]]) -> tuple[str, str]:
    """Cause and fix where a gradient that autograd refused has the shape of another input, else nothing."""
    told = re.search(r"got \[([\d, ]*)\] but expected shape compatible with \[([\d, ]*)\]", text)
    if told is None:
        return "", ""
    got, wanted = ([int(size) for size in part.split(",") if size.strip()] for part in told.groups())
    if got == wanted or got not in shapes or wanted not in shapes:
        return "", ""
    return (
        f"The gradient has the shape of another input, {got}: the gradients are given in another order than "
        "that of the inputs.",
        "Give each input its own gradient: the order of `gives` in a spec, of what backward returns in code.",
    )


def _dtype(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")
