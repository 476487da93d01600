"""What a check is, and what it is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from opweld.device import reason
from opweld.verify.arguments import Arguments, results_in, tensors_in
from opweld.verify.compare import to_host
from opweld.verify.operators import Operator
from opweld.verify.verdict import Skip, Verdict


@dataclass(frozen=True)
class Context:
    """One operator, one sample, one device."""

    operator: Operator
    arguments: Arguments
    device: str
    seed: int

    def eager(self) -> list[Any]:
        """The results of a plain call, on the CPU. Raises Skip where it fails: that is `result`'s fault."""
        try:
            return to_host(self.operator.call(self.arguments, self.device))
        except Exception as error:  # an operator may raise anything
            raise Skip(f"the operator fails when it is simply called: {reason(error)}") from error

    def require_pure(self) -> None:
        """Raises Skip for an operator that writes into its arguments or returns them."""
        if self.operator.schema.is_mutable or any(
            result.alias_info is not None for result in self.operator.schema.returns
        ):
            raise Skip("the operator writes into its arguments or returns views of them")

    def require_tensors(self) -> None:
        """Raises Skip for an operator without a tensor argument in this sample."""
        if not self.arguments.tensors():
            raise Skip("no argument is a tensor")

    def floating_results(self) -> bool:
        """Whether a plain call has a result that could have a gradient."""
        return any(is_differentiable(result) for result in results_in(self.eager()))


def is_differentiable(value: Any) -> bool:
    """Whether a value could have a gradient."""
    return isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())


def leaves(made: tuple[tuple[Any, ...], dict[str, Any]]) -> list[Tensor]:
    """The tensors of made arguments that require a gradient."""
    return [tensor for tensor in tensors_in([list(made[0]), made[1]]) if tensor.requires_grad]


def differentiable_results(value: Any) -> list[Tensor]:
    """The results that require a gradient."""
    return [item for item in results_in(value) if isinstance(item, Tensor) and item.requires_grad]


def shares(outputs: list[Tensor], seed: int) -> list[Tensor]:
    """Gradients to go backward with: the same values on every device and for every dtype."""
    generator = torch.Generator().manual_seed(seed)
    return [
        torch.randn(output.shape, generator=generator, dtype=torch.float64).to(output.dtype).to(output.device)
        for output in outputs
    ]


@dataclass(frozen=True)
class Check:
    """A check by name.

    `cases`: all samples, or only small ones in plain memory; `floating`, `dtype`: of these dtypes only;
    `limit`: how many for each dtype (`per_dtype`) or in all. `needs`: checks that must have found nothing for
    this operator and device; `needs_case`: the same for this sample. `call`: how a reproduction calls it.
    """

    name: str
    run: Callable[[Context], Verdict]
    cases: Literal["all", "plain"] = "plain"
    limit: int = 0
    per_dtype: bool = False
    floating: bool = False
    dtype: str = ""
    devices: tuple[str, ...] = ("npu", "cpu")
    needs: tuple[str, ...] = ()
    needs_case: tuple[str, ...] = ()
    call: str = "print({call})"
