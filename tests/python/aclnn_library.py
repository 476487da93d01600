"""libopapi.so and the runtime by ctypes alone: starts in a second, since torch_npu is not needed.

Runs in a process on the software NPU.
"""

import ctypes
import functools
import json
from typing import Any

C_TYPES = {
    "int64_t": ctypes.c_int64,
    "int32_t": ctypes.c_int32,
    "int8_t": ctypes.c_int8,
    "uint64_t": ctypes.c_uint64,
    "double": ctypes.c_double,
    "float": ctypes.c_float,
    "bool": ctypes.c_bool,
    "const char*": ctypes.c_char_p,
}


@functools.cache
def runtime() -> ctypes.CDLL:
    """libascendcl.so with device 0 in use."""
    library = ctypes.CDLL("libascendcl.so", mode=ctypes.RTLD_GLOBAL)
    library.aclGetRecentErrMsg.restype = ctypes.c_char_p
    for code in (library.aclInit(None), library.aclrtSetDevice(0)):
        if code:
            raise RuntimeError(f"the device cannot be used: {library.aclGetRecentErrMsg()}")
    return library


@functools.cache
def library() -> ctypes.CDLL:
    """libopapi.so."""
    runtime()
    return ctypes.CDLL("libopapi.so", mode=ctypes.RTLD_GLOBAL)


def message() -> str:
    """The calling thread's error text; asking for it forgets it."""
    return (runtime().aclGetRecentErrMsg() or b"").decode(errors="replace")


@functools.cache
def functions() -> dict[str, list[dict[str, Any]]]:
    """aclnn name -> parameters, as the library describes them."""
    describe = library().opweldDescribeFunctions
    describe.restype = ctypes.c_char_p
    return {row["name"]: row["parameters"] for row in json.loads(describe())}


def make(function: str, *arguments: Any) -> ctypes.c_void_p:
    """What a function that creates an object gives; null where it refuses."""
    create = getattr(library(), function)
    create.restype = ctypes.c_void_p
    return ctypes.c_void_p(create(*arguments))


def array(c_type: Any, values: Any) -> Any:
    """A C array, never of length zero."""
    return (c_type * max(len(values), 1))(*values)


def device_memory(size: int) -> ctypes.c_void_p:
    """`size` bytes on the device, never freed."""
    address = ctypes.c_void_p()
    if runtime().aclrtMalloc(ctypes.byref(address), ctypes.c_size_t(size), 0):
        raise RuntimeError(message())
    return address
