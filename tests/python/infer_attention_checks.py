"""Attention for inference through torch_npu, eager and in captured graphs whose lengths change."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

HEADS, KEY_HEADS, QUERIES, KEYS, DEPTH = 4, 2, 5, 9, 32
SCALE = 0.2
DTYPES = {"float16": torch.float16, "bfloat16": torch.bfloat16}
# [batch, heads, tokens, depth] in a layout, and back.
TO: dict[str, Callable[[Tensor], Tensor]] = {
    "BNSD": lambda t: t,
    "BSND": lambda t: t.transpose(1, 2),
    "BSH": lambda t: t.transpose(1, 2).flatten(2),
}
FROM: dict[str, Callable[[Tensor], Tensor]] = {
    "BNSD": lambda t: t,
    "BSND": lambda t: t.transpose(1, 2),
    "BSH": lambda t: t.unflatten(2, (HEADS, -1)).transpose(1, 2),
}


def _made(batch: int, dtype: str, queries: int = QUERIES) -> list[Tensor]:
    torch.manual_seed(2)
    shapes = ((HEADS, queries), (KEY_HEADS, KEYS), (KEY_HEADS, KEYS))
    return [torch.randn(batch, heads, n, DEPTH).to(DTYPES[dtype]) for heads, n in shapes]


def _expected(
    q: Tensor, k: Tensor, v: Tensor, masked: Tensor | None, pse: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """The result and the logarithms of the rows' sums, in float32; rows that see nothing give 0."""
    k, v = (t.float().repeat_interleave(HEADS // KEY_HEADS, 1) for t in (k, v))
    scores = q.float() @ k.transpose(2, 3) * SCALE
    if pse is not None:
        scores = scores + pse.float()
    if masked is not None:
        scores = scores.masked_fill(masked, -math.inf)
    return torch.softmax(scores, -1).nan_to_num(0) @ v, torch.logsumexp(scores, -1, keepdim=True)


def _beyond(lengths: Sequence[int], tokens: int) -> Tensor:
    """[batch, tokens]: what doesn't count."""
    return torch.arange(tokens) >= torch.tensor(lengths)[:, None]


def _call(form: int, q: Tensor, k: Tensor, v: Tensor, layout: str, **options: Any) -> Any:
    """torch_npu's first or second form, whose parameters have other names."""
    import torch_npu

    device = [t.contiguous().npu() for t in (q, k, v)]
    if form == 1:
        return torch_npu.npu_fused_infer_attention_score(
            *device, input_layout=layout, num_heads=HEADS, num_key_value_heads=KEY_HEADS, scale=SCALE,
            **{"softmax_lse_flag": True, **options},
        )  # fmt: skip
    names = {"actual_seq_lengths": "actual_seq_qlen", "actual_seq_lengths_kv": "actual_seq_kvlen"}
    renamed = {names.get(name, name): value for name, value in options.items()}
    return torch_npu.npu_fused_infer_attention_score_v2(
        *device, input_layout=layout, num_query_heads=HEADS, num_key_value_heads=KEY_HEADS,
        softmax_scale=SCALE, **{"return_softmax_lse": True, **renamed},
    )  # fmt: skip


def _worst(found: Tensor, expected: Tensor) -> float:
    """The largest difference; infinities must be in the same places."""
    left, right = found.cpu().float(), expected
    assert torch.equal(left.isinf(), right.isinf())
    return (left - right).nan_to_num(0).abs().max().item()


def layouts(dtype: str, form: int) -> dict[str, float]:
    """Padded layouts with lengths: the largest differences of the results and of the row sums."""
    q, k, v = _made(3, dtype)
    queries, keys = [5, 2, 4], [9, 3, 7]
    outside = _beyond(queries, QUERIES)[:, None, :, None]
    expected, sums = _expected(q, k, v, _beyond(keys, KEYS)[:, None, None])
    expected = expected.masked_fill(outside, 0)
    sums = sums.masked_fill(outside, -math.inf)
    found = {}
    for layout in ("BNSD", "BSND", "BSH", "BNSD_BSND", "BSH_BNSD", "BSND_BNSD"):
        given, _, returned = layout.partition("_")
        inputs = [TO[given](t) for t in (q, k, v)]
        out, lse = _call(form, *inputs, layout, actual_seq_lengths=queries, actual_seq_lengths_kv=keys)
        found[layout] = max(_worst(FROM[returned or given](out), expected), _worst(lse, sums))
    return found


def packed(dtype: str, form: int) -> dict[str, float]:
    """TND and NTD: sequences of other lengths than the keys', with causal masks from the right."""
    queries, keys = [2, 2, 7, 8], [4, 6, 12, 20]
    torch.manual_seed(1)
    q, k, v = (
        torch.randn(n, t, DEPTH).to(DTYPES[dtype]) for n, t in ((HEADS, 8), (KEY_HEADS, 20), (KEY_HEADS, 20))
    )
    parts, rows = [], []
    for i, end in enumerate(queries):
        first, key = ([0, *ends][i] for ends in (queries, keys))
        n, m = end - first, keys[i] - key
        masked = torch.ones(n, m, dtype=torch.bool).triu(m - n + 1)
        out, lse = _expected(
            q[None, :, first:end], k[None, :, key : keys[i]], v[None, :, key : keys[i]], masked
        )
        parts.append(out[0])
        rows.append(lse[0])
    expected, sums = torch.cat(parts, 1), torch.cat(rows, 1)
    causal = torch.ones(2048, 2048, dtype=torch.bool).triu(1).npu()
    found = {}
    for layout in ("TND", "NTD", "NTD_TND", "TND_NTD"):
        inputs = [t if layout.startswith("NTD") else t.transpose(0, 1) for t in (q, k, v)]
        out, lse = _call(
            form, *inputs, layout, actual_seq_lengths=queries, actual_seq_lengths_kv=keys, sparse_mode=3,
            atten_mask=causal,
        )  # fmt: skip
        heads_first = out if layout.endswith("NTD") else out.transpose(0, 1)
        found[layout] = max(_worst(heads_first, expected), _worst(lse.transpose(0, 1), sums))
    return found


def masks(dtype: str) -> dict[str, float]:
    """Masks of every shape and mode, a position shift, and one query with a mask for each item."""
    q, k, v = _made(2, dtype)
    torch.manual_seed(4)
    seen = torch.rand(2, 1, QUERIES, KEYS) > 0.5
    seen[:, :, 1] = True
    row, column = torch.arange(QUERIES)[:, None], torch.arange(KEYS)
    shift = torch.randn(1, HEADS, QUERIES, KEYS).to(DTYPES[dtype])
    compressed = torch.ones(2048, 2048, dtype=torch.bool).triu(1)
    given = KEYS - QUERIES
    cases: dict[str, tuple[dict[str, Any], Tensor | None, Tensor | None]] = {
        "each item": ({"atten_mask": seen}, seen, None),
        "all items": ({"atten_mask": seen[0, 0]}, seen[:1], None),
        "int8": ({"atten_mask": seen[:, 0].to(torch.int8)}, seen, None),
        "longer": ({"atten_mask": torch.nn.functional.pad(seen, (0, 7, 0, 3), value=True)}, seen, None),
        "whole": ({"atten_mask": seen, "sparse_mode": 1, "pre_tokens": 0, "next_tokens": 0}, seen, None),
        "near": (
            {"atten_mask": seen, "pre_tokens": 2, "next_tokens": 1},
            seen | (column < row - 2) | (column > row + 1),
            None,
        ),
        "left up": ({"atten_mask": compressed, "sparse_mode": 2}, column > row, None),
        "right down": ({"atten_mask": compressed[None], "sparse_mode": 3}, column > row + given, None),
        "band": (
            {"atten_mask": compressed, "sparse_mode": 4, "pre_tokens": 1, "next_tokens": 2},
            (column < row + given - 1) | (column > row + given + 2),
            None,
        ),
        "shift": ({"pse_shift": shift}, None, shift),
    }
    found = {}
    for name, (options, masked, pse) in cases.items():
        device = {key: value.npu() if isinstance(value, Tensor) else value for key, value in options.items()}
        out, lse = _call(1, q, k, v, "BNSD", **device)
        expected, sums = _expected(q, k, v, masked, pse)
        found[name] = max(_worst(out, expected), _worst(lse, sums))
    one = q[:, :, :1]
    out, lse = _call(1, one, k, v, "BNSD", atten_mask=seen[:, 0, 0].npu(), pre_tokens=0, next_tokens=0)
    expected, sums = _expected(one, k, v, seen[:, :, :1])
    found["one query"] = max(_worst(out, expected), _worst(lse, sums))
    return found


def older_functions(dtype: str) -> dict[str, float]:
    """npu_prompt_flash_attention and npu_incre_flash_attention."""
    import torch_npu

    q, k, v = _made(2, dtype)
    keys = [9, 4]
    options: dict[str, Any] = {"num_heads": HEADS, "num_key_value_heads": KEY_HEADS, "scale_value": SCALE}
    masked = _beyond(keys, KEYS)[:, None, None]
    prompt = torch_npu.npu_prompt_flash_attention(
        q.npu(), k.npu(), v.npu(), input_layout="BNSD", actual_seq_lengths=[QUERIES] * 2,
        actual_seq_lengths_kv=keys, next_tokens=65535, **options,
    )  # fmt: skip
    one = [TO["BSH"](t).contiguous().npu() for t in (q[:, :, :1], k, v)]
    step = torch_npu.npu_incre_flash_attention(*one, input_layout="BSH", actual_seq_lengths=keys, **options)
    return {
        "prompt": _worst(prompt, _expected(q, k, v, masked)[0]),
        "step": _worst(FROM["BSH"](step), _expected(q[:, :, :1], k, v, masked)[0]),
    }


def refused() -> dict[str, str]:
    """The errors of what is not supported, or wrong."""
    q, k, v = _made(2, "float16")
    scale = torch.ones(DEPTH).npu()
    cases: dict[str, tuple[str, dict[str, Any]]] = {
        "quantized": ("BNSD", {"key_antiquant_scale": scale}),
        "paged": ("BNSD", {"block_table": torch.zeros(2, 1, dtype=torch.int32).npu(), "block_size": 16}),
        "rotary": ("BNSD", {"query_rope": q.npu(), "key_rope": k.npu()}),
        "too long": ("BNSD", {"actual_seq_lengths_kv": [3, KEYS + 1]}),
        "too few": ("BNSD", {"actual_seq_lengths_kv": []}),
        "mode": ("BNSD", {"sparse_mode": 5}),
        "no mask": ("BNSD", {"sparse_mode": 1}),
        "mask": ("BNSD", {"atten_mask": torch.zeros(2, 1, QUERIES, KEYS - 1, dtype=torch.bool).npu()}),
        "compressed": ("BNSD", {"sparse_mode": 3, "atten_mask": torch.zeros(8, 8, dtype=torch.bool).npu()}),
        "no ends": ("TND", {}),
    }
    errors = {}
    for name, (layout, options) in cases.items():
        inputs = [t[0].transpose(0, 1) for t in (q, k, v)] if layout == "TND" else [q, k, v]
        try:
            _call(1, *inputs, layout, **options)
            torch.npu.synchronize()
            errors[name] = "no error"
        except RuntimeError as error:
            errors[name] = str(error)
    return errors


def decode_loop(form: int, layout: str, dtype: str) -> dict[str, float]:
    """A captured step whose lengths change before each replay: the largest differences to eager and CPU."""
    q, k, v = _made(3, dtype, queries=1)
    is_packed = layout == "TND"
    kv_name = "actual_seq_lengths_kv" if form == 1 else "actual_seq_kvlen"
    names = ("actual_seq_lengths", "actual_seq_lengths_kv")

    def arranged(t: Tensor) -> Tensor:
        return t.transpose(1, 2).flatten(0, 1) if is_packed else TO[layout](t)

    query, key, value = (arranged(t).contiguous().npu() for t in (q, k, v))

    def step(lengths: list[int]) -> Any:
        options = dict(zip(names, ([1, 2, 3], lengths), strict=True)) if is_packed else {names[1]: lengths}
        return _call(form, query, key, value, layout, **options)

    def ends(lengths: list[int]) -> list[int]:
        """TND has no room between the items of a cache: only the last one grows."""
        return [KEYS, 2 * KEYS, 2 * KEYS + lengths[2]] if is_packed else lengths

    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph, auto_dispatch_capture=True):
        out, lse = step(ends([1, 1, 1]))
    worst = {"eager": 0.0, "cpu": 0.0}
    for turn in range(1, KEYS):
        lengths = [KEYS, KEYS, turn] if is_packed else [turn, turn + 1, KEYS - turn]
        new = torch.randn(q.shape).to(q.dtype)
        query.copy_(arranged(new))
        graph.update(cpu_update_input=[{kv_name: ends(lengths)}])
        graph.replay()
        eager, sums = step(ends(lengths))
        expected, _ = _expected(new, k, v, _beyond(lengths, KEYS)[:, None, None])
        worst["eager"] = max(worst["eager"], _worst(out, eager.cpu().float()), _worst(lse, sums.cpu()))
        worst["cpu"] = max(worst["cpu"], _worst(out, arranged(expected)))
    graph.reset()
    return worst
