"""Quantization to int8 through torch_npu, against the formulas in float32."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
EPSILON = 1e-6


def _made(dtype: str, *shape: int) -> Tensor:
    return torch.randn(shape).to(DTYPES[dtype])


def _compare(found: Tensor, values: Tensor) -> bool:
    """The integers nearest to `values`; where a value lies between two of them, either."""
    difference = (found.cpu().double() - values.double().clamp(-128, 127)).abs()
    return found.dtype == torch.int8 and bool((difference <= 0.5 + 1e-3).all())


def _rows(values: Tensor, y: Tensor, scale: Tensor) -> bool:
    expected = values.abs().amax(-1) / 127
    return torch.allclose(scale.cpu(), expected, rtol=1e-5) and _compare(y, values / expected[..., None])


def _norm(x1: Tensor, x2: Tensor, gamma: Tensor) -> Tensor:
    x = (x1 + x2).float()  # the sum that is stored
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPSILON) * gamma.float()


def dynamic(dtype: str) -> dict[str, bool]:
    """npu_dynamic_quant and its asymmetric form, with and without smooth scales."""
    import torch_npu

    torch.manual_seed(0)
    x, smooth = _made(dtype, 3, 5, 32), _made(dtype, 32)
    y, scale = torch_npu.npu_dynamic_quant(x.npu())
    found = {"plain": _rows(x.float(), y, scale)}
    y, scale = torch_npu.npu_dynamic_quant(x.npu(), smooth_scales=smooth.npu())
    found["smooth"] = _rows(x.float() * smooth.float(), y, scale)
    y, scale, offset = torch_npu.npu_dynamic_quant_asymmetric(x.npu())
    wide = x.float()
    step = (wide.amax(-1) - wide.amin(-1)) / 255
    shift = 127 - wide.amax(-1) / step
    found["asymmetric"] = (
        torch.allclose(scale.cpu(), step, rtol=1e-5)
        and torch.allclose(offset.cpu(), shift, rtol=1e-4)
        and _compare(y, wide / step[..., None] + shift[..., None])
        and y.amin().item() == -128
        and y.amax().item() == 127
    )
    y, scale = torch_npu.npu_dynamic_quant(torch.zeros_like(x).npu())
    found["zeros"] = not y.any().item() and not scale.any().item()
    return found


def given_scales(dtype: str) -> dict[str, bool]:
    """npu_quantize that multiplies, by one scale and by one for each place."""
    import torch_npu

    torch.manual_seed(0)
    x = _made(dtype, 4, 32)
    found = {}
    for name, count in (("one", 1), ("each", 32)):
        scale, offset = _made(dtype, count) * 40, _made(dtype, count) * 3
        y = torch_npu.npu_quantize(x.npu(), scale.npu(), offset.npu(), torch.qint8, -1, False)
        found[name] = _compare(y, x.float() * scale.float() + offset.float())
    return found


def after_norm(dtype: str) -> dict[str, bool]:
    """npu_add_rms_norm_quant and npu_add_rms_norm_dynamic_quant."""
    import torch_npu

    torch.manual_seed(0)
    x1, x2, gamma = _made(dtype, 6, 32), _made(dtype, 6, 32), _made(dtype, 32)
    device: list[Any] = [t.npu() for t in (x1, x2, gamma)]
    norm = _norm(x1, x2, gamma)
    scales = (_made(dtype, 32).abs() + 0.1) / 10
    points = torch.randint(-3, 4, (32,), dtype=torch.int32)
    y, _, x = torch_npu.npu_add_rms_norm_quant(
        *device, scales.npu(), points.npu(), axis=-1, epsilon=EPSILON, div_mode=True
    )
    plain, _, _ = torch_npu.npu_add_rms_norm(*device, EPSILON)
    apart = torch_npu.npu_quantize(plain, scales.npu(), points.npu(), torch.qint8, -1, True)
    found = {"apart": torch.equal(y.cpu(), apart.int_repr().cpu() if apart.is_quantized else apart.cpu())}
    found |= {
        "given": _compare(y, norm.to(x1.dtype).float() / scales.float() + points),
        "sum": torch.equal(x.cpu(), x1 + x2),
    }
    y, _, x, scale, _ = torch_npu.npu_add_rms_norm_dynamic_quant(*device, epsilon=EPSILON)
    found["dynamic"] = _rows(norm, y, scale) and torch.equal(x.cpu(), x1 + x2)
    first, second, beta = _made(dtype, 32), _made(dtype, 32), _made(dtype, 32)
    y, other, _, scale, other_scale = torch_npu.npu_add_rms_norm_dynamic_quant(
        *device, smooth_scale1=first.npu(), smooth_scale2=second.npu(), beta=beta.npu(), epsilon=EPSILON
    )
    moved = norm + beta.float()
    found["two"] = _rows(moved * first.float(), y, scale) and _rows(
        moved * second.float(), other, other_scale
    )
    _, other, _, _, other_scale = torch_npu.npu_add_rms_norm_dynamic_quant(
        *device, epsilon=EPSILON, output_mask=[False, True]
    )
    found["only the second"] = _rows(norm, other, other_scale)
    return found


def refused() -> dict[str, str]:
    """The errors of what is not supported, or wrong."""
    import torch_npu

    x = torch.randn(4, 32).half().npu()
    groups = torch.tensor([2, 4], dtype=torch.int32).npu()
    cases = {
        "groups": lambda: torch_npu.npu_dynamic_quant(
            x, smooth_scales=torch.ones(2, 32).half().npu(), group_index=groups
        ),
        "int4": lambda: torch_npu.npu_dynamic_quant(x, dst_type=torch.quint4x2),
        "smooth": lambda: torch_npu.npu_dynamic_quant(x, smooth_scales=torch.ones(31).half().npu()),
    }
    errors = {}
    for name, call in cases.items():
        try:
            call()
            torch.npu.synchronize()
            errors[name] = "no error"
        except RuntimeError as error:
            errors[name] = str(error)
    return errors
