"""Calls aclnn functions by name, as torch_npu does: looked up in libopapi.so, on tensors of device "npu".

Runs in a process on the software NPU (see npu_process.py).
"""

import ctypes
import functools
import json
from typing import Any, NamedTuple

import torch
import torch_npu  # noqa: F401

from aclnn_library import C_TYPES

DTYPES = {
    torch.float32: 0,
    torch.float16: 1,
    torch.int8: 2,
    torch.int32: 3,
    torch.uint8: 4,
    torch.int16: 6,
    torch.int64: 9,
    torch.float64: 11,
    torch.bool: 12,
    torch.complex64: 16,
    torch.complex128: 17,
    torch.bfloat16: 27,
}
_ND = 2


class AclnnError(Exception):
    """A first or second phase returned a failure."""


class Parameter(NamedTuple):
    """A parameter as the library describes it."""

    name: str
    kind: str
    type: str
    read: bool
    written: bool
    optional: bool
    dtypes: list[str]


@functools.cache
def library() -> ctypes.CDLL:
    torch.zeros(1, device="npu")  # initialises the device
    return ctypes.CDLL("libopapi.so")


@functools.cache
def functions() -> dict[str, list[Parameter]]:
    """All functions without their prefix: "Add" -> parameters."""
    describe = library().opweldDescribeFunctions
    describe.restype = ctypes.c_char_p
    rows = json.loads(describe())
    return {
        row["name"].removeprefix("aclnn"): [Parameter(**parameter) for parameter in row["parameters"]]
        for row in rows
    }


def _message() -> str:
    get = ctypes.CDLL("libascendcl.so").aclGetRecentErrMsg
    get.restype = ctypes.c_char_p
    return (get() or b"").decode()


def _pointer(function: str, *arguments: Any) -> ctypes.c_void_p:
    create = getattr(library(), function)
    create.restype = ctypes.c_void_p
    made = create(*arguments)
    if not made:
        raise AclnnError(f"{function}: {_message()}")
    return ctypes.c_void_p(made)


def _array(c_type: Any, values: Any) -> Any:
    return (c_type * max(len(values), 1))(*values)


def _tensor(tensor: torch.Tensor) -> ctypes.c_void_p:
    storage = tensor.untyped_storage()
    return _pointer(
        "aclCreateTensor",
        _array(ctypes.c_int64, tensor.shape),
        ctypes.c_uint64(tensor.dim()),
        ctypes.c_int32(DTYPES[tensor.dtype]),
        _array(ctypes.c_int64, tensor.stride()),
        ctypes.c_int64(tensor.storage_offset()),
        ctypes.c_int32(_ND),
        _array(ctypes.c_int64, [storage.nbytes() // tensor.itemsize]),
        ctypes.c_uint64(1),
        ctypes.c_void_p(storage.data_ptr()),
    )


def _scalar(value: Any) -> ctypes.c_void_p:
    if isinstance(value, bool):
        holder, dtype = ctypes.c_bool(value), torch.bool
    elif isinstance(value, int):
        holder, dtype = ctypes.c_int64(value), torch.int64
    elif isinstance(value, complex):
        holder, dtype = (ctypes.c_double * 2)(value.real, value.imag), torch.complex128
    else:
        holder, dtype = ctypes.c_double(value), torch.float64
    return _pointer("aclCreateScalar", ctypes.byref(holder), ctypes.c_int32(DTYPES[dtype]))


def _convert(parameter: Parameter, value: Any) -> Any:
    if parameter.type in C_TYPES:
        if parameter.kind == "dtype":
            value = DTYPES[value]
        return C_TYPES[parameter.type](value.encode() if isinstance(value, str) else value)
    if value is None:
        return ctypes.c_void_p()
    size = ctypes.c_uint64(len(value) if isinstance(value, (list, tuple)) else 0)
    match parameter.kind:
        case "tensor":
            return _tensor(value)
        case "scalar":
            return _scalar(value)
        case "tensors":
            return _pointer("aclCreateTensorList", _array(ctypes.c_void_p, [_tensor(v) for v in value]), size)
        case "scalars":
            return _pointer("aclCreateScalarList", _array(ctypes.c_void_p, [_scalar(v) for v in value]), size)
        case "ints":
            return _pointer("aclCreateIntArray", _array(ctypes.c_int64, value), size)
        case "floats":
            return _pointer("aclCreateFloatArray", _array(ctypes.c_float, value), size)
        case "bools":
            return _pointer("aclCreateBoolArray", _array(ctypes.c_bool, value), size)
    raise TypeError(f"no conversion for {parameter}")


_DESTROY = {
    "tensor": "Tensor",
    "tensors": "TensorList",
    "scalar": "Scalar",
    "scalars": "ScalarList",
    "ints": "IntArray",
    "floats": "FloatArray",
    "bools": "BoolArray",
}


def call(name: str, *arguments: Any) -> None:
    """Both phases of aclnn`name`, then waits for the device. Raises AclnnError or torch_npu's error."""
    torch.npu.synchronize()
    parameters = functions()[name]
    assert len(arguments) == len(parameters), f"{name} takes {[p.name for p in parameters]}"
    converted = [_convert(p, a) for p, a in zip(parameters, arguments, strict=True)]
    workspace, executor = ctypes.c_uint64(), ctypes.c_void_p()
    code = getattr(library(), f"aclnn{name}GetWorkspaceSize")(
        *converted, ctypes.byref(workspace), ctypes.byref(executor)
    )
    text = _message() if code else ""
    if not code:
        stream = ctypes.c_void_p(torch.npu.current_stream().npu_stream)
        code = getattr(library(), f"aclnn{name}")(ctypes.c_void_p(), workspace, executor, stream)
        text = _message() if code else ""
    for parameter, pointer in zip(parameters, converted, strict=True):
        if parameter.kind in _DESTROY and pointer:
            getattr(library(), f"aclDestroy{_DESTROY[parameter.kind]}")(pointer)
    if code:
        raise AclnnError(f"{code}: {text}")
    torch.npu.synchronize()
