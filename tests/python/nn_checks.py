"""Neural-network operators on the NPU against the CPU, forward and backward; runs in an NPU process.

Every function `case_*` takes a dtype and raises AssertionError where the devices differ. 16-bit results are
compared with the CPU's float32 results for the same 16-bit inputs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

TOLERANCE = {
    torch.float32: {"rtol": 2e-5, "atol": 2e-5},
    torch.float16: {"rtol": 3e-3, "atol": 3e-3},
    torch.bfloat16: {"rtol": 3e-2, "atol": 3e-2},
}
Outputs = Tensor | tuple[Tensor, ...]


def case(name: str, dtype: str) -> None:
    """Runs one case."""
    torch.manual_seed(0)
    globals()[f"case_{name}"](getattr(torch, dtype))


def _flat(outputs: Any) -> list[Tensor]:
    return [outputs] if isinstance(outputs, Tensor) else [t for t in outputs if isinstance(t, Tensor)]


def _run(function: Callable[..., Outputs], inputs: list[Tensor], gradients: list[Tensor]) -> list[Tensor]:
    leaves = [t.detach().requires_grad_(t.is_floating_point()) for t in inputs]
    outputs = _flat(function(*leaves))
    results = [o.detach().cpu() for o in outputs]
    wanted = [leaf for leaf in leaves if leaf.requires_grad]
    if gradients:
        pairs = [(o, g) for o, g in zip(outputs, gradients, strict=True) if o.requires_grad]
        grads = torch.autograd.grad([o for o, _ in pairs], wanted, [g for _, g in pairs], allow_unused=True)
        results += [g.cpu() for g in grads if g is not None]
    return results


def compare(
    function: Callable[..., Outputs],
    *inputs: Tensor,
    dtype: torch.dtype,
    backward: bool = True,
    scale: float = 1.0,
    reference: Callable[..., Outputs] | None = None,
) -> None:
    """Compares the function's outputs and input gradients on both devices. `scale` widens the tolerance."""
    inputs = tuple(t.to(dtype) if t.is_floating_point() else t for t in inputs)
    exact = [t.float() if t.is_floating_point() else t for t in inputs]
    expected = _flat((reference or function)(*exact))
    gradients = [torch.randn(e.shape).to(dtype) for e in expected] if backward else []
    on_cpu = _run(reference or function, exact, [g.float() for g in gradients])
    on_npu = _run(function, [t.npu() for t in inputs], [g.npu() for g in gradients])
    tolerance = {key: value * scale for key, value in TOLERANCE[dtype].items()}
    assert len(on_npu) == len(on_cpu)
    for mine, theirs in zip(on_npu, on_cpu, strict=True):
        torch.testing.assert_close(mine.to(theirs.dtype), theirs, equal_nan=True, **tolerance)


def compare_module(
    module: nn.Module, *inputs: Tensor, dtype: torch.dtype, scale: float = 1.0, backward: bool = True
) -> None:
    """Compares a module's outputs and the gradients of inputs and parameters, and its buffers afterwards."""
    names = [name for name, _ in module.named_parameters()]
    parameters = [p.detach() for p in module.parameters()]
    start = {name: buffer.clone() for name, buffer in module.named_buffers()}
    buffers: dict[str, dict[str, Tensor]] = {}

    def call(*tensors: Tensor) -> Outputs:
        values = dict(zip(names, tensors[len(inputs) :], strict=True))
        device = tensors[0].device
        state = {name: buffer.clone().to(device) for name, buffer in start.items()}
        outputs = torch.func.functional_call(module, (values, state), tensors[: len(inputs)])
        buffers[device.type] = {name: buffer.cpu() for name, buffer in state.items()}
        return outputs

    compare(call, *inputs, *parameters, dtype=dtype, scale=scale, backward=backward)
    for name, buffer in buffers["cpu"].items():
        torch.testing.assert_close(buffers["npu"][name], buffer, **TOLERANCE[dtype])


# Convolution


def case_conv1d(dtype: torch.dtype) -> None:
    compare_module(nn.Conv1d(4, 6, 3, stride=2, padding=1), torch.randn(2, 4, 11), dtype=dtype)
    compare_module(nn.Conv1d(4, 6, 3, dilation=2, bias=False), torch.randn(2, 4, 11), dtype=dtype)


