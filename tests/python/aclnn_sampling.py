"""Draws, permutations and samples on the software NPU: how they spread and that they come again."""

from collections.abc import Callable
from typing import Any

import torch

from aclnn_call import AclnnError, call

N = 50_000


def _frequencies(places: torch.Tensor, count: int) -> list[float]:
    return (torch.bincount(places.flatten(), minlength=count) / places.numel()).tolist()


def distributions() -> dict[str, Any]:
    """Statistics of many draws."""
    torch.manual_seed(9)
    mean = torch.tensor([[-2.0], [3.0]], device="npu").expand(2, N)
    std = torch.tensor([[0.5], [2.0]], device="npu").expand(2, N)
    normal = torch.normal(mean, std).cpu()
    around = torch.normal(mean, 0.25).cpu()
    spread = torch.normal(1.0, std).cpu()
    waiting = torch.empty(N, device="npu").exponential_(2.0).cpu()
    chances = torch.tensor([0.1, 0.75], device="npu").expand(N, 2).contiguous()
    coins = torch.bernoulli(chances).cpu()
    weights = torch.tensor([[1.0, 0.0, 3.0], [2.0, 2.0, 4.0]], device="npu")
    again = torch.multinomial(weights, N, replacement=True).cpu()
    once = torch.stack([torch.multinomial(weights[1], 2).cpu() for _ in range(600)])
    return {
        "normal": [normal.mean(1).tolist(), normal.std(1).tolist()],
        "around": [around.mean(1).tolist(), around.std(1).tolist()],
        "spread": [spread.mean(1).tolist(), spread.std(1).tolist()],
        "waiting": [waiting.mean().item(), waiting.std().item(), waiting.min().item()],
        "coins": coins.mean(0).tolist(),
        "again": [_frequencies(row, 3) for row in again],
        "first": _frequencies(once[:, 0], 3),
        "repeated": int((once[:, 0] == once[:, 1]).sum()),
    }


def permutations() -> dict[str, Any]:
    """Permutations: whether they are ones, and how often each comes up."""
    torch.manual_seed(2)
    long = torch.randperm(1000, device="npu").cpu()
    counts: dict[str, int] = {}
    for _ in range(600):
        key = str(torch.randperm(3, device="npu").tolist())
        counts[key] = counts.get(key, 0) + 1
    return {
        "complete": sorted(long.tolist()) == list(range(1000)),
        "moved": int((long != torch.arange(1000)).sum()),
        "counts": sorted(counts.values()),
        "empty": torch.randperm(0, device="npu").tolist(),
        "float": sorted(torch.randperm(5, device="npu", dtype=torch.float32).tolist()),
    }


def integers() -> dict[str, Any]:
    """Numbers of random_() without limits."""
    torch.manual_seed(3)
    bounds = {}
    for dtype in (torch.int8, torch.uint8, torch.int64, torch.float16, torch.bool):
        drawn = torch.empty(4000, dtype=dtype, device="npu").random_().cpu()
        bounds[str(dtype).removeprefix("torch.")] = [int(drawn.min()), int(drawn.max())]
    return bounds


def same_again() -> dict[str, bool]:
    """Whether each function gives its numbers again for a seed, and others for another."""
    weights = torch.rand(3, 50).npu()
    draws: dict[str, Callable[[], torch.Tensor]] = {
        "multinomial": lambda: torch.multinomial(weights, 20, replacement=True),
        "multinomial once": lambda: torch.multinomial(weights, 20),
        "randperm": lambda: torch.randperm(100, device="npu"),
        "normal": lambda: torch.normal(weights, weights),
        "normal numbers": lambda: torch.normal(1.0, 2.0, (40,), device="npu"),
        "bernoulli": lambda: torch.bernoulli(weights),
        "exponential": lambda: torch.empty(40, device="npu").exponential_(),
        "random": lambda: torch.empty(40, device="npu", dtype=torch.int64).random_(),
        "geometric": lambda: torch.empty(40, device="npu").geometric_(0.3),
        "log_normal": lambda: torch.empty(40, device="npu").log_normal_(),
        "cauchy": lambda: torch.empty(40, device="npu").cauchy_(),
    }
    results = {}
    for name, draw in draws.items():
        made = []
        for seed in (7, 7, 8):
            torch.manual_seed(seed)
            made.append(draw().cpu())
        results[name] = torch.equal(made[0], made[1]) and not torch.equal(made[0], made[2])
    return results


def states_in_tensors() -> dict[str, bool]:
    """Functions whose seed and offset lie in tensors draw what those with numbers draw."""
    seed, offset = torch.tensor([5]).npu(), torch.tensor([6]).npu()
    weights = torch.rand(2, 9).npu()
    places = torch.empty(2, 4, dtype=torch.int64, device="npu")
    pairs: dict[str, tuple[torch.Tensor, tuple[Any, ...], tuple[Any, ...]]] = {
        "Normal": (torch.empty(33), (1.0, 2.0, 5, 10), (1.0, 2.0, seed, offset, 4)),
        "Uniform": (torch.empty(33), (-1.0, 2.0, 5, 10), (-1.0, 2.0, seed, offset, 4)),
        "Random": (torch.empty(33), (0, 99, 5, 10), (0, 99, seed, offset, 4)),
        "RandomWithoutFromTo": (torch.empty(33, dtype=torch.int32), (5, 10), (seed, offset, 4)),
    }
    results = {}
    for name, (model, numbers, tensors) in pairs.items():
        first, second = torch.zeros_like(model).npu(), torch.zeros_like(model).npu()
        call(f"Inplace{name}", first, *numbers)
        call(f"Inplace{name}Tensor", second, *tensors)
        results[name] = torch.equal(first.cpu(), second.cpu()) and bool((first != 0).any())
    again = torch.empty_like(places)
    call("Multinomial", weights, 4, False, 5, 10, places)
    call("MultinomialTensor", weights, 4, False, seed, offset, 4, again)
    results["Multinomial"] = torch.equal(places.cpu(), again.cpu())
    mask, same = (torch.empty(32, dtype=torch.uint8, device="npu") for _ in range(2))
    call("DropoutGenMaskV2", [100], 0.3, 5, 10, torch.float32, mask)
    call("DropoutGenMaskV2Tensor", [100], 0.3, seed, offset, 4, torch.float32, same)
    results["DropoutGenMaskV2"] = torch.equal(mask.cpu(), same.cpu())
    return results


def refused() -> dict[str, str]:
    """What the functions say to parameters outside their range."""
    out = torch.empty(2, dtype=torch.int64, device="npu")
    row = torch.empty(2, device="npu")
    calls: dict[str, Callable[[], None]] = {
        "too many": lambda: call("Multinomial", torch.ones(1).npu(), 2, False, 1, 1, out),
        "negative": lambda: call("Multinomial", torch.tensor([1.0, -1.0]).npu(), 2, True, 1, 1, out),
        "all zero": lambda: call("Multinomial", torch.zeros(3).npu(), 2, True, 1, 1, out),
        "no chance": lambda: call("InplaceBernoulliTensor", row, torch.tensor([0.5, 1.5]).npu(), 1, 1),
        "rate": lambda: call("SimThreadExponential", row, 2, -1.0, 1, 1),
        "std": lambda: call("NormalFloatTensor", 0.0, torch.tensor([1.0, -1.0]).npu(), 1, 1, row),
    }
    results = {}
    for name, run in calls.items():
        try:
            run()
            results[name] = "nothing"
        except (AclnnError, RuntimeError) as error:
            results[name] = str(error)
    return results
