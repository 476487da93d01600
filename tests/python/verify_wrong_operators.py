"""Operators that are each wrong in one way, for test_verify.py; `FOUND_BY` names the check that must find it.

Every operator is x * 2 where nothing else is said. CPU and NPU kernels are the same Python function.
"""

import os
import signal

import torch
from torch import Tensor

LIBRARY = torch.library.Library("opweld_wrong", "DEF")
FOUND_BY: dict[str, str] = {}


def operator(name, found_by, signature="(Tensor x) -> Tensor", meta=torch.empty_like, backward="right"):
    """Registers the decorated kernel as operator `name`."""

    def register(kernel):
        qualified = f"opweld_wrong::{name}"
        LIBRARY.define(f"{name}{signature}")
        LIBRARY.impl(name, kernel, "CPU")
        LIBRARY.impl(name, kernel, "PrivateUse1")
        if meta is not None:
            LIBRARY.impl(name, meta, "Meta")
        if backward == "right":
            torch.library.register_autograd(qualified, lambda context, g: g * 2, lib=LIBRARY)
        elif backward is not None:
            torch.library.register_autograd(qualified, backward, lib=LIBRARY)
        FOUND_BY[qualified] = found_by
        return kernel

    return register


def _double(x: Tensor) -> Tensor:
    return torch.mul(x, 2).contiguous()


def _plain(x: Tensor) -> Tensor:
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


@operator("right", "", meta=_plain)
def right(x):
    return _double(x)


def _with_a_dimension(x: Tensor) -> Tensor:
    if x.ndim == 0:
        raise RuntimeError("x must have a dimension")
    return _plain(x)


@operator("right_but_for_0_d", "", meta=_with_a_dimension)  # which the reference takes
def right_but_for_0_d(x):
    _with_a_dimension(x)
    return _double(x)


@operator("wrong_for_float16", "result", meta=_plain)
def wrong_for_float16(x):
    return _double(x) * (1.1 if x.dtype == torch.float16 else 1)


@operator("wrong_for_strides", "result", meta=_plain)
def wrong_for_strides(x):
    if x.is_contiguous() or x.numel() == 0:
        return _double(x)
    base = x.as_strided([x.numel()], [1], 0) if x.untyped_storage().nbytes() >= x.nbytes else x.flatten()
    return _double(base.reshape(x.shape))


@operator("wrong_for_large", "result", meta=_plain)
def wrong_for_large(x):
    result = _double(x)
    return (
        result.flatten().index_fill(0, torch.tensor([1000], device=x.device), 5).reshape(x.shape)
        if (x.numel() > 1000)
        else result
    )


@operator("wrong_scalar", "result", meta=_plain)
def wrong_scalar(x):
    return _double(x) + (1 if x.ndim == 0 else 0)


@operator("refuses_scalar", "result", meta=_plain)
def refuses_scalar(x):
    if x.ndim == 0:
        raise RuntimeError("refuses_scalar: x must have a dimension")
    return _double(x)


@operator("crash_for_empty", "result", meta=_plain)
def crash_for_empty(x):
    if x.numel() == 0:
        os.kill(os.getpid(), signal.SIGSEGV)
    return _double(x)


@operator("meta_missing", "meta", meta=None)
def meta_missing(x):
    return _double(x)


@operator("meta_shape", "meta", meta=lambda x: x.new_empty([*x.shape, 1]))
def meta_shape(x):
    return _double(x)


@operator("meta_dtype", "meta", meta=lambda x: torch.empty(x.shape, dtype=torch.float32, device=x.device))
def meta_dtype(x):
    return _double(x)


@operator("meta_strides", "meta", meta=lambda x: _plain(x).mT.contiguous().mT if x.ndim > 1 else _plain(x))
def meta_strides(x):
    return _double(x)


def _reads_values(x):
    return x.new_empty(x.shape) if x.numel() == 0 or x.sum().item() > 1e9 else _plain(x)


@operator("meta_reads_values", "meta", meta=_reads_values)
def meta_reads_values(x):
    return _double(x)


@operator("meta_specialises", "symbolic", meta=lambda x: x.new_empty([int(size) for size in x.shape]))
def meta_specialises(x):
    return _double(x)


@operator("writes_secretly", "schema", meta=_plain)
def writes_secretly(x):
    result = _double(x)
    if x.is_contiguous():
        x.add_(1)
    return result


@operator("gradient_missing", "gradients", meta=_plain, backward=None)
def gradient_missing(x):
    return _double(x)


@operator("gradient_wrong", "gradients", meta=_plain, backward=lambda context, g: g * 3)
def gradient_wrong(x):
    return _double(x)


def _integer_dependent(context, gradient):
    raise RuntimeError("gradient_raises: lost its way")


@operator("gradient_raises", "gradients", meta=_plain, backward=_integer_dependent)
def gradient_raises(x):
    return _double(x)


@operator("not_all_written", "outputs", meta=_plain)
def not_all_written(x):
    result = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if x.numel():
        result.view(-1)[: x.numel() - 1].copy_(_double(x).view(-1)[: x.numel() - 1])
    return result


_CALLS = [0]


@operator("nondeterministic", "determinism", meta=_plain)
def nondeterministic(x):
    _CALLS[0] += 1
    return _double(x) * (1 + 1e-2 * (_CALLS[0] % 7))


@operator("wrong_under_vmap", "vmap", meta=_plain)
def wrong_under_vmap(x):
    return _double(x)


@torch.library.register_vmap("opweld_wrong::wrong_under_vmap", lib=LIBRARY)
def _wrong_batches(info, in_dims, x):
    return torch.ops.opweld_wrong.wrong_under_vmap(x.flip(in_dims[0])), in_dims[0]


@operator("wrong_under_autocast", "autocast", meta=_plain)
def wrong_under_autocast(x):
    return _double(x)


def _wrong_cast(x):
    with torch._C._ExcludeDispatchKeyGuard(_AUTOCAST):
        return torch.ops.opweld_wrong.wrong_under_autocast(x) * 1.5


_AUTOCAST = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU) | torch._C.DispatchKeySet(
    torch._C.DispatchKey.AutocastPrivateUse1
)
LIBRARY.impl("wrong_under_autocast", _wrong_cast, "AutocastCPU")
LIBRARY.impl("wrong_under_autocast", _wrong_cast, "AutocastPrivateUse1")


@operator("ignores_deterministic_mode", "deterministic-mode", meta=_plain)
def ignores_deterministic_mode(x):
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    return _double(x) + (1 if torch.are_deterministic_algorithms_enabled() and not warn_only else 0)