def case_conv2d(dtype: torch.dtype) -> None:
    for module in (
        nn.Conv2d(4, 6, 3, padding=1),
        nn.Conv2d(4, 8, (3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2), groups=2),
        nn.Conv2d(4, 4, 3, groups=4, bias=False),
        nn.Conv2d(4, 6, 1, padding_mode="zeros"),
    ):
        compare_module(module, torch.randn(2, 4, 9, 7), dtype=dtype, scale=2)


def case_conv2d_few_pixels(dtype: torch.dtype) -> None:
    for module in (
        nn.Conv2d(4, 72, 3, padding=1),
        nn.Conv2d(4, 80, (3, 2), stride=(2, 1), padding=(2, 0), dilation=(1, 2), bias=False),
        nn.Conv2d(4, 24, 1, stride=2),
    ):
        compare_module(module, torch.randn(2, 4, 5, 6), dtype=dtype, scale=2)


def case_conv2d_odd_inputs(dtype: torch.dtype) -> None:
    weight = torch.randn(6, 4, 3, 3)
    compare(lambda x, w: F.conv2d(x, w, padding=1), torch.randn(0, 4, 5, 5), weight, dtype=dtype)
    wide = torch.randn(2, 9, 8, 7)
    compare(lambda x, w: F.conv2d(x[:, ::2][:, :4], w), wide, weight, dtype=dtype, scale=2)
    compare(lambda x, w: F.conv2d(x.transpose(2, 3)[:, 1:5], w), wide, weight, dtype=dtype, scale=2)
    unbatched = torch.randn(4, 6, 6)
    compare(lambda x, w: F.conv2d(x, w), unbatched, weight, dtype=dtype, backward=False, scale=2)
    last = torch.randn(2, 4, 6, 6).contiguous(memory_format=torch.channels_last)
    compare(lambda x, w: F.conv2d(x, w), last, weight, dtype=dtype, scale=2)


def case_conv3d(dtype: torch.dtype) -> None:
    compare_module(
        nn.Conv3d(2, 4, 3, padding=1, stride=(1, 2, 1)), torch.randn(1, 2, 5, 6, 4), dtype=dtype, scale=2
    )


def case_conv_transpose(dtype: torch.dtype) -> None:
    compare_module(
        nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2),
        torch.randn(2, 4, 5, 4),
        dtype=dtype,
        scale=2,
    )
    compare_module(nn.ConvTranspose1d(3, 2, 4, stride=3), torch.randn(2, 3, 5), dtype=dtype)
    compare_module(nn.ConvTranspose3d(2, 3, 2, stride=2), torch.randn(1, 2, 3, 2, 4), dtype=dtype)


def case_conv_masks(dtype: torch.dtype) -> None:
    """Gradients for the weight alone, and for the input alone."""
    x, w, b = torch.randn(2, 3, 5, 5), torch.randn(4, 3, 3, 3), torch.randn(4)
    fixed_x, fixed_w, fixed_b = (t.to(dtype) for t in (x, w, b))

    def at(tensor: Tensor, other: Tensor) -> Tensor:
        return tensor.to(other.device, other.dtype)

    compare(lambda w: F.conv2d(at(fixed_x, w), w, at(fixed_b, w)), w, dtype=dtype, scale=2)
    compare(lambda x: F.conv2d(x, at(fixed_w, x), at(fixed_b, x)), x, dtype=dtype, scale=2)
    compare(lambda b: F.conv2d(at(fixed_x, b), at(fixed_w, b), b), b, dtype=dtype, scale=2)


# Normalization


def case_batch_norm(dtype: torch.dtype) -> None:
    for module, x in (
        (nn.BatchNorm2d(3), torch.randn(4, 3, 5, 2)),
        (nn.BatchNorm1d(3, momentum=None), torch.randn(8, 3)),
        (nn.BatchNorm1d(3, affine=False), torch.randn(4, 3, 6)),
        (nn.BatchNorm2d(3, track_running_stats=False), torch.randn(4, 3, 3, 3)),
        (nn.BatchNorm3d(2), torch.randn(2, 2, 3, 2, 4)),
    ):
        for training in (True, False):
            compare_module(module.train(training), x + 0.5, dtype=dtype, scale=2)
    compare(
        lambda x: nn.functional.batch_norm(x.transpose(0, 1), None, None, training=True),
        torch.randn(3, 4, 5),
        dtype=dtype,
        scale=2,
    )


