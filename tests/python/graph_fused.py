"""torch_npu's fused operators as graphs, against formulas on the CPU."""

import math
from collections.abc import Callable, Iterator

import torch
import torch_npu
from torch.nn import functional

from graph_compare import check, run_all

Case = tuple[str, Callable[[], None]]


def rms(x: torch.Tensor, gamma: torch.Tensor, epsilon: float) -> list[torch.Tensor]:
    factor = torch.rsqrt(x.float().square().mean(-1, keepdim=True) + epsilon)
    return [(x.float() * factor * gamma.float()).to(x.dtype), factor]


def rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    a, b = x.float().chunk(2, -1)
    return (x.float() * cos.float() + torch.cat([-b, a], -1) * sin.float()).to(x.dtype)


def _cases(dtype: torch.dtype) -> Iterator[Case]:
    def tensor(*shape: int) -> torch.Tensor:
        return torch.randn(shape).to(dtype)

    x, other, gamma = tensor(2, 5, 16), tensor(2, 5, 16), tensor(16)
    yield (
        "rms_norm",
        lambda: check(
            "rms", lambda x, g: torch_npu.npu_rms_norm(x, g, 1e-5), x, gamma, expected=rms(x, gamma, 1e-5)
        ),
    )
    total = (x.float() + other.float()).to(dtype)
    added = rms(total, gamma, 1e-6)
    yield (
        "add_rms_norm",
        lambda: check(
            "add_rms", torch_npu.npu_add_rms_norm, x, other, gamma, expected=[added[0], added[1], total]
        ),
    )
    for dim in (-1, 1):
        wide = tensor(2, 6, 8)
        left, right = wide.float().chunk(2, dim)
        yield (
            f"swiglu {dim}",
            lambda d=dim, w=wide, left=left, right=right: check(
                "swiglu",
                lambda x: torch_npu.npu_swiglu(x, d),
                w,
                expected=(functional.silu(left) * right).to(dtype),
            ),
        )
    q, cos, sin = tensor(2, 3, 4, 64), tensor(1, 3, 1, 64), tensor(1, 3, 1, 64)
    yield (
        "rotary_mul",
        lambda: check("rotary", torch_npu.npu_rotary_mul, q, cos, sin, expected=rotated(q, cos, sin)),
    )


def operators(dtype: str) -> int:
    torch.manual_seed(5)
    return run_all(_cases(getattr(torch, dtype)))


def _attention(dtype: torch.dtype) -> Iterator[Case]:
    heads, depth = 4, 8

    def plain(q, k, v, mask=None):
        scores = q.float() @ k.float().transpose(-1, -2) / math.sqrt(depth)
        if mask is not None:
            scores = scores.masked_fill(mask, -torch.inf)
        return (scores.softmax(-1) @ v.float()).to(q.dtype)

    q, k, v = (torch.randn(2, heads, length, depth).to(dtype) for length in (6, 6, 6))
    causal = torch.ones(6, 6).triu(1).bool()
    scale = 1 / math.sqrt(depth)
    for name, mask in (("full", None), ("masked", causal)):
        yield (
            f"fusion attention {name}",
            lambda m=mask: check(
                "attention",
                lambda q, k, v, m: torch_npu.npu_fusion_attention(
                    q, k, v, heads, "BNSD", scale=scale, atten_mask=m
                )[0],
                q,
                k,
                v,
                m,
                expected=plain(q, k, v, m),
            ),
        )
        yield (
            f"prompt attention {name}",
            lambda m=mask: check(
                "attention",
                lambda q, k, v, m: torch_npu.npu_prompt_flash_attention(
                    q, k, v, num_heads=heads, input_layout="BNSD", scale_value=scale, atten_mask=m
                ),
                q,
                k,
                v,
                m,
                expected=plain(q, k, v, m),
            ),
        )
    yield (
        "fused inference",
        lambda: check(
            "attention",
            lambda q, k, v: torch_npu.npu_fused_infer_attention_score(
                q, k, v, num_heads=heads, input_layout="BNSD", scale=scale, softmax_lse_flag=True
            ),
            q,
            k,
            v,
            expected=[
                plain(q, k, v),
                torch.logsumexp(q.float() @ k.float().transpose(-1, -2) * scale, -1, keepdim=True),
            ],
        ),
    )
    last = q[:, :, :1].contiguous()
    yield (
        "incremental",
        lambda: check(
            "attention",
            lambda q, k, v: torch_npu.npu_incre_flash_attention(
                q, k, v, num_heads=heads, input_layout="BNSD", scale_value=scale, actual_seq_lengths=[4, 4]
            ),
            last,
            k,
            v,
            expected=plain(last, k[:, :, :4], v[:, :, :4]),
        ),
    )


def attention(dtype: str) -> int:
    torch.manual_seed(6)
    return run_all(_attention(getattr(torch, dtype)))
