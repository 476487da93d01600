"""Attention over sizes that models use, and the second form of the fused function; nn_checks has the rest."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from nn_checks import compare

# Heads of query and key, numbers of queries and keys, elements a head.
SIZES = [
    (2, 2, 17, 17, 32),
    (4, 2, 33, 33, 64),
    (2, 1, 5, 21, 80),
    (3, 3, 1, 49, 128),
    (1, 1, 18, 18, 256),
]


def _made(sizes: tuple[int, ...]) -> tuple[Tensor, Tensor, Tensor]:
    heads, key_heads, queries, keys, depth = sizes
    shapes = ((heads, queries), (key_heads, keys), (key_heads, keys))
    return tuple(torch.randn(2, h, n, depth) / math.sqrt(2) for h, n in shapes)


def _masked(mask: Tensor | None, causal: bool) -> Callable[..., Tensor]:
    def call(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        given = None if mask is None else mask.to(q.device)
        if given is not None and given.is_floating_point():
            given = given.to(q.dtype)
        return F.scaled_dot_product_attention(
            q, k, v, attn_mask=given, is_causal=causal, enable_gqa=q.size(1) != k.size(1)
        )

    return call


def sizes(dtype: str) -> int:
    """Without a mask, causal, with a mask of bools and of numbers; returns how many were compared."""
    torch.manual_seed(0)
    count = 0
    for each in SIZES:
        q, k, v = _made(each)
        seen = torch.rand(2, 1, each[2], each[3]) > 0.4
        seen[..., 0] = True
        numbers = torch.randn(2, 1, each[2], each[3])
        for mask, causal in ((None, False), (None, True), (seen, False), (numbers, False)):
            if causal and each[2] != each[3]:
                continue
            compare(_masked(mask, causal), q, k, v, dtype=getattr(torch, dtype))
            count += 1
    return count


def second_form(dtype: str) -> int:
    """npu_fusion_attention_v2: both kinds of position shifts, and sequences of unequal length."""
    import torch_npu

    torch.manual_seed(0)
    wanted = getattr(torch, dtype)
    q, k, v = _made((2, 2, 17, 19, 32))
    shift = torch.randn(2, 2, 17, 19).to(wanted).float()
    for kind in (0, 1):

        def fused(q: Tensor, k: Tensor, v: Tensor, kind: int = kind) -> Tensor:
            options: dict[str, Any] = {"pse": shift.to(wanted).npu(), "pse_type": kind, "scale": 0.2}
            return torch_npu.npu_fusion_attention_v2(q, k, v, 2, "BNSD", **options)[0]

        def plain(q: Tensor, k: Tensor, v: Tensor, kind: int = kind) -> Tensor:
            scores = q @ k.transpose(2, 3)
            scores = scores * 0.2 + shift if kind == 0 else (scores + shift) * 0.2
            return torch.softmax(scores, -1) @ v

        compare(fused, q, k, v, dtype=wanted, reference=plain)
    ends = [5, 5 + 17, 5 + 17 + 1]
    q, k, v = (torch.randn(ends[-1], 2, 32) for _ in range(3))

    def ragged(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return torch_npu.npu_fusion_attention_v2(
            q, k, v, 2, "TND", scale=0.2, actual_seq_qlen=ends, actual_seq_kvlen=ends
        )[0]

    def apart(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        results = []
        for first, last in zip([0, *ends], ends, strict=False):
            a, b, c = (t[first:last].transpose(0, 1) for t in (q, k, v))
            results.append((torch.softmax(a @ b.transpose(1, 2) * 0.2, -1) @ c).transpose(0, 1))
        return torch.cat(results)

    compare(ragged, q, k, v, dtype=wanted, reference=apart)
    return 3
