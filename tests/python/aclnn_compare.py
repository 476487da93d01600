"""Runs aclnn_cases on the software NPU and on the CPU and compares; runs in a process on the software NPU."""

import importlib
from typing import Any

import torch

from aclnn_call import AclnnError, Parameter, call, functions
from aclnn_cases import Case, Shape, Shapes

LAYOUTS = ("contiguous", "strided", "transposed", "expanded")


def _values(sizes: tuple[int, ...], dtype: torch.dtype, high: int = 0) -> torch.Tensor:
    if high:
        return torch.randint(0, high, sizes, dtype=dtype)
    if dtype == torch.bool:
        return torch.rand(sizes) < 0.5
    if dtype.is_floating_point or dtype.is_complex:
        return (2 * torch.randn(sizes, dtype=torch.complex64 if dtype.is_complex else torch.float32)).to(
            dtype
        )
    low = 0 if dtype == torch.uint8 else -6
    return torch.randint(low, 9, sizes).to(dtype)


def _laid_out(tensor: torch.Tensor, layout: str, device: str, written: bool) -> torch.Tensor:
    """A tensor of these values whose strides and offset are those of the layout."""
    sizes = tensor.shape
    if layout == "expanded" and not written and tensor.dim() > 0 and sizes[0] > 1:
        return tensor[:1].to(device).expand(sizes)
    if layout == "strided" and tensor.dim() > 0:
        base = torch.zeros((*sizes[:-1], 2 * sizes[-1] + 1), dtype=tensor.dtype, device=device)
        view = base[..., 1::2]
    elif layout == "transposed" and tensor.dim() > 1:
        view = torch.zeros(tuple(reversed(sizes)), dtype=tensor.dtype, device=device).permute(
            *reversed(range(tensor.dim()))
        )
    else:
        return tensor.to(device)
    view.copy_(tensor)
    return view


def _dtype_of(parameter: Parameter, wanted: torch.dtype) -> torch.dtype:
    name = str(wanted).removeprefix("torch.")
    if name in parameter.dtypes:
        return wanted
    for fallback in ("int64", "bool", "uint8", "float32"):
        if fallback in parameter.dtypes:
            return getattr(torch, fallback)
    raise AssertionError(f"no dtype for {parameter}")


def _arguments(case: Case, dtype: torch.dtype) -> list[Any]:
    """The case's arguments with contiguous CPU tensors."""
    inputs = [p for p in functions()[case.function] if p.read or not p.written]
    made: list[Any] = []
    for parameter, argument in zip(inputs, case.arguments, strict=True):
        if isinstance(argument, Shape):
            made.append(_values(argument.sizes, argument.dtype or _dtype_of(parameter, dtype), argument.high))
        elif isinstance(argument, Shapes):
            made.append([_values(sizes, _dtype_of(parameter, dtype)) for sizes in argument.items])
        elif isinstance(argument, list) and None in argument:
            # What torch_npu passes for a dimension without an index tensor.
            made.append([torch.empty(0, dtype=dtype) if item is None else item for item in argument])
        else:
            made.append(argument)
    return made


def _place(value: Any, layout: str, device: str, written: bool) -> Any:
    if isinstance(value, torch.Tensor):
        return _laid_out(value, layout, device, written)
    if isinstance(value, list) and value and all(isinstance(item, torch.Tensor) for item in value):
        return [_laid_out(item, layout, device, written) for item in value]
    return value


