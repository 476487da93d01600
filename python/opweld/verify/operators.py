"""An operator under examination: its kernels, what its spec says, and what its results are held against."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from opweld.device import reason, synchronize
from opweld.dispatch_table import Kernel, kernels_of
from opweld.verify.arguments import Arguments, short_dtype
from opweld.verify.rules import SpecRules
from opweld.verify.verdict import Failure

Reference = Callable[..., Any]
CPU_KERNEL = "its CPU kernel"
SPEC_REFERENCE = "the spec's reference"


@dataclass
class Operator:
    """A registered operator (`npu::npu_custom_linear`, `aten::add.Tensor`)."""

    name: str
    overload: Any
    rules: SpecRules | None = None
    own_reference: Reference | None = None
    kernels: dict[str, Kernel] = field(default_factory=dict)
    samples: list[Arguments] = field(default_factory=list)
    made_up: bool = False
    # Whether a gradient is expected; None: where the result of the reference has one.
    differentiable: bool | None = None

    @property
    def schema(self) -> Any:
        """The operator's schema as torch parses it."""
        return self.overload._schema

    @property
    def namespace(self) -> str:
        """`npu` of `npu::npu_custom_linear`."""
        return self.name.partition("::")[0]

    def has_kernel(self, device: str) -> bool:
        """Whether it has a kernel of its own for the device (`cpu`, `npu`, `meta`)."""
        key = {"cpu": "CPU", "npu": "PrivateUse1", "meta": "Meta"}[device]
        return key in self.kernels and not self.kernels[key].is_fallback

    def devices(self) -> list[str]:
        """The devices on which it can be examined here; PyTorch's own operators on the NPU only."""
        npu = getattr(torch, "npu", None)
        found = []
        if self.has_kernel("npu") and npu is not None and npu.is_available():
            found.append("npu")
        if self.has_kernel("cpu") and (self.namespace != "aten" or not found):
            found.append("cpu")
        return found

    def optional_arguments(self) -> set[int | str]:
        """The arguments that may be None, by index or keyword."""
        places: set[int | str] = set()
        for index, argument in enumerate(self.schema.arguments):
            if str(argument.type).startswith("Optional["):
                places.add(argument.name if argument.kwarg_only else index)
        return places

    def mutated(self) -> list[int | str]:
        """The arguments that it writes into, by index or keyword."""
        return [
            argument.name if argument.kwarg_only else index
            for index, argument in enumerate(self.schema.arguments)
            if argument.alias_info is not None and argument.alias_info.is_write
        ]

    def is_random(self) -> bool:
        """Whether its results depend on a random generator."""
        takes_generator = any("Generator" in str(argument.type) for argument in self.schema.arguments)
        return takes_generator or torch.Tag.nondeterministic_seeded in self.overload.tags

    def returns_views(self) -> bool:
        """Whether a result is a view of an argument."""
        aliases = [result.alias_info for result in self.schema.returns]
        return any(alias is not None and not alias.is_write for alias in aliases)

    def depends_on_data(self) -> bool:
        """Whether shapes or numbers that it returns depend on the values of tensors."""
        tags = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
        if tags & set(self.overload.tags):
            return True
        return self.rules is not None and self.rules.depends_on_data

    def knows_arguments(self) -> bool:
        """Whether its samples are known to be right calls, not made up from the schema alone."""
        return not self.made_up

    def references(self, device: str) -> list[tuple[str, Reference]]:
        """What its results on `device` are held against, by name, the best first; may be empty."""
        if self.own_reference is not None:
            return [("the reference", self.own_reference)]
        if self.rules is not None and self.rules.reference is not None:
            return [(SPEC_REFERENCE, self.rules.reference)]
        if device == "npu" and self.has_kernel("cpu"):
            return [(CPU_KERNEL, self.overload)]
        return []

    def caution(self, device: str) -> str:
        """Why nothing proves its results on `device` right; empty where there is a reference that does."""
        references = self.references(device)
        if self.namespace == "aten" or any(reference is not self.overload for _, reference in references):
            return ""
        why = "the spec has no reference" if self.rules is not None else "there is no reference"
        if references:
            return f"compared with its own CPU kernel only: {why}"
        return f"values were not compared: {why}"

    def reference_fault(self, name: str, error: Exception) -> Failure | None:
        """The fault that a reference is which fails with `error` for arguments that the operator takes.

        None where that is no fault: a reference may lack a dtype, and arguments may be made up.
        """
        text = str(error)
        lacks = any(phrase in text for phrase in ("not implemented for '", "no floating-point argument"))
        if lacks or not self.knows_arguments() or name == CPU_KERNEL:
            return None
        if name == SPEC_REFERENCE and self.rules is not None:
            name = f"{name} ({self.rules.model['reference_place']})"
        return Failure("reference", f"{name} cannot be computed: {reason(error)}")

    def call(self, arguments: Arguments, device: str, **options: Any) -> Any:
        """Calls it on fresh tensors and waits for the device."""
        positional, keywords = arguments.make(device, **options)
        return self.run(device, positional, keywords)

    def run(self, device: str, positional: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Calls it on these arguments and waits for the device."""
        if self.is_random():
            torch.manual_seed(0)
        result = self.overload(*positional, **keywords)
        synchronize(device)
        return result


def find_overload(qualified: str) -> Any:
    """torch.ops' object for `ns::op` or `ns::op.overload`."""
    base, _, overload = qualified.partition(".")
    namespace, _, name = base.partition("::")
    return getattr(getattr(getattr(torch.ops, namespace), name), overload or "default")


def make_operator(qualified: str, rules: SpecRules | None, reference: Reference | None) -> Operator:
    """Looks an operator up; it must be registered."""
    operator = Operator(qualified, find_overload(qualified), rules, reference)
    operator.kernels = kernels_of(qualified)
    return operator


def dtype_label(arguments: Arguments) -> str:
    """The dtypes of a sample: that of its tensors, several joined by `/`."""
    dtypes = list(dict.fromkeys(short_dtype(tensor.dtype) for tensor in arguments.tensors()))
    return "/".join(dtypes) or "none"