def case_batch_norm_float32_parameters(dtype: torch.dtype) -> None:
    """What autocast makes: 16-bit inputs, float32 parameters and statistics."""
    x = torch.randn(4, 3, 5, 5).to(dtype)
    module = nn.BatchNorm2d(3)
    other = nn.BatchNorm2d(3).npu()
    out = other(x.npu())
    assert out.dtype == dtype
    torch.testing.assert_close(out.cpu().float(), module(x.float()), **TOLERANCE[dtype])
    torch.testing.assert_close(other.running_var.cpu(), module.running_var, rtol=1e-5, atol=1e-5)


def case_layer_norm(dtype: torch.dtype) -> None:
    compare_module(nn.LayerNorm(8), torch.randn(2, 5, 8), dtype=dtype)
    compare_module(nn.LayerNorm((5, 8), eps=1e-3), torch.randn(2, 5, 8), dtype=dtype)
    compare_module(nn.LayerNorm(8, bias=False), torch.randn(3, 8), dtype=dtype)
    compare_module(nn.LayerNorm(8, elementwise_affine=False), torch.randn(3, 8), dtype=dtype)
    compare(lambda x: F.layer_norm(x.transpose(0, 1), (6,)), torch.randn(6, 3), dtype=dtype)
    compare(lambda x, w: F.layer_norm(x, (4,), w), torch.randn(0, 4), torch.randn(4), dtype=dtype)


def case_layer_norm_statistics(dtype: torch.dtype) -> None:
    x = torch.randn(3, 4, 8).to(dtype)
    out, mean, rstd = torch.native_layer_norm(x.npu(), (8,), None, None, 1e-5)
    assert mean.shape == (3, 4, 1)
    assert mean.dtype == torch.float32
    expected = torch.native_layer_norm(x.float(), (8,), None, None, 1e-5)
    torch.testing.assert_close(mean.cpu(), expected[1], rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(rstd.cpu(), expected[2], rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(out.cpu().float(), expected[0], **TOLERANCE[dtype])


def case_group_norm(dtype: torch.dtype) -> None:
    compare_module(nn.GroupNorm(2, 6), torch.randn(2, 6, 4, 3), dtype=dtype)
    compare_module(nn.GroupNorm(3, 6, affine=False), torch.randn(2, 6, 5), dtype=dtype)


def case_norm_parameters_sum_in_float32(dtype: torch.dtype) -> None:
    """Gradients of float32 parameters of 16-bit inputs, from thousands of elements each."""
    for function, shape, parameters in (
        (lambda x, w, b: F.layer_norm(x, (16,), w, b), (4096, 16), 16),
        (lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), (256, 4, 16), 4),
    ):
        x, gradient = torch.randn(shape).to(dtype), torch.rand(shape).to(dtype)
        results = []
        for device, wide in (("cpu", torch.float32), ("npu", dtype)):
            weight, bias = (torch.ones(parameters, device=device, requires_grad=True) for _ in range(2))
            outputs = function(x.to(device, wide), weight, bias)
            results.append(torch.autograd.grad(outputs, (weight, bias), gradient.to(device, wide)))
        for mine, theirs in zip(results[1], results[0], strict=True):
            torch.testing.assert_close(mine.cpu(), theirs, rtol=1e-4, atol=2e-2)


# Pooling


def case_max_pool2d(dtype: torch.dtype) -> None:
    x = torch.randn(2, 3, 11, 9)
    for options in (
        {"kernel_size": 2},
        {"kernel_size": 3, "stride": 2, "padding": 1},
        {"kernel_size": (3, 2), "stride": (2, 1), "padding": (1, 0), "dilation": (2, 3)},
        {"kernel_size": 3, "stride": 2, "ceil_mode": True},
        {"kernel_size": 3, "stride": 1, "padding": 1},
        {"kernel_size": 1, "stride": 3},
    ):
        compare(lambda x, o=options: F.max_pool2d(x, **o), x, dtype=dtype)
    compare(lambda x: F.max_pool2d(x, 2), x[0], dtype=dtype)
    compare(lambda x: F.max_pool2d(x.transpose(2, 3), 3, 2), x, dtype=dtype)
    compare(lambda x: F.max_pool2d(x, 2), torch.tensor([[[[1.0, math.nan], [3.0, 4.0]]]]), dtype=dtype)


def case_max_pool2d_equal_values(dtype: torch.dtype) -> None:
    """The gradient goes to the first maximum, as on the CPU."""
    compare(lambda x: F.max_pool2d(x, 3, 2, 1), torch.zeros(1, 2, 7, 7), dtype=dtype)


def case_avg_pool2d(dtype: torch.dtype) -> None:
    x = torch.randn(2, 3, 8, 9)
    compare(lambda x: F.avg_pool2d(x, 2), x, dtype=dtype)
    compare(lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False), x, dtype=dtype)
    compare(lambda x: F.avg_pool2d(x, 2, divisor_override=3), x, dtype=dtype)
    compare(lambda x: F.adaptive_avg_pool2d(x, 1), x, dtype=dtype)
    compare(lambda x: F.adaptive_avg_pool2d(x, (3, 2)), x, dtype=dtype)