def _as_list(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    return [item for part in value for item in _as_list(part)]


def _difference(got: torch.Tensor, expected: torch.Tensor, allowed: float) -> str:
    try:
        # The CPU rounds complex numbers otherwise in vectors than one by one, which depends on the strides.
        tolerance = 1e-6 if expected.is_complex() else allowed
        torch.testing.assert_close(got.cpu(), expected, rtol=tolerance, atol=tolerance, equal_nan=True)
    except AssertionError as error:
        return " ".join(str(error).split())
    return ""


def _run(case: Case, dtype: torch.dtype, layout: str) -> str:
    """What is wrong, or an empty string."""
    parameters = functions()[case.function]
    torch.manual_seed(sum(map(ord, case.function)))
    plain = _arguments(case, dtype)
    written = [p.written for p in parameters if p.read or not p.written]
    on_cpu = [_place(v, layout, "cpu", w) for v, w in zip(plain, written, strict=True)]
    on_npu = [_place(v, layout, "npu", w) for v, w in zip(plain, written, strict=True)]
    try:
        expected = case.reference(*on_cpu)
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        expected = error
    remaining = iter(on_npu)
    if isinstance(expected, Exception):
        # The CPU has no kernel: nor may the NPU pretend to have one. Outputs are as the first tensor.
        like = next((t for t in on_npu if isinstance(t, (torch.Tensor, list))), None)
        outputs = None if like is None else torch.empty_like(like) if isinstance(like, torch.Tensor) else like
        every = [next(remaining) if p.read or not p.written else outputs for p in parameters]
        try:
            call(case.function, *every)
        except (AclnnError, RuntimeError):
            return ""
        return f"succeeded where the CPU raises: {expected}"
    lists = any(p.kind == "tensors" and p.written for p in parameters)
    results = (list(expected),) if lists else expected if isinstance(expected, tuple) else (expected,)
    made = iter(results)
    changed = [p for p in parameters if p.read and p.written]
    changes = iter(expected if isinstance(expected, list) else [])
    every, compared = [], []
    for parameter in parameters:
        if parameter.written and not parameter.read:
            model = next(made)
            output = _place(model, layout if layout != "expanded" else "contiguous", "npu", True)
            for item in _as_list(output):
                item.fill_(1) if item.dtype == torch.bool else item.fill_(113)
            every.append(output)
            compared += zip(_as_list(output), _as_list(model), strict=True)
        else:
            every.append(next(remaining))
            if parameter.written:
                wanted = _as_list(expected) if len(changed) == 1 else [next(changes)]
                compared += zip(_as_list(every[-1]), wanted, strict=True)
    try:
        call(case.function, *every)
    except (AclnnError, RuntimeError) as error:
        return " ".join(str(error).split())
    differences = [_difference(got, want, case.tolerance) for got, want in compared]
    return "; ".join(d for d in differences if d)


def _dtypes(case: Case) -> list[torch.dtype]:
    tensors = [p for p in functions()[case.function] if p.kind in ("tensor", "tensors")]
    names = [n for n in tensors[0].dtypes if n not in ("uint16", "uint32", "uint64")]
    return [getattr(torch, name) for name in names]


def _layouts(case: Case) -> tuple[str, ...]:
    """The layouts that make a difference: all need two dimensions."""
    ranks = [len(a.sizes) for a in case.arguments if isinstance(a, Shape)]
    ranks += [len(sizes) for a in case.arguments if isinstance(a, Shapes) for sizes in a.items]
    return LAYOUTS[:1] if max(ranks, default=0) < 2 else LAYOUTS


def compare(family: str) -> dict[str, Any]:
    """Runs a family, "module:function"; gives the number of comparisons, their functions, the failures."""
    failures: list[str] = []
    count = 0
    names: set[str] = set()
    module, _, name = family.partition(":")
    for case in getattr(importlib.import_module(module), name)():
        if case.function not in functions():
            if case.function.startswith("Inplace"):
                continue  # torch_npu knows no such function
            failures.append(f"aclnn{case.function} is not there")
            continue
        names.add(case.function)
        has_input = any(isinstance(a, (Shape, Shapes)) for a in case.arguments)
        for dtype in _dtypes(case) if has_input else [torch.float32]:
            for layout in _layouts(case):
                count += 1
                if problem := _run(case, dtype, layout):
                    arguments = [getattr(a, "sizes", getattr(a, "items", a)) for a in case.arguments]
                    failures.append(f"{case.function}{arguments} {dtype} {layout}: {problem}")
    return {"count": count, "functions": sorted(names), "failures": failures}
