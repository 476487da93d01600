"""Random arguments for aclnn functions: mostly plausible ones, each now and then out of bounds or missing."""

import ctypes
import math
import random
import struct
from typing import Any

import aclnn_library as npu

DTYPES = {
    "float32": 0,
    "float16": 1,
    "int8": 2,
    "int32": 3,
    "uint8": 4,
    "int16": 6,
    "uint16": 7,
    "uint32": 8,
    "int64": 9,
    "uint64": 10,
    "float64": 11,
    "bool": 12,
    "complex64": 16,
    "complex128": 17,
    "bfloat16": 27,
}
ODD_DTYPES = [5, 13, 15, 28, 33, 36, 63, 64, -1, 1 << 20]
ITEM = {0: 4, 1: 2, 2: 1, 3: 4, 4: 1, 6: 2, 7: 2, 8: 4, 9: 8, 10: 8, 11: 8, 12: 1, 16: 8, 17: 16, 27: 2}
EXTREMES = [-(1 << 63), (1 << 63) - 1, 1 << 62, 1 << 40, -(1 << 40), 1 << 31, -(1 << 31), 65536]
ARRAYS = {
    "ints": ("IntArray", ctypes.c_int64),
    "floats": ("FloatArray", ctypes.c_float),
    "bools": ("BoolArray", ctypes.c_bool),
}
POOL = 1 << 16  # bytes of each piece of memory