# Embedding, masks


def case_embedding(dtype: torch.dtype) -> None:
    indices = torch.tensor([[1, 3, 3], [0, 2, 1]])
    table = torch.randn(5, 4)
    compare(lambda w: F.embedding(indices.to(w.device), w), table, dtype=dtype)
    compare(lambda w: F.embedding(indices.to(w.device), w, padding_idx=3), table, dtype=dtype)
    compare(lambda w: F.embedding(indices.to(w.device), w, scale_grad_by_freq=True), table, dtype=dtype)
    compare(lambda w: F.embedding(indices.to(w.device).t(), w), table, dtype=dtype)
    compare(lambda w: F.embedding(indices[:0].to(w.device), w), table, dtype=dtype)
    compare(lambda w: F.embedding(indices.int().to(w.device), w), table, dtype=dtype)


def case_embedding_out_of_range(dtype: torch.dtype) -> None:
    table = torch.randn(5, 4, dtype=dtype).npu()

    def look_up(index: int) -> None:
        F.embedding(torch.tensor([0, index]).npu(), table)
        torch.npu.synchronize()

    for index in (5, -1):
        with pytest.raises(RuntimeError, match=f"aclnnEmbedding.*value {index}.*5 rows"):
            look_up(index)


def case_masked_fill(dtype: torch.dtype) -> None:
    mask = torch.tensor([True, False, True])
    compare(lambda x: x.masked_fill(mask.to(x.device), -math.inf), torch.randn(2, 3), dtype=dtype)
    compare(lambda x: x.t().masked_fill(mask.to(x.device)[:, None], 2), torch.randn(2, 3), dtype=dtype)


# Attention


def _heads(batch: int, heads: int, tokens: int, depth: int) -> Tensor:
    return torch.randn(batch, heads, tokens, depth)


def case_sdpa(dtype: torch.dtype) -> None:
    for queries, keys, depth in ((7, 7, 8), (130, 61, 16), (1, 5, 4), (5, 1, 12)):
        q, k, v = _heads(2, 3, queries, depth), _heads(2, 3, keys, depth), _heads(2, 3, keys, depth)
        compare(F.scaled_dot_product_attention, q, k, v, dtype=dtype)
        compare(lambda *t: F.scaled_dot_product_attention(*t, scale=0.3), q, k, v, dtype=dtype)


def case_sdpa_causal(dtype: torch.dtype) -> None:
    for tokens in (6, 300):
        inputs = [_heads(2, 2, tokens, 8) for _ in range(3)]
        compare(lambda *t: F.scaled_dot_product_attention(*t, is_causal=True), *inputs, dtype=dtype)


