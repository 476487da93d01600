"""Throws random arguments at the aclnn functions, and makes those that are missing say so.

A process on the software NPU, without torch_npu. usage:

    aclnn_fuzz.py fuzz SEED FIRST COUNT [CORPUS]   sets FIRST to FIRST+COUNT-1 of a seed
    aclnn_fuzz.py walk INVENTORY                   all functions of inventory.tsv without an implementation

CORPUS holds right calls (aclnn_fuzz_corpus.py), which every second set then spoils.

Writes a JSON line before each call and one after it, so that a reader knows which one did not return.
"""

import csv
import ctypes
import json
import os
import random
import sys
from pathlib import Path

import aclnn_library as npu
from aclnn_fuzz_arguments import POOL, Arguments, Memory


def _say(**line: object) -> None:
    print(json.dumps(line), file=_answers, flush=True)


def _run(
    name: str, values: list[object], stream: ctypes.c_void_p, workspace: ctypes.c_void_p
) -> tuple[str, str]:
    """(what became of it, the error's text)."""
    size, executor = ctypes.c_uint64(), ctypes.c_void_p()
    prepare = getattr(npu.library(), f"{name}GetWorkspaceSize")
    if prepare(*values, ctypes.byref(size), ctypes.byref(executor)):
        return "refused", npu.message()
    if size.value > POOL:
        return "workspace", f"{name}: {size.value} bytes"
    if getattr(npu.library(), name)(workspace, size, executor, stream):
        return "failed", npu.message()
    if npu.runtime().aclrtSynchronizeStream(stream):
        return "failed later", npu.message()
    return "ran", ""


def fuzz(seed: int, first: int, count: int, corpus: str = "") -> None:
    memory, workspace, stream = Memory(), npu.device_memory(POOL), ctypes.c_void_p()
    npu.runtime().aclrtCreateStream(ctypes.byref(stream))
    names = sorted(npu.functions())
    right = json.loads(Path(corpus).read_text()) if corpus else {}
    for index in range(first, first + count):
        rng = random.Random(f"{seed} {index}")
        name = names[index % len(names)]
        _say(index=index, name=name)
        models = right.get(name, []) if rng.random() < 0.5 else []
        arguments = Arguments(rng, memory, npu.functions()[name], rng.choice(models) if models else None)
        _say(index=index, text=", ".join(arguments.text))
        end, text = _run(name, arguments.values, stream, workspace)
        _say(index=index, end=end, named=not text or name in text, message=text[:300])
        arguments.close()
        memory.restore()


def walk(inventory: str) -> None:
    implemented = npu.functions()
    with open(inventory, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    nothing = [ctypes.c_void_p()] * 40
    for row in rows:
        name = row["name"]
        if name in implemented:
            continue
        if not hasattr(npu.library(), f"{name}GetWorkspaceSize"):
            _say(name=name, status=row["when_missing"], exported=False)
            continue
        code = getattr(npu.library(), f"{name}GetWorkspaceSize")(*nothing)
        _say(name=name, status=row["when_missing"], exported=True, code=code, message=npu.message())


if __name__ == "__main__":
    _answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if sys.argv[1] == "walk":
        walk(sys.argv[2])
    else:
        fuzz(*map(int, sys.argv[2:5]), *sys.argv[5:])
    os._exit(0)  # ending is not what is under test
