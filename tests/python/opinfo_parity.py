"""PyTorch's own samples (OpInfo) on the NPU and on the CPU: values and gradients must agree.

Runs in a process on the software NPU (see npu_process.py). An operator that needs a missing aclnn function is
not implemented; what counts are the samples of the others.
"""

import contextlib
import random
import re
import warnings
from collections.abc import Iterator
from typing import Any

import torch
import torch_npu  # noqa: F401
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_flatten, tree_map

_MISSING = re.compile(
    r"(?:\b(acl\w+): the software NPU does not implement|operator (\w+) was sent to the older)"
)
_TOLERANCE = {torch.float16: (2e-3, 2e-3), torch.bfloat16: (2e-2, 2e-2), torch.float32: (1e-5, 2e-5)}
_RANDOM = re.compile(
    r"bernoulli|dropout|rand|normal|uniform|exponential|cauchy|geometric|log_normal|multinomial|rrelu"
    r"|fractional_max_pool|empty|svd_lowrank|pca_lowrank"
)


def names() -> list[str]:
    """All operators, as "name" or "name.variant"."""
    return sorted({_name(op) for op in op_db})


def _name(op: Any) -> str:
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else str(op.name)


def _moved(value: Any, device: str, grad: bool) -> Any:
    if isinstance(value, torch.Tensor):
        moved = value.detach().to(device)
        return moved.requires_grad_() if grad and value.requires_grad else moved
    if isinstance(value, torch.device):
        return torch.device(device)
    return value


def _arguments(sample: Any, device: str, grad: bool) -> tuple[list[Any], dict[str, Any]]:
    def move(value: Any) -> Any:
        return tree_map(lambda item: _moved(item, device, grad), value)

    keywords = {key: device if key == "device" else move(value) for key, value in sample.kwargs.items()}
    return [move(sample.input), *map(move, sample.args)], keywords


def _tensors(value: Any) -> list[torch.Tensor]:
    return [item for item in tree_flatten(value)[0] if isinstance(item, torch.Tensor)]


def _forward(op: Any, sample: Any, device: str) -> Any:
    arguments, keywords = _arguments(sample, device, grad=False)
    torch.manual_seed(0)
    return sample.output_process_fn_grad(op(*arguments, **keywords))


def _backward(op: Any, sample: Any, device: str) -> Any:
    arguments, keywords = _arguments(sample, device, grad=True)
    torch.manual_seed(0)
    result = sample.output_process_fn_grad(op(*arguments, **keywords))
    outputs = [t for t in _tensors(result) if t.requires_grad]
    inputs = [t for t in _tensors([arguments, keywords]) if t.requires_grad and t.is_leaf]
    if not outputs or not inputs:
        return None
    generator = torch.Generator().manual_seed(1)
    shares = [torch.randn(t.shape, generator=generator).to(t.dtype).to(device) for t in outputs]
    return torch.autograd.grad(outputs, inputs, shares, allow_unused=True)


def _compare(got: Any, want: Any, values: bool) -> str:
    got, want = tree_flatten(got)[0], tree_flatten(want)[0]
    if len(got) != len(want):
        return f"{len(got)} results instead of {len(want)}"
    for index, (mine, his) in enumerate(zip(got, want, strict=True)):
        if not isinstance(his, torch.Tensor):
            if mine != his and values and mine == mine:
                return f"result {index}: {mine} instead of {his}"
            continue
        if mine is None:
            return f"result {index}: None for {his.dtype}{list(his.shape)}"
        if (mine.shape, mine.dtype) != (his.shape, his.dtype):
            return f"result {index}: {mine.dtype}{list(mine.shape)} for {his.dtype}{list(his.shape)}"
        if values:
            rtol, atol = _TOLERANCE.get(his.dtype, (1e-5, 1e-5))
            try:
                torch.testing.assert_close(mine.cpu(), his, rtol=rtol, atol=atol, equal_nan=True)
            except AssertionError as error:
                return f"result {index}: " + " ".join(str(error).split())[:200]
    return ""


def _samples(op: Any, dtype: torch.dtype, grad: bool, count: int, seed: int) -> list[Any]:
    torch.manual_seed(seed)
    found = list(op.sample_inputs("cpu", dtype, requires_grad=grad))
    return found if count <= 0 or len(found) <= count else random.Random(seed).sample(found, count)


def _try(op: Any, sample: Any, run: Any, values: bool) -> tuple[str, str] | None:
    """(outcome, what): "passed", "missing", "wrong", "refused"; None where the CPU has no result."""
    try:
        want = run(op, sample, "cpu")
    except Exception:
        return None
    if want is None or (run is _backward and not values):
        return None
    try:
        got = run(op, sample, "npu")
        torch.npu.synchronize()
        difference = _compare(got, want, values)
    except Exception as error:  # whatever it is, it is the outcome
        with contextlib.suppress(RuntimeError):
            torch.npu.synchronize()  # what it left behind must not become the next sample's error
        text = str(error)
        if found := _MISSING.search(text):
            return "missing", found[1] or f"aclop:{found[2]}"
        told = [line for line in text.splitlines() if re.match(r"acl\w+:", line)]
        return "refused", f"{type(error).__name__}: " + (told[-1] if told else text.split("\n")[0])[:300]
    return ("wrong", difference) if difference else ("passed", "")


def _directions(op: Any, dtype: torch.dtype) -> Iterator[tuple[str, Any, bool]]:
    if dtype in op.supported_dtypes("cpu"):
        yield "forward", _forward, False
        if op.supports_autograd and dtype in op.supported_backward_dtypes("cpu"):
            yield "backward", _backward, True


def check(only: list[str], dtype: str, count: int = 0, seed: int = 0) -> list[dict[str, Any]]:
    """For each operator and direction: how many samples passed, and the different other outcomes."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    wanted = getattr(torch, dtype)
    rows = []
    for op in op_db:
        if _name(op) not in only:
            continue
        values = not _RANDOM.search(op.name)
        for direction, run, grad in _directions(op, wanted):
            if grad and not values:
                continue
            row: dict[str, Any] = {"op": _name(op), "dtype": dtype, "direction": direction, "passed": 0}
            row |= {"samples": 0, "others": []}
            others: dict[tuple[str, str], int] = {}
            try:
                samples = _samples(op, wanted, grad, count, seed)
            except Exception:  # of PyTorch's own making of samples
                samples = []
            for sample in samples:
                result = _try(op, sample, run, values and not sample.kwargs.get("dropout_p"))
                if result is None:
                    continue
                row["samples"] += 1
                if result[0] == "passed":
                    row["passed"] += 1
                else:
                    others[result] = others.get(result, 0) + 1
            row["others"] = [[outcome, what, number] for (outcome, what), number in others.items()]
            rows.append(row)
    return rows