def case_sdpa_mask(dtype: torch.dtype) -> None:
    inputs = [_heads(2, 2, 9, 8), _heads(2, 2, 13, 8), _heads(2, 2, 13, 8)]
    for shape in ((9, 13), (2, 1, 9, 13), (2, 2, 9, 13), (2, 1, 1, 13)):
        mask = torch.rand(shape) > 0.3

        def attend(*t: Tensor, mask: Tensor = mask) -> Tensor:
            return F.scaled_dot_product_attention(*t, attn_mask=mask.to(t[0].device))

        compare(attend, *inputs, dtype=dtype)
    mask[0, 0, 0] = False  # a query that may attend to nothing
    compare(attend, *inputs, dtype=dtype)


def case_sdpa_odd_inputs(dtype: torch.dtype) -> None:
    """Strided inputs, fewer heads for the keys."""
    packed = torch.randn(2, 5, 3, 4, 8)
    compare(
        lambda x: F.scaled_dot_product_attention(*(x[:, :, i].transpose(1, 2) for i in range(3))),
        packed,
        dtype=dtype,
    )
    q, k, v = _heads(2, 6, 9, 8), _heads(2, 2, 9, 8), _heads(2, 2, 9, 8)
    compare(lambda *t: F.scaled_dot_product_attention(*t, enable_gqa=True), q, k, v, dtype=dtype)


def case_sdpa_nan(dtype: torch.dtype) -> None:
    """Not a number stays that, as in the formula; the CPU's fused kernel gives zeros instead."""
    q, k, v = (_heads(2, 2, 19, 4) for _ in range(3))
    q[0, 0, 0, 0] = math.nan
    compare(F.scaled_dot_product_attention, q, k, v, dtype=dtype,
            reference=lambda q, k, v: torch.softmax(q @ k.transpose(2, 3) / 2, -1) @ v)  # fmt: skip


def _fusion(layout: str, heads: int, **options: Any) -> Callable[..., Outputs]:
    import torch_npu

    def call(*tensors: Tensor) -> Outputs:
        on = {k: t.npu() if isinstance(t, Tensor) else t for k, t in options.items()}
        return torch_npu.npu_fusion_attention(*tensors[:3], heads, layout, **on)[0]

    return call


