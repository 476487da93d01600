"""Right calls of functions that aclnn_cases does not name, for the fuzzer to spoil.

What a call leaves out is null, zero or false.
"""

import math
from typing import Any

FLOAT32, UINT8, INT64, BOOL = 0, 4, 9, 12


def _tensor(*shape: int, dtype: int = FLOAT32) -> dict[str, Any]:
    strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    return {"shape": list(shape), "strides": strides, "offset": 0, "dtype": dtype}


_IMAGE, _HALF, _VECTOR = _tensor(2, 4, 6, 6), _tensor(2, 4, 3, 3), _tensor(4)
_WINDOW = {"kernel_size": [2, 2], "stride": [2, 2], "padding": [0, 0], "dilation": [1, 1]}
_WEIGHT = _tensor(4, 2, 3, 3)
_CONVOLUTION = {
    "input": _IMAGE,
    "weight": _WEIGHT,
    "stride": [1, 1],
    "padding": [1, 1],
    "dilation": [1, 1],
    "output_padding": [0, 0],
    "groups": 2,
}
_INDICES = _tensor(2, 4, 3, 3, dtype=3)
_MASK = _tensor(2, 4, 4, 64, dtype=2)
_NORM = {
    "input": _IMAGE,
    "weight": _VECTOR,
    "running_mean": _VECTOR,
    "running_var": _VECTOR,
    "training": True,
}
_GROUPS = {"input": _IMAGE, "weight": _VECTOR, "n": 2, "channel_count": 4, "area": 36, "groups": 2}
_PAIR = _tensor(2, 2)
_ROWS = {"input": _tensor(3, 4), "normalized_shape": [4], "weight": _VECTOR, "bias": _VECTOR}
_ROW = _tensor(3, 1)
_BITS = _tensor(16, dtype=UINT8)
_GRADIENTS = {"grad_input": _IMAGE, "grad_weight": _VECTOR, "grad_bias": _VECTOR, "output_mask": [True] * 3}


def _attention(layout: str) -> dict[str, Any]:
    query = _tensor(1, 2, 4, 8) if layout == "BNSD" else _tensor(4, 2, 8)
    row = _tensor(1, 2, 4, 8) if layout == "BNSD" else _tensor(4, 2, 8)
    lengths = None if layout == "BNSD" else [1, 4]
    return {
        **dict.fromkeys(
            ("query", "key", "value", "dy", "attention_in", "attention_out", "dq", "dk", "dv"), query
        ),
        **dict.fromkeys(("softmax_max", "softmax_sum"), row),
        **dict.fromkeys(("actual_seq_qlen", "actual_seq_kvlen"), lengths),
        **dict.fromkeys(("pre_tokens", "next_tokens"), 65536),
        "atten_mask": _tensor(4, 4, dtype=BOOL),
        "keep_prob": 1.0,
        "head_num": 2,
        "input_layout": layout,
        "pse_type": 1,
    }


MODELS: dict[str, dict[str, Any]] = {
    "AdaptiveAvgPool2d": {"self": _IMAGE, "output_size": [3, 3], "out": _HALF},
    "AdaptiveAvgPool2dBackward": {"grad_output": _HALF, "self": _IMAGE, "grad_input": _IMAGE},
    "AvgPool2d": {"self": _IMAGE, **_WINDOW, "out": _HALF},
    "AvgPool2dBackward": {"grad_output": _HALF, "self": _IMAGE, **_WINDOW, "grad_input": _IMAGE},
    "MaxPool2dWithIndices": {"self": _IMAGE, **_WINDOW, "output": _HALF, "indices": _INDICES},
    "MaxPool2dWithMask": {"self": _IMAGE, **_WINDOW, "output": _HALF, "indices": _MASK},
    "MaxPool2dWithIndicesBackward": {
        "grad_output": _HALF,
        "self": _IMAGE,
        "indices": _INDICES,
        **_WINDOW,
        "grad_input": _IMAGE,
    },
    "MaxPool2dWithMaskBackward": {
        "grad_output": _HALF,
        "self": _IMAGE,
        "indices": _MASK,
        **_WINDOW,
        "grad_input": _IMAGE,
    },
    "Convolution": {**_CONVOLUTION, "output": _IMAGE},
    "ConvolutionBackward": {
        **_CONVOLUTION,
        "grad_output": _IMAGE,
        "bias_sizes": [4],
        "output_mask": [True, True, True],
        "grad_input": _IMAGE,
        "grad_weight": _WEIGHT,
        "grad_bias": _VECTOR,
    },
    "BatchNorm": {**_NORM, "bias": _VECTOR, "output": _IMAGE, "save_mean": _VECTOR, "save_invstd": _VECTOR},
    "BatchNormBackward": {
        **_NORM,
        **_GRADIENTS,
        "grad_out": _IMAGE,
        "save_mean": _VECTOR,
        "save_invstd": _VECTOR,
    },
    "GroupNorm": {**_GROUPS, "bias": _VECTOR, "output": _IMAGE, "mean": _PAIR, "rstd": _PAIR},
    "GroupNormBackward": {**_GROUPS, **_GRADIENTS, "grad_out": _IMAGE, "mean": _PAIR, "rstd": _PAIR},
    "LayerNorm": {**_ROWS, "output": _tensor(3, 4), "mean": _ROW, "rstd": _ROW},
    "LayerNormBackward": {
        **_ROWS,
        **_GRADIENTS,
        "grad_out": _tensor(3, 4),
        "mean": _ROW,
        "rstd": _ROW,
        "grad_input": _tensor(3, 4),
    },
    "Embedding": {"weight": _tensor(9, 4), "indices": _tensor(5, dtype=INT64), "out": _tensor(5, 4)},
    "EmbeddingDenseBackward": {
        "grad": _tensor(5, 4),
        "indices": _tensor(5, dtype=INT64),
        "num_weights": 9,
        "padding_idx": -1,
        "out": _tensor(9, 4),
    },
    "Baddbmm": dict.fromkeys(("self", "batch1", "batch2", "out"), _tensor(2, 3, 3)) | {"beta": 1, "alpha": 1},
    "DropoutV3": {"self": _tensor(3, 4), "out": _tensor(3, 4), "mask": _BITS},
    "DropoutV3Grad": {"grad_output": _tensor(3, 4), "mask": _BITS, "grad_input": _tensor(3, 4)},
    "DropoutDoMask": {"self": _tensor(3, 4), "mask": _BITS, "out": _tensor(3, 4)},
    "DropoutGenMaskV2": {"shape": [3, 4], "out": _BITS},
    **dict.fromkeys(
        [f"FlashAttentionScore{end}" for end in ("", "V2", "V4", "Grad", "GradV2", "GradV4")],
        _attention("BNSD"),
    ),
    **dict.fromkeys(
        [f"FlashAttention{end}" for end in ("VarLenScore", "VarLenScoreV4")]
        + [f"FlashAttentionUnpaddingScoreGrad{end}" for end in ("", "V4")],
        _attention("TND"),
    ),
}
_NOTHING = {"integer": 0, "real": 0.5, "bool": False, "string": "", "dtype": FLOAT32, "scalar": 0.5}
_EMPTY = {"tensors", "scalars", "ints", "floats", "bools"}


def model(name: str, parameters: list[dict[str, Any]]) -> list[Any] | None:
    """The arguments of a right call, in order; None where there is none."""
    known = MODELS.get(name.removeprefix("aclnn"))
    if known is None:
        return None
    return [
        known.get(
            p["name"], None if p["optional"] else [] if p["kind"] in _EMPTY else _NOTHING.get(p["kind"])
        )
        for p in parameters
    ]
