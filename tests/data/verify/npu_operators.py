"""Samples and references for operators of torch_npu itself: `opweld verify OPERATOR... --samples` this file.

docs/reference/verified-operators.md holds what a run over them finds.
"""

import torch
import torch.nn.functional as F

R = torch.randn
SHAPES = ((4, 8), (2, 3, 16), (8,))


def unary(dtype):
    return [((R(shape).to(dtype),), {}) for shape in SHAPES]


def pair(dtype):
    return [((R(shape).to(dtype), R(shape).to(dtype)), {}) for shape in SHAPES]


def calls(*arguments, **keywords):
    """One call; floating-point tensors are cast to the dtype."""

    def make(dtype):
        def cast(value):
            floating = isinstance(value, torch.Tensor) and value.is_floating_point()
            return value.to(dtype) if floating else value

        return [(tuple(map(cast, arguments)), {name: cast(value) for name, value in keywords.items()})]

    return make


def boxes(count):
    corner = torch.rand(count, 2) * 10
    return torch.cat([corner, corner + 1 + torch.rand(count, 2) * 5], dim=1)


def iou(bboxes, gtboxes, mode=0):
    """Of every box with every true box."""
    low = torch.maximum(bboxes[:, None, :2], gtboxes[None, :, :2])
    high = torch.minimum(bboxes[:, None, 2:], gtboxes[None, :, 2:])
    shared = (high - low).clamp(min=0).prod(-1)
    area = (bboxes[:, 2:] - bboxes[:, :2]).prod(-1)[:, None]
    true_area = (gtboxes[:, 2:] - gtboxes[:, :2]).prod(-1)[None]
    return shared / (true_area if mode == 1 else area + true_area - shared)


def rms_norm(x, gamma, epsilon=1e-6):
    rstd = torch.rsqrt(x.square().mean(-1, keepdim=True) + epsilon)
    return x * rstd * gamma, rstd


def rotate_half(x):
    first, second = x.chunk(2, -1)
    return torch.cat([-second, first], -1)


def fast_gelu(x):
    return x * torch.sigmoid(1.702 * x)


def swiglu(x, dim=-1):
    first, second = x.chunk(2, dim)
    return F.silu(first) * second


def of_gradient(function):
    """The reference of a backward operator (gradient, input)."""

    def reference(gradient, x, *rest, **keywords):
        with torch.enable_grad():
            leaf = x.detach().requires_grad_()
            return torch.autograd.grad(function(leaf, **keywords), leaf, gradient)[0]

    return reference


def softmax_loss(x, labels):
    return -(labels * F.log_softmax(x, -1)).sum(-1)


def geglu(x, dim=-1, approximate=1, activate_left=False):
    first, second = x.chunk(2, dim)
    gate, value = (first, second) if activate_left else (second, first)
    gelu = F.gelu(gate, approximate="tanh" if approximate == 1 else "none")
    return gelu * value, gelu


def convolution(x, weight, bias, stride, padding, dilation, groups):
    return torch.nn.functional.conv2d(x, weight, bias, stride, padding, dilation, groups)


def layer_norm(x, shape, weight=None, bias=None, eps=1e-5):
    return F.layer_norm(x, shape, weight, bias, eps)


def gelu_mul(x, approximate="none"):
    first, second = x.chunk(2, -1)
    return F.gelu(first, approximate=approximate) * second


def add_rms_norm(x1, x2, gamma, epsilon=1e-6):
    total = x1 + x2
    normal, rstd = rms_norm(total, gamma, epsilon)
    return normal, rstd, total


def confusion_transpose(x, perm, shape, transpose_first):
    return x.permute(perm).reshape(shape) if transpose_first else x.reshape(shape).permute(perm)


CONV = (R(2, 4, 8, 8), R(6, 4, 3, 3), R(6), [1, 1], [1, 1], [1, 1], 1)
ROPE = (R(2, 4, 3, 8), R(1, 4, 1, 8), R(1, 4, 1, 8))
INDEX = torch.tensor([0, 2, 1])