def _plain(mask: Tensor | None, scale: float, pse: Tensor | None = None) -> Callable[..., Outputs]:
    def call(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        groups = q.size(1) // k.size(1)
        k, v = (t.repeat_interleave(groups, 1) for t in (k, v))
        scores = q @ k.transpose(2, 3)
        scores = (scores if pse is None else scores + pse) * scale
        if mask is not None:
            scores = scores.masked_fill(mask, -math.inf)
        return torch.softmax(scores, -1).nan_to_num(0.0) @ v

    return call


def case_fusion_layouts(dtype: torch.dtype) -> None:
    q, k, v = _heads(2, 4, 6, 8), _heads(2, 2, 7, 8), _heads(2, 2, 7, 8)
    views = {
        "BNSD": lambda t: t,
        "BSND": lambda t: t.transpose(1, 2),
        "BSH": lambda t: t.transpose(1, 2).flatten(2),
        "SBH": lambda t: t.permute(2, 0, 1, 3).flatten(2),
    }
    for layout, view in views.items():
        fused = _fusion(layout, 4, scale=0.4)
        plain = _plain(None, 0.4)
        compare(
            lambda *t, f=fused, view=view: f(*(view(x) for x in t)),
            q,
            k,
            v,
            dtype=dtype,
            reference=lambda *t, p=plain, view=view: view(p(*t)),
        )


def case_fusion_value_depth(dtype: torch.dtype) -> None:
    q, k, v = _heads(1, 2, 6, 8), _heads(1, 2, 6, 8), _heads(1, 2, 6, 4)
    compare(_fusion("BNSD", 2, scale=0.4), q, k, v, dtype=dtype, reference=_plain(None, 0.4))


def case_fusion_sparse_modes(dtype: torch.dtype) -> None:
    queries, keys = 7, 10
    q, k, v = _heads(2, 2, queries, 8), _heads(2, 2, keys, 8), _heads(2, 2, keys, 8)
    i, j = torch.arange(queries)[:, None], torch.arange(keys)[None]
    shift = keys - queries
    compressed = torch.ones(2048, 2048, dtype=torch.bool).triu(1)
    band = (j > i + 2) | (j < i - 3)
    some = torch.rand(queries, keys) > 0.6
    some[:, 0] = False
    prefix = torch.stack([(j > i + shift) & (j >= n) for n in (2, 6)])[:, None]
    modes = [
        (0, some, some, {}),
        (0, band, band, {"pre_tockens": 3, "next_tockens": 2}),
        (1, some, some, {"pre_tockens": 0, "next_tockens": 0}),
        (2, compressed, j > i, {}),
        (3, compressed, j > i + shift, {}),
        (4, compressed, (j > i + shift + 1) | (j < i + shift - 4), {"pre_tockens": 4, "next_tockens": 1}),
        (5, prefix.expand(2, 1, queries, keys), prefix, {"prefix": [2, 6]}),
        (6, torch.ones(3072, 2048, dtype=torch.bool), prefix, {"prefix": [2, 6]}),
    ]
    for mode, given, mask, options in modes:
        fused = _fusion("BNSD", 2, scale=0.4, atten_mask=given, sparse_mode=mode, **options)
        compare(fused, q, k, v, dtype=dtype, reference=_plain(mask, 0.4))


def case_fusion_pse(dtype: torch.dtype) -> None:
    import torch_npu

    q, k, v = _heads(2, 2, 5, 8), _heads(2, 2, 6, 8), _heads(2, 2, 6, 8)
    for shape in ((2, 2, 5, 6), (1, 2, 5, 6), (2, 2, 1, 6)):
        compare(
            lambda q, k, v, p: torch_npu.npu_fusion_attention(q, k, v, 2, "BNSD", pse=p, scale=0.4)[0],
            q, k, v, torch.randn(shape), dtype=dtype,
            reference=lambda q, k, v, p: _plain(None, 0.4, p)(q, k, v),
        )  # fmt: skip


def case_fusion_tnd(dtype: torch.dtype) -> None:
    import torch_npu

    q, k, v = torch.randn(9, 4, 8), torch.randn(12, 2, 8), torch.randn(12, 2, 8)
    query_ends, key_ends = [3, 3, 9], [5, 5, 12]

    def plain(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
        results = []
        for a, b, c, d in zip([0, *query_ends], query_ends, [0, *key_ends], key_ends, strict=False):
            parts = [t.transpose(0, 1)[None] for t in (q[a:b], k[c:d], v[c:d])]
            mask = torch.ones(b - a, d - c, dtype=torch.bool).triu(1 + (d - c) - (b - a)) if causal else None
            results.append(_plain(mask, 0.4)(*parts)[0].transpose(0, 1))
        return torch.cat(results)

    compressed = torch.ones(2048, 2048, dtype=torch.bool).triu(1).npu()
    for causal, layout in ((False, ""), (True, ""), (True, "TND")):
        options = {"sparse_mode": 3, "atten_mask": compressed} if causal else {}

        def fused(q: Tensor, k: Tensor, v: Tensor, layout: str = layout, options: dict = options) -> Tensor:
            return torch_npu.npu_fusion_attention(
                q, k, v, 4, "TND", scale=0.4, actual_seq_qlen=query_ends, actual_seq_kvlen=key_ends,
                softmax_layout=layout, **options,
            )[0]  # fmt: skip

        compare(fused, q, k, v, dtype=dtype, reference=lambda *t, c=causal: plain(*t, c))


def case_fusion_statistics(dtype: torch.dtype) -> None:
    import torch_npu

    q, k, v = (_heads(2, 3, 5, 8).to(dtype) for _ in range(3))
    _, maximum, total, *_ = torch_npu.npu_fusion_attention(q.npu(), k.npu(), v.npu(), 3, "BNSD", scale=0.4)
    scores = q.float() @ k.float().transpose(2, 3) * 0.4
    expected = scores.amax(-1, keepdim=True)
    assert maximum.shape == (2, 3, 5, 8)
    assert maximum.dtype == torch.float32
    torch.testing.assert_close(maximum.cpu(), expected.expand(2, 3, 5, 8), rtol=1e-5, atol=1e-5)
    sums = (scores - expected).exp().sum(-1, keepdim=True)
    torch.testing.assert_close(total.cpu(), sums.expand(2, 3, 5, 8), rtol=1e-5, atol=1e-5)


def case_fusion_dropout(dtype: torch.dtype) -> None:
    """With the identity as value, the output shows the kept probabilities; backward drops the same ones."""
    import torch_npu

    tokens = 64
    q, k = (_heads(1, 2, tokens, 64).to(dtype).npu() for _ in range(2))
    v = torch.eye(tokens, dtype=dtype).expand(1, 2, tokens, tokens).contiguous().npu().requires_grad_()
    torch.npu.manual_seed(3)
    out = torch_npu.npu_fusion_attention(q, k, v, 2, "BNSD", scale=0.01, keep_prob=0.75)[0]
    full = torch_npu.npu_fusion_attention(q, k, v, 2, "BNSD", scale=0.01)[0]
    kept = out.detach().cpu().float() != 0
    assert abs(kept.float().mean().item() - 0.75) < 0.02
    torch.testing.assert_close(
        out.detach().cpu().float(), full.detach().cpu().float() * kept / 0.75, **TOLERANCE[dtype]
    )
    grad = torch.randn(out.shape).to(dtype)
    (of_value,) = torch.autograd.grad(out, v, grad.npu())
    expected = out.detach().cpu().float().transpose(2, 3) @ grad.float()
    torch.testing.assert_close(of_value.cpu().float(), expected, **TOLERANCE[dtype])
    torch.npu.manual_seed(3)
    again = torch_npu.npu_fusion_attention(q, k, v, 2, "BNSD", scale=0.01, keep_prob=0.75)[0]
    assert torch.equal(again.detach().cpu(), out.detach().cpu())


def case_fusion_dropout_gradient(dtype: torch.dtype) -> None:
    """Query and key gradients under dropout, against the formula with the same kept scores."""
    import torch_npu

    tokens = 16
    q, k, v = (_heads(1, 2, tokens, 16).to(dtype) for _ in range(3))
    eye = torch.eye(tokens, dtype=dtype).expand(1, 2, tokens, tokens).contiguous().npu()
    torch.npu.manual_seed(5)
    shown = torch_npu.npu_fusion_attention(q.npu(), k.npu(), eye, 2, "BNSD", scale=0.2, keep_prob=0.5)[0]
    kept = (shown.cpu() != 0).float()

    def fused(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        torch.npu.manual_seed(5)
        return torch_npu.npu_fusion_attention(q, k, v, 2, "BNSD", scale=0.2, keep_prob=0.5)[0]

    def plain(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return (torch.softmax(q @ k.transpose(2, 3) * 0.2, -1) * kept / 0.5) @ v

    compare(fused, q, k, v, dtype=dtype, reference=plain)


def case_fusion_refusals(dtype: torch.dtype) -> None:
    """What is not supported fails in the first phase and says what."""
    import torch_npu

    q = _heads(1, 2, 4, 8).to(dtype).npu()
    mask = torch.zeros(4, 4, dtype=torch.bool).npu()
    refused: list[tuple[str, dict[str, Any]]] = [
        ("padding_mask", {"padding_mask": torch.zeros(1, 2, 4, 4, dtype=dtype).npu()}),
        ("compressed mask", {"atten_mask": mask, "sparse_mode": 2}),
        ("atten_mask", {"atten_mask": mask[:3].contiguous()}),
        ("pse", {"pse": torch.zeros(1, 2, 3, 4, dtype=dtype).npu()}),
        ("prefix", {"atten_mask": mask, "sparse_mode": 5}),
    ]
    for name, options in refused:
        with pytest.raises(RuntimeError, match=f"aclnnFlashAttentionScore.*{name}"):
            torch_npu.npu_fusion_attention(q, q, q, 2, "BNSD", **options)


def case_multihead_attention(dtype: torch.dtype) -> None:
    x = torch.randn(2, 5, 16)
    for weights in (False, True):
        module = nn.MultiheadAttention(16, 4, batch_first=True)

        class Call(nn.Module):
            def __init__(self, module: nn.Module = module, weights: bool = weights) -> None:
                super().__init__()
                self.inner, self.weights = module, weights

            def forward(self, x: Tensor) -> Tensor:
                return self.inner(x, x, x, need_weights=self.weights)[0]

        compare_module(Call(), x, dtype=dtype, scale=2)


def case_transformer_encoder(dtype: torch.dtype) -> None:
    module = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, activation="gelu", batch_first=True)
    causal = nn.Transformer.generate_square_subsequent_mask(6)

    class Masked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = module

        def forward(self, x: Tensor) -> Tensor:
            return self.inner(x, src_mask=causal.to(x.device, x.dtype), is_causal=True)

    compare_module(module, torch.randn(2, 6, 16), dtype=dtype, scale=4)
    compare_module(Masked(), torch.randn(2, 6, 16), dtype=dtype, scale=4)


def case_multihead_attention_padding(dtype: torch.dtype) -> None:
    """In evaluation with weights, which adds the mask to a product (baddbmm)."""
    padding = torch.tensor([[False] * 4 + [True] * 2, [False] * 6])
    module = nn.MultiheadAttention(16, 4, batch_first=True).to(dtype).eval()
    x = torch.randn(2, 6, 16).to(dtype)
    with torch.no_grad():
        expected = module.float()(*[x.float()] * 3, key_padding_mask=padding)
        outputs = module.to(dtype).npu()(*[x.npu()] * 3, key_padding_mask=padding.npu())
    for mine, theirs in zip(outputs, expected, strict=True):
        torch.testing.assert_close(mine.cpu().float(), theirs, **TOLERANCE[dtype])


def case_baddbmm(dtype: torch.dtype) -> None:
    batches = torch.randn(3, 4, 5), torch.randn(3, 5, 2)
    for shape in ((3, 4, 2), (4, 2), (2,)):
        added = torch.randn(shape)
        compare(
            lambda s, a, b: torch.baddbmm(s, a, b, beta=0.5, alpha=2), added, *batches, dtype=dtype, scale=2
        )


def case_cat(dtype: torch.dtype) -> None:
    a, b, nothing = torch.randn(2, 3), torch.randn(4, 2), torch.empty(0)
    compare(lambda a, b, n: torch.cat([a, n, b.t()], -2), a, torch.randn(3, 4), nothing, dtype=dtype)
    compare(lambda a, b, n: torch.cat([n, a.t(), b[:3]], 1), a, b, nothing, dtype=dtype)


# Mixed precision


def case_grad_scaler(dtype: torch.dtype) -> None:
    """Scale, unscale, a step that is skipped for an infinity, growth after two good ones."""
    scaler = torch.amp.GradScaler("npu", init_scale=8.0, growth_interval=2)
    weight = nn.Parameter(torch.ones(3, device="npu"))
    optimizer = torch.optim.SGD([weight], lr=0.5)
    expected = torch.ones(3)
    for gradient, scale in ((1.0, 8.0), (math.inf, 4.0), (2.0, 4.0), (3.0, 8.0)):
        optimizer.zero_grad()
        scaler.scale((weight.to(dtype) * gradient).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        if math.isfinite(gradient):
            expected -= 0.5 * gradient
        torch.testing.assert_close(weight.detach().cpu(), expected)
        assert scaler.get_scale() == scale


def case_unscale(dtype: torch.dtype) -> None:
    """Lists with strided and empty tensors and a scalar."""
    for bad in (False, True):
        tensors = [torch.randn(4, 3).t(), torch.randn(0), torch.tensor(3.0), torch.randn(7)]
        grads = [t.to(dtype).npu() for t in tensors]
        if bad:
            grads[3][2] = math.nan
        found, inverse = torch.zeros(1, device="npu"), torch.full((1,), 0.25, device="npu")
        torch._amp_foreach_non_finite_check_and_unscale_(grads, found, inverse)
        assert found.item() == float(bad)
        for grad, tensor in zip(grads[:3], tensors[:3], strict=True):
            torch.testing.assert_close(grad.cpu(), (tensor.to(dtype).float() * 0.25).to(dtype))
