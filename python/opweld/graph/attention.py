"""How torchair puts scaled_dot_product_attention into graphs of the software NPU, dropout and gradients too.

torchair has no converter for it. Before its first graph it doesn't see the prototypes either, and would
compile a callback with headers that only CANN has; and a node made of the prototype alone has no state of the
generator.
"""

from __future__ import annotations

from typing import Any

NUMBERS_OF_A_MASK = 10  # that eager mode takes from the generator
UNLIMITED = 2147483647


def register() -> None:
    """Registers the converters with torchair, which has to be loaded already."""
    import torch
    import torchair

    torchair.register_fx_node_ge_converter(torch.ops.npu.npu_fusion_attention_v3.default)(convert_attention)
    torchair.register_fx_node_ge_converter(torch.ops.npu.npu_fusion_attention_grad_v3.default)(
        convert_attention_gradient
    )


def convert_attention(
    query: Any,
    key: Any,
    value: Any,
    head_num: int,
    input_layout: str,
    pse: Any = None,
    padding_mask: Any = None,
    atten_mask: Any = None,
    scale: float = 1.0,
    keep_prob: float = 1.0,
    pre_tockens: int = UNLIMITED,
    next_tockens: int = UNLIMITED,
    inner_precise: int = 0,
    prefix: Any = None,
    actual_seq_qlen: Any = None,
    actual_seq_kvlen: Any = None,
    sparse_mode: int = 0,
    gen_mask_parallel: bool = True,
    sync: bool = False,
    softmax_layout: str = "",
    sink: Any = None,
    meta_outputs: Any = None,
) -> Any:
    """The converter of npu::npu_fusion_attention_v3."""
    import torchair
    from torchair.ge import attr

    seed, offset = _generator_state() if keep_prob < 1 else (None, None)
    return torchair.ge.custom_op(
        "NpuFusionAttentionV3",
        inputs={
            "query": query,
            "key": key,
            "value": value,
            "pse": pse,
            "padding_mask": padding_mask,
            "atten_mask": atten_mask,
            "actual_seq_qlen": actual_seq_qlen,
            "actual_seq_kvlen": actual_seq_kvlen,
            "sink": sink,
            "seed": seed,
            "offset": offset,
        },
        attrs={
            "head_num": attr.Int(head_num),
            "input_layout": attr.Str(input_layout),
            "scale": attr.Float(scale),
            "keep_prob": attr.Float(keep_prob),
            "pre_tockens": attr.Int(pre_tockens),
            "next_tockens": attr.Int(next_tockens),
            "inner_precise": attr.Int(inner_precise),
            "prefix": attr.ListInt(prefix or []),
            "sparse_mode": attr.Int(sparse_mode),
            "gen_mask_parallel": attr.Bool(gen_mask_parallel),
            "sync": attr.Bool(sync),
            "softmax_layout": attr.Str(softmax_layout),
        },
        outputs=["attention_score", "softmax_max", "softmax_sum", "softmax_out", "seed", "offset"],
    )


def convert_attention_gradient(
    query: Any,
    key: Any,
    value: Any,
    dy: Any,
    head_num: int,
    input_layout: str,
    *,
    pse: Any = None,
    padding_mask: Any = None,
    atten_mask: Any = None,
    softmax_max: Any = None,
    softmax_sum: Any = None,
    softmax_in: Any = None,
    attention_in: Any = None,
    scale_value: float = 1.0,
    keep_prob: float = 1.0,
    pre_tockens: int = UNLIMITED,
    next_tockens: int = UNLIMITED,
    inner_precise: int = 0,
    seed: Any = None,
    offset: Any = None,
    prefix: Any = None,
    actual_seq_qlen: Any = None,
    actual_seq_kvlen: Any = None,
    sparse_mode: int = 0,
    gen_mask_parallel: bool = True,
    sync: bool = False,
    softmax_layout: str = "",
    sink: Any = None,
    meta_outputs: Any = None,
) -> Any:
    """The converter of npu::npu_fusion_attention_grad_v3."""
    import torchair
    from torchair.ge import attr

    return torchair.ge.custom_op(
        "NpuFusionAttentionGradV3",
        inputs={
            "query": query,
            "key": key,
            "value": value,
            "dy": dy,
            "pse": pse,
            "padding_mask": padding_mask,
            "atten_mask": atten_mask,
            "softmax_max": softmax_max,
            "softmax_sum": softmax_sum,
            "softmax_in": softmax_in,
            "attention_in": attention_in,
            "seed": seed,
            "offset": offset,
            "actual_seq_qlen": actual_seq_qlen,
            "actual_seq_kvlen": actual_seq_kvlen,
            "sink": sink,
        },
        attrs={
            "head_num": attr.Int(head_num),
            "input_layout": attr.Str(input_layout),
            "scale_value": attr.Float(scale_value),
            "keep_prob": attr.Float(keep_prob),
            "pre_tockens": attr.Int(pre_tockens),
            "next_tockens": attr.Int(next_tockens),
            "inner_precise": attr.Int(inner_precise),
            "prefix": attr.ListInt(prefix or []),
            "sparse_mode": attr.Int(sparse_mode),
            "gen_mask_parallel": attr.Bool(gen_mask_parallel),
            "sync": attr.Bool(sync),
            "softmax_layout": attr.Str(softmax_layout),
        },
        outputs=["dq", "dk", "dv", "dpse", "dsink"],
    )


def _generator_state() -> tuple[Any, Any]:
    """The seed, and the offset of each run."""
    from torchair.ge._ge_graph import get_ge_rng_state

    seed, offset = get_ge_rng_state(philox_num=NUMBERS_OF_A_MASK)
    return seed, offset
