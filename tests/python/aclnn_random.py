"""Random functions on the software NPU: distribution and reproducibility; runs in a process on it."""

from typing import Any

import torch

from aclnn_call import call

N = 100_000


def moments() -> dict[str, Any]:
    """Statistics of each random function over many numbers."""
    torch.manual_seed(5)
    normal = torch.empty(N, device="npu").normal_(1.0, 2.0).cpu()
    half = torch.empty(N, device="npu", dtype=torch.bfloat16).uniform_(-1, 1).cpu()
    integers = torch.randint(-3, 4, (N,), device="npu").cpu()
    wide = torch.randint(0, 2**40, (N,), device="npu").cpu()
    coins = torch.empty(N, device="npu").bernoulli_(0.25).cpu()
    return {
        "normal": [normal.mean().item(), normal.std().item()],
        "uniform": [half.float().mean().item(), half.min().item(), half.max().item()],
        "integers": sorted(integers.unique().tolist()),
        "wide": [(wide.double().mean() / 2**40).item(), int(wide.min() >= 0), int(wide.max() < 2**40)],
        "coins": [coins.mean().item(), coins.unique().tolist()],
    }


def within_limits() -> list[list[float]]:
    """[from, least, greatest, to] of numbers whose dtype has no place for each integer."""
    torch.manual_seed(5)
    rows = []
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        for low, high in ((0, 65504), (-32768, 32752), (-42, 2**31), (-(2**40), -(2**33))):
            if dtype != torch.float16 or max(-low, high) <= 65504:
                drawn = torch.empty(20_000, device="npu", dtype=dtype).random_(low, high).cpu().double()
                rows.append([low, drawn.min().item(), drawn.max().item(), high])
    return rows


def same_again() -> list[bool]:
    """Whether a seed gives its numbers again, and another seed others."""
    draws = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        draws.append((torch.randn(33, device="npu").cpu(), torch.rand(33, device="npu").cpu()))
    first, second, third = draws
    return [
        torch.equal(first[0], second[0]),
        torch.equal(first[1], second[1]),
        torch.equal(first[0], third[0]),
    ]


def dropout_masks() -> dict[str, Any]:
    """The two generations of dropout functions, directly: bits, values and gradient."""
    x = torch.ones(1001, device="npu")
    mask = torch.empty(128, dtype=torch.uint8, device="npu")
    call("DropoutGenMaskV2", [1001], 0.3, 7, 4, torch.float32, mask)
    out, grad, gone = torch.empty_like(x), torch.empty_like(x), torch.empty_like(x)
    call("DropoutDoMask", x, mask, 0.3, out)
    again, mask_v3 = torch.empty_like(x), torch.empty_like(mask)
    call("DropoutV3", x, None, 0.3, 7, 4, again, mask_v3)
    call("DropoutV3Grad", x, mask_v3, 1 / 0.7, grad)
    call("DropoutDoMask", x, mask, 1.0, gone)
    bits = [byte >> i & 1 for byte in mask.cpu().tolist() for i in range(8)]
    return {
        "kept": sum(bits) / 1001,
        "padding": sum(bits[1001:]),
        "bits_agree": [float(b) for b in bits[:1001]] == out.cpu().ne(0).float().tolist(),
        "scale": sorted(set(round(v, 5) for v in out.cpu().tolist())),
        "versions_agree": torch.equal(out.cpu(), again.cpu()) and torch.equal(mask.cpu(), mask_v3.cpu()),
        "gradient_agrees": torch.allclose(grad.cpu(), out.cpu()),
        "all_dropped": gone.cpu().abs().sum().item(),
    }
