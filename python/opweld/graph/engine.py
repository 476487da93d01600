"""The software NPU's graph engine in this process, asked through its C functions."""

from __future__ import annotations

import ctypes
import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from opweld.errors import OpweldError

LIBRARY = "libge_runner.so"


class Engine:
    """Raises OpweldError where this process has no graph engine, or one that cannot be asked (CANN's)."""

    def __init__(self) -> None:
        import torch  # the engine's kernels are torch's

        assert torch
        libraries = [Path(folder) for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder]
        folder = next((path for path in libraries if (path / LIBRARY).exists()), None)
        if folder is None:
            raise OpweldError(f"{LIBRARY} is not on LD_LIBRARY_PATH")
        self._runtime = ctypes.CDLL(str(folder / "libascendcl.so"))
        self._engine = ctypes.CDLL(str(folder / LIBRARY))
        if not hasattr(self._engine, "opweldTypeReport"):
            raise OpweldError(f"{folder / LIBRARY} is not the software NPU's and answers no questions")
        self._runtime.aclGetRecentErrMsg.restype = ctypes.c_char_p

    def report(self, model: bytes, inputs: dict[str, dict[str, list[int]]], runs: int = 0) -> dict[str, Any]:
        """What `opweld graph` shows of a serialized model; raises OpweldError with the engine's reason.

        `inputs`: the "shape" of inputs that the model leaves open, by number or name, and the "value" of
        integers that decide shapes.
        """
        size = ctypes.c_size_t(len(model))
        answer: dict[str, Any] = self._ask(
            "opweldGraphReport", "opweldGraphReportFree", model, size, json.dumps(inputs).encode(), runs
        )
        return answer

    def prototype(self, operator_type: str) -> dict[str, Any] | None:
        """The prototype of an operator type, None where there is none; raises OpweldError.

        `infer_shape` says whether its library has an InferShape function, `library` is "" for standard types.
        """
        answer: dict[str, Any] | None = self._ask(
            "opweldTypeReport", "opweldTypeReportFree", operator_type.encode()
        )
        return answer

    def infer_shape(self, operator_type: str, request: dict[str, Any]) -> list[dict[str, Any]]:
        """What InferShape says: dtype and shape of each output; raises OpweldError with the reason."""
        answer: list[dict[str, Any]] = self._ask(
            "opweldInferShape", "opweldTypeReportFree", operator_type.encode(), json.dumps(request).encode()
        )
        return answer

    def _ask(self, name: str, free: str, *arguments: Any) -> Any:
        function = getattr(self._engine, name)
        function.restype = ctypes.c_void_p
        pointer = function(*arguments)
        if not pointer:
            raise OpweldError((self._runtime.aclGetRecentErrMsg() or b"").decode(errors="replace"))
        text = ctypes.string_at(pointer)
        release = getattr(self._engine, free)
        release.argtypes = [ctypes.c_void_p]
        release(pointer)
        return json.loads(text)


@lru_cache(maxsize=1)
def engine() -> Engine:
    """This process's engine. Raises OpweldError."""
    return Engine()