class Memory:
    """Pieces of device memory that hold zeros, small integers, random floats and random bytes."""

    def __init__(self) -> None:
        source = random.Random(0)
        contents = [
            bytes(POOL),
            struct.pack(f"<{POOL // 8}q", *(source.randrange(4) for _ in range(POOL // 8))),
            struct.pack(f"<{POOL // 4}i", *(source.randrange(-3, 6) for _ in range(POOL // 4))),
            struct.pack(f"<{POOL // 4}f", *(source.gauss(0, 3) for _ in range(POOL // 4))),
            source.randbytes(POOL),
        ]
        self._contents = contents
        self.pieces = [npu.device_memory(POOL) for _ in contents]
        self.restore()

    def restore(self) -> None:
        """Puts the contents back that outputs have overwritten."""
        for piece, content in zip(self.pieces, self._contents, strict=True):
            npu.runtime().aclrtMemcpy(piece, ctypes.c_size_t(POOL), content, ctypes.c_size_t(POOL), 1)


class Arguments:
    """The arguments of one call. `close` destroys their objects."""

    def __init__(
        self,
        rng: random.Random,
        memory: Memory,
        parameters: list[dict[str, Any]],
        model: list[Any] | None = None,  # a right call, of which at most two arguments are spoilt
    ) -> None:
        self._rng = rng
        self._memory = memory
        self._made: list[tuple[str, ctypes.c_void_p]] = []
        self._odd = rng.random() < 0.5  # half of the sets have nothing that is wrong by itself
        self._shape = self._any_shape()
        self._dtype = rng.choice(list(DTYPES))
        self.text: list[str] = []
        count = len(parameters)
        spoilt = (
            range(count) if model is None else rng.sample(range(count), min(count, rng.choice([0, 1, 1, 2])))
        )
        self.values = [
            self._value(parameter) if index in spoilt else self._right(parameter, model[index])
            for index, parameter in enumerate(parameters)
        ]

    def close(self) -> None:
        for kind, pointer in reversed(self._made):
            getattr(npu.library(), f"aclDestroy{kind}")(pointer)

    def _chance(self, share: float) -> bool:
        return self._odd and self._rng.random() < share

    def _any_shape(self) -> list[int]:
        rank = self._rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5])
        return [self._rng.choice([0, 1, 1, 2, 2, 3, 4, 6]) for _ in range(rank)]

    def _integer(self) -> int:
        return (
            self._rng.choice(EXTREMES)
            if self._chance(0.1)
            else self._rng.choice([0, 0, 1, 1, 2, 3, -1, -2, 5])
        )

    def _keep(self, kind: str, pointer: ctypes.c_void_p) -> ctypes.c_void_p:
        if pointer:
            self._made.append((kind, pointer))
        return pointer

    def _value(self, parameter: dict[str, Any]) -> Any:
        kind = parameter["kind"]
        if kind == "dtype":
            number = (
                self._rng.choice(ODD_DTYPES) if self._chance(0.1) else self._rng.choice(list(DTYPES.values()))
            )
            self.text.append(f"{parameter['name']}={number}")
            return ctypes.c_int32(number)
        if parameter["type"] in npu.C_TYPES:
            return self._plain(parameter)
        if self._rng.random() < 0.4 if parameter["optional"] else self._chance(0.03):
            self.text.append(f"{parameter['name']}=null")
            return ctypes.c_void_p()
        value, text = getattr(self, f"_{kind}")(parameter)
        self.text.append(f"{parameter['name']}={text}")
        return value

    def _right(self, parameter: dict[str, Any], value: Any) -> Any:
        """The argument of a right call."""
        if parameter["kind"] == "dtype":
            self.text.append(f"{parameter['name']}={value}")
            return ctypes.c_int32(value)
        if parameter["type"] in npu.C_TYPES:
            self.text.append(f"{parameter['name']}={value!r:.40}")
            return npu.C_TYPES[parameter["type"]](value.encode() if isinstance(value, str) else value)
        if value is None:
            self.text.append(f"{parameter['name']}=null")
            return ctypes.c_void_p()
        match parameter["kind"]:
            case "tensor":
                pointer, text = self._described(**value)
            case "tensors":
                pointer, text = self._list("Tensor", [self._described(**item) for item in value])
            case "scalar":
                pointer, text = self._number(value)
            case "scalars":
                pointer, text = self._list("Scalar", [self._number(item) for item in value])
            case kind:
                name, c_type = ARRAYS[kind]
                size = ctypes.c_uint64(len(value))
                pointer = npu.make(f"aclCreate{name}", npu.array(c_type, value), size)
                self._keep(name, pointer)
                text = str(value)
        self.text.append(f"{parameter['name']}={text}")
        return pointer

    def _described(
        self, shape: list[int], strides: list[int], offset: int, dtype: int
    ) -> tuple[ctypes.c_void_p, str]:
        pointer = npu.make(
            "aclCreateTensor",
            npu.array(ctypes.c_int64, shape),
            ctypes.c_uint64(len(shape)),
            ctypes.c_int32(dtype),
            npu.array(ctypes.c_int64, strides),
            ctypes.c_int64(offset),
            ctypes.c_int32(2),
            npu.array(ctypes.c_int64, [math.prod(shape)]),
            ctypes.c_uint64(1),
            self._rng.choice(self._memory.pieces),
        )
        return self._keep("Tensor", pointer), f"tensor({shape}, {strides}, {offset}, dtype {dtype})"

    def _number(self, value: float) -> tuple[ctypes.c_void_p, str]:
        room = ctypes.create_string_buffer(16)
        kind, dtype = ("?", "bool") if isinstance(value, bool) else ("d", "float64")
        if isinstance(value, int) and not isinstance(value, bool):
            kind, dtype = "q", "int64"
        struct.pack_into(f"<{kind}", room, 0, value)
        pointer = npu.make("aclCreateScalar", room, ctypes.c_int32(DTYPES[dtype]))
        return self._keep("Scalar", pointer), f"scalar({value})"

    def _list(self, kind: str, made: list[tuple[ctypes.c_void_p, str]]) -> tuple[ctypes.c_void_p, str]:
        items = [pointer.value for pointer, _ in made]
        if items and self._chance(0.05):
            items[0] = None
            made[0] = (made[0][0], "null")
        pointer = npu.make(
            f"aclCreate{kind}List", npu.array(ctypes.c_void_p, items), ctypes.c_uint64(len(items))
        )
        if pointer:  # which owns its items now
            owned = set(items)
            self._made = [entry for entry in self._made if entry[1].value not in owned]
        return self._keep(f"{kind}List", pointer), f"[{', '.join(text for _, text in made)}]"

    def _plain(self, parameter: dict[str, Any]) -> Any:
        c_type = npu.C_TYPES[parameter["type"]]
        value: Any
        match parameter["type"]:
            case "double" | "float":
                value = self._rng.choice(
                    [0.0, 0.5, 1.0, 2.0, -1.0, 1e-5, math.inf, -math.inf, math.nan, 1e300]
                )
            case "bool":
                value = self._rng.random() < 0.5
            case "const char*":
                value = self._rng.choice(
                    [b"none", b"mean", b"sum", b"tanh", b"ij", b"", b"\xff?", b"x" * 5000]
                )
                value = None if self._chance(0.1) else value
            case _:
                value = self._integer()
        self.text.append(f"{parameter['name']}={value!r:.40}")
        return c_type(value)

    def _tensor(self, parameter: dict[str, Any]) -> tuple[ctypes.c_void_p, str]:
        rng = self._rng
        allowed = [DTYPES[name] for name in parameter["dtypes"] if name in DTYPES]
        wanted = DTYPES[self._dtype]
        dtype = wanted if wanted in allowed else rng.choice(allowed or [0])
        if self._chance(0.1):
            dtype = rng.choice([*DTYPES.values(), *ODD_DTYPES])
        shape = list(self._shape) if rng.random() < 0.7 else self._any_shape()
        if shape and rng.random() < 0.1:
            shape[rng.randrange(len(shape))] = 1
        if self._chance(0.04):
            shape = [*shape, rng.choice(EXTREMES)] if rng.random() < 0.7 else [1] * rng.choice([9, 40])
        strides = self._strides(shape)
        offset = (
            rng.choice([-1, 7, 1 << 40, -(1 << 63), 1 << 62]) if self._chance(0.04) else rng.choice([0, 0, 3])
        )
        extent = [max(0, math.prod(shape)) % (1 << 62)]
        storage = rng.choice([[0], [1], [-1], [1 << 62, 1 << 62]]) if self._chance(0.03) else extent
        form = rng.choice([3, 29, -2, 1 << 20]) if self._chance(0.03) else rng.choice([2, 2, 0, -1])
        data = self._data()
        pointer = npu.make(
            "aclCreateTensor",
            npu.array(ctypes.c_int64, shape),
            ctypes.c_uint64(len(shape)),
            ctypes.c_int32(dtype),
            npu.array(ctypes.c_int64, strides) if not self._chance(0.02) else None,
            ctypes.c_int64(offset),
            ctypes.c_int32(form),
            npu.array(ctypes.c_int64, storage),
            ctypes.c_uint64(len(storage)),
            data,
        )
        return self._keep(
            "Tensor", pointer
        ), f"tensor({shape}, {strides}, {offset}, dtype {dtype}, format {form})"

    def _data(self) -> ctypes.c_void_p:
        piece = self._rng.choice(self._memory.pieces)
        if self._chance(0.03):
            near = (piece.value or 0) + POOL - 4
            return ctypes.c_void_p(self._rng.choice([0, 8, near, (1 << 64) - 8]))
        return piece

    def _strides(self, shape: list[int]) -> list[int]:
        strides, step = [], 1
        for size in reversed(shape):
            strides.insert(0, max(-(1 << 63), min(step, (1 << 63) - 1)))
            step *= max(size, 1)
        way = self._rng.random()
        if way < 0.15 and len(shape) > 1:
            strides.reverse()
        elif way < 0.25 and shape:
            strides[self._rng.randrange(len(shape))] = 0
        elif way < 0.3:
            strides = [2 * stride for stride in strides]
        if shape and self._chance(0.06):
            strides[self._rng.randrange(len(shape))] = self._rng.choice([-1, -3, *EXTREMES])
        return strides

    def _tensors(self, parameter: dict[str, Any]) -> tuple[ctypes.c_void_p, str]:
        made = [self._tensor(parameter) for _ in range(self._rng.choice([0, 1, 2, 2, 3]))]
        return self._list("Tensor", made)

    def _scalar(self, _: dict[str, Any]) -> tuple[ctypes.c_void_p, str]:
        value = self._rng.choice([0, 1, 2, 3, -1, 0.5, math.inf, math.nan, 1e300, (1 << 63) - 1])
        integral = isinstance(value, int)
        dtype = DTYPES["int64"] if integral else DTYPES["float64"]
        if self._rng.random() < 0.2:
            dtype = self._rng.choice(list(DTYPES.values()))
        room = ctypes.create_string_buffer(16)
        struct.pack_into("<q" if integral else "<d", room, 0, value)
        if dtype == DTYPES["bool"]:
            room[0] = 1
        pointer = npu.make("aclCreateScalar", room, ctypes.c_int32(dtype))
        return self._keep("Scalar", pointer), f"scalar({value}, dtype {dtype})"

    def _scalars(self, parameter: dict[str, Any]) -> tuple[ctypes.c_void_p, str]:
        made = [self._scalar(parameter) for _ in range(self._rng.choice([0, 1, 2, 3]))]
        return self._list("Scalar", made)

    def _ints(self, _: dict[str, Any]) -> tuple[ctypes.c_void_p, str]:
        count = self._rng.choice([0, 1, 1, 2, 2, 3, 4, 6, len(self._shape)])
        values = [self._integer() for _ in range(count)]
        if self._rng.random() < 0.3:
            values = list(self._shape)
        pointer = npu.make(
            "aclCreateIntArray", npu.array(ctypes.c_int64, values), ctypes.c_uint64(len(values))
        )
        return self._keep("IntArray", pointer), str(values)

    def _floats(self, _: dict[str, Any]) -> tuple[ctypes.c_void_p, str]:
        values = [self._rng.choice([0.0, 1.0, -1.0, math.nan]) for _ in range(self._rng.randrange(4))]
        pointer = npu.make(
            "aclCreateFloatArray", npu.array(ctypes.c_float, values), ctypes.c_uint64(len(values))
        )
        return self._keep("FloatArray", pointer), str(values)

    def _bools(self, _: dict[str, Any]) -> tuple[ctypes.c_void_p, str]:
        values = [self._rng.random() < 0.5 for _ in range(self._rng.choice([0, 1, 2, 3, 3]))]
        pointer = npu.make(
            "aclCreateBoolArray", npu.array(ctypes.c_bool, values), ctypes.c_uint64(len(values))
        )
        return self._keep("BoolArray", pointer), str(values)