TABLE = {
    "fast_gelu": (unary, fast_gelu),
    "npu_fast_gelu": (unary, fast_gelu),
    "npu_fast_gelu_backward": (pair, of_gradient(fast_gelu)),
    "npu_gelu": (unary, F.gelu),
    "npu_gelu_backward": (pair, of_gradient(F.gelu)),
    "npu_silu": (unary, F.silu),
    "npu_silu_": (unary, F.silu),
    "npu_silu_backward": (
        lambda dtype: [((g, x, F.silu(x)), {}) for (g, x), _ in pair(dtype)],
        of_gradient(F.silu),
    ),
    "npu_mish": (unary, F.mish),
    "npu_mish_backward": (pair, of_gradient(F.mish)),
    "npu_swiglu": (unary, swiglu),
    "npu_swiglu_backward": (
        lambda dtype: [((R(4, 4).to(dtype), R(4, 8).to(dtype)), {})],
        of_gradient(swiglu),
    ),
    "npu_geglu": (calls(R(4, 16)), geglu),
    "npu_gelu_mul": (calls(R(4, 16)), gelu_mul),
    "npu_rms_norm": (calls(R(4, 16), R(16)), rms_norm),
    "npu_gemma_rms_norm": (
        calls(R(4, 16), R(16)),
        lambda x, gamma, epsilon=1e-6: rms_norm(x, 1 + gamma, epsilon),
    ),
    "npu_add_rms_norm": (calls(R(4, 16), R(4, 16), R(16)), add_rms_norm),
    "npu_add_layer_norm": (calls(R(4, 16), R(4, 16), R(16), R(16)), None),
    "npu_layer_norm_eval": (calls(R(4, 16), [16], R(16), R(16)), layer_norm),
    "npu_deep_norm": (calls(R(4, 16), R(4, 16), R(16), R(16)), None),
    "npu_group_norm_silu": (calls(R(2, 8, 4, 4), R(8), R(8), 2), None),
    "npu_group_norm_swish": (calls(R(2, 8, 4, 4), 2, R(8), R(8)), None),
    "npu_linear": (calls(R(5, 8), R(6, 8), R(6)), F.linear),
    "npu_bmmV2": (calls(R(2, 3, 4), R(2, 4, 5), []), lambda a, b, sizes: torch.bmm(a, b)),
    "npu_conv2d": (calls(*CONV), convolution),
    "npu_convolution": (calls(*CONV), convolution),
    "npu_rotary_mul": (calls(*ROPE), lambda x, cos, sin: x * cos + rotate_half(x) * sin),
    "npu_interleave_rope": (calls(R(2, 2, 3, 64), R(2, 1, 3, 64), R(2, 1, 3, 64)), None),
    "npu_scaled_masked_softmax": (
        calls(R(2, 2, 16, 32), torch.zeros(2, 1, 16, 32, dtype=torch.bool), 0.5),
        lambda x, mask, scale=1, fixed=False: torch.softmax((x * scale).masked_fill(mask, -10000.0), -1),
    ),
    "npu_softmax_cross_entropy_with_logits": (
        calls(R(4, 6), torch.softmax(R(4, 6), -1)),
        softmax_loss,
    ),
    "npu_cross_entropy_loss": (calls(R(3, 5), INDEX), None),
    "npu_max.dim": (lambda dtype: [((R(4, 8).to(dtype), 1), {})], lambda x, dim: tuple(x.max(dim))),
    "npu_min.dim": (lambda dtype: [((R(4, 8).to(dtype), 1), {})], lambda x, dim: tuple(x.min(dim))),
    "npu_one_hot": (calls(INDEX, -1, 4), lambda x, classes, depth: F.one_hot(x, depth)),
    "npu_pad": (calls(R(3, 4), [1, 1, 0, 2]), lambda x, sizes: F.pad(x, [sizes[2], sizes[3], *sizes[:2]])),
    "npu_slice": (calls(R(5, 6), [1, 2], [3, 2]), lambda x, at, size: x[1:4, 2:4]),
    "npu_transpose": (calls(R(2, 3, 4), [2, 0, 1]), lambda x, perm: x.permute(perm).contiguous()),
    "npu_confusion_transpose": (calls(R(2, 3, 4), [0, 2, 1], [2, 12], True), confusion_transpose),
    "npu_broadcast": (calls(R(1, 4), [3, 4]), lambda x, size: x.expand(size).contiguous()),
    "npu_reshape": (calls(R(3, 4), [2, 6]), lambda x, shape: x.reshape(shape)),
    "npu_dtype_cast": (calls(R(3, 4), 5), None),
    "_npu_dtype_cast": (calls(R(3, 4), torch.float16), lambda x, dtype: x.to(dtype)),
    "npu_format_cast": (calls(R(16, 16), 2), lambda x, code: x),
    "npu_iou": (lambda dtype: [((boxes(4).to(dtype), boxes(3).to(dtype)), {})], iou),
    "npu_ptiou": (lambda dtype: [((boxes(4).to(dtype), boxes(3).to(dtype)), {})], iou),
    "npu_giou": (
        lambda dtype: [((boxes(4).T.contiguous().to(dtype), boxes(4).T.contiguous().to(dtype)), {})],
        None,
    ),
    "npu_ciou": (
        lambda dtype: [
            ((boxes(4).T.contiguous().to(dtype), boxes(4).T.contiguous().to(dtype), True, False), {})
        ],
        None,
    ),
    "npu_diou": (
        lambda dtype: [((boxes(4).T.contiguous().to(dtype), boxes(4).T.contiguous().to(dtype)), {})],
        None,
    ),
    "npu_sort_v2": (calls(R(4, 8)), lambda x, dim=-1, descending=False: x.sort(dim, descending)[0]),
    "npu_scatter_nd_update": (
        lambda dtype: [((R(5, 4).to(dtype), torch.tensor([[1], [3]]), R(2, 4).to(dtype)), {})],
        lambda x, indices, updates: x.index_copy(0, indices[:, 0], updates),
    ),
    "scatter_update": (
        lambda dtype: [((R(2, 6, 4).to(dtype), torch.tensor([1, 2]), R(2, 1, 4).to(dtype), -2), {})],
        lambda x, indices, updates, axis: torch.stack(
            [
                item.index_copy(0, at[None], update)
                for item, at, update in zip(x, indices, updates, strict=True)
            ]
        ),
    ),
    "l1_loss_backward": (
        lambda dtype: [((R(4, 8).to(dtype), R(4, 8).to(dtype), R(4, 8).to(dtype), 0), {})],
        lambda gradient, x, target, reduction: gradient * torch.sign(x - target),
    ),
    "npu_top_k_top_p": (calls(R(4, 32), torch.full((4,), 0.9), torch.full((4,), 8, dtype=torch.int32)), None),
    "npu_moe_gating_top_k_softmax": (calls(R(4, 8), None, 2), None),
}

SAMPLES = {f"npu::{name}": samples for name, (samples, _) in TABLE.items()}
REFERENCES = {f"npu::{name}": reference for name, (_, reference) in TABLE.items() if reference is not None}
