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


def by_rows(values: torch.Tensor) -> list[torch.Tensor]:
    """The rows as int8, the greatest absolute value as 127, and the factor back."""
    scale = values.float().abs().amax(-1, keepdim=True) / 127
    return [(values.float() / scale).round().to(torch.int8), scale.squeeze(-1)]


def _quantized(dtype: torch.dtype) -> Iterator[Case]:
    x, other, gamma = torch.randn(2, 5, 16), torch.randn(2, 5, 16), torch.randn(16)
    x, other, gamma = x.to(dtype), other.to(dtype), gamma.to(dtype)
    smooth = (torch.rand(16) + 0.5).to(dtype)
    yield (
        "rows",
        lambda: check("rows", torch_npu.npu_dynamic_quant, x, expected=by_rows(x)),
    )
    yield (
        "rows, smooth",
        lambda: check(
            "rows",
            lambda x, s: torch_npu.npu_dynamic_quant(x, smooth_scales=s),
            x,
            smooth,
            expected=by_rows(x.float() * smooth.float()),
        ),
    )
    least, most = x.float().amin(-1, keepdim=True), x.float().amax(-1, keepdim=True)
    scale = (most - least) / 255
    offset = 127 - most / scale
    yield (
        "rows from the least to the greatest value",
        lambda: check(
            "rows",
            torch_npu.npu_dynamic_quant_asymmetric,
            x,
            expected=[
                (x.float() / scale + offset).round().to(torch.int8),
                scale.squeeze(-1),
                offset.squeeze(-1),
            ],
            rtol=1e-5,
            atol=1.0,  # a value that lies half-way may be rounded to either side
        ),
    )
    total = (x.float() + other.float()).to(dtype)
    normal = total.float() * torch.rsqrt(total.float().square().mean(-1, keepdim=True) + 1e-6) * gamma.float()
    for both in (False, True):
        expected = [*by_rows(normal * smooth.float()), *by_rows(normal * smooth.float())]
        yield (
            f"after a normalization, {'both' if both else 'one'}",
            lambda both=both, e=expected: check(
                "normalized",
                lambda a, b, g, s: [
                    torch_npu.npu_add_rms_norm_dynamic_quant(
                        a, b, g, smooth_scale1=s, smooth_scale2=s if both else None
                    )[i]
                    for i in ((0, 2, 3, 1, 4) if both else (0, 2, 3))
                ],
                x,
                other,
                gamma,
                smooth,
                expected=[e[0], total, e[1], e[2], e[3]] if both else [e[0], total, e[1]],
                rtol=5e-3,
                atol=1.0,
            ),
        )


def quantized(dtype: str) -> int:
    torch.manual_seed(5)
    return run_all(_quantized(getattr(torch, dtype)))


def _permuted(dtype: torch.dtype) -> Iterator[Case]:
    x, weight = torch.randn(4, 3, 8).to(dtype), torch.randn(4, 8, 6).to(dtype)
    product = torch.matmul(x.float(), weight.float())
    orders = {
        "by default": ({}, x, product.transpose(0, 1)),
        "operands": ({"perm_x1": (1, 0, 2)}, x.transpose(0, 1).contiguous(), product.transpose(0, 1)),
        "groups": (
            {"batch_split_factor": 2},
            x,
            product.reshape(2, 2, 3, 6).transpose(1, 2).reshape(2, 3, 12),
        ),
    }
    for name, (order, left, expected) in orders.items():
        yield (
            name,
            lambda order=order, left=left, expected=expected: check(
                "product",
                lambda x, w: torch_npu.npu_transpose_batchmatmul(x, w, **order),
                left,
                weight,
                expected=expected.to(dtype),
            ),
        )


def permuted(dtype: str) -> int:
    torch.manual_seed(5)
    return run_all(_permuted(getattr(torch, dtype)))


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
