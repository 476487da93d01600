"""Device memory as PyTorch shows it; runs in a process on the software NPU with little memory."""

from __future__ import annotations

import gc
from typing import Any

import torch

MIB = 1 << 20


def statistics() -> dict[str, Any]:
    """torch.npu.memory_*: in MiB, relative to the start."""
    gc.collect()
    torch.npu.synchronize()
    torch.npu.empty_cache()
    torch.npu.reset_peak_memory_stats()
    start, reserved = torch.npu.memory_allocated(), torch.npu.memory_reserved()
    free, total = torch.npu.mem_get_info()
    held = torch.empty(64 * MIB, dtype=torch.uint8, device="npu")
    found: dict[str, Any] = {
        "one": (torch.npu.memory_allocated() - start) / MIB,
        "free": (free - torch.npu.mem_get_info()[0]) / MIB,
        "total": total / MIB,
    }
    more = torch.empty(32 * MIB, dtype=torch.uint8, device="npu")
    found["two"] = (torch.npu.memory_allocated() - start) / MIB
    del held, more
    found["none"] = (torch.npu.memory_allocated() - start) / MIB
    found["peak"] = (torch.npu.max_memory_allocated() - start) / MIB
    found["cached"] = (torch.npu.memory_reserved() - reserved) / MIB
    found["peak_reserved"] = (torch.npu.max_memory_reserved() - reserved) / MIB
    torch.npu.reset_peak_memory_stats()
    found["peak_after_reset"] = (torch.npu.max_memory_allocated() - start) / MIB
    torch.npu.empty_cache()
    found["cached_after_emptying"] = (torch.npu.memory_reserved() - reserved) / MIB
    found["free_after_emptying"] = (free - torch.npu.mem_get_info()[0]) / MIB
    stats = torch.npu.memory_stats()
    found["statistics_agree"] = stats["allocated_bytes.all.current"] == torch.npu.memory_allocated()
    found["summary"] = "NPU memory summary" in torch.npu.memory_summary()
    return found


def snapshot() -> dict[str, Any]:
    """The segments of torch.npu.memory_snapshot against the sums, and a tensor's block in it."""
    held = torch.empty(5 * MIB, dtype=torch.uint8, device="npu")
    segments = [s for s in torch.npu.memory_snapshot() if s["device"] == 0]
    address = held.data_ptr()
    inside = [s for s in segments if s["address"] <= address < s["address"] + s["total_size"]]
    return {
        "reserved_agrees": sum(s["total_size"] for s in segments) == torch.npu.memory_reserved(),
        "allocated_agrees": sum(s["allocated_size"] for s in segments) == torch.npu.memory_allocated(),
        "found": len(inside),
        "blocks_fill": all(sum(b["size"] for b in s["blocks"]) == s["total_size"] for s in segments),
        "expandable": sorted({bool(s.get("is_expandable", False)) for s in segments}),
    }


def exhausted() -> dict[str, Any]:
    """More memory than there is: the error, and that what fits is still given and right."""
    torch.npu.empty_cache()
    total = torch.npu.mem_get_info()[1]
    found: dict[str, Any] = {"errors": []}
    kept = []
    for size in (2 * total, total // 4):
        try:
            while len(kept) < 100:
                kept.append(torch.empty(size, dtype=torch.uint8, device="npu").fill_(len(kept)))
        except torch.OutOfMemoryError as error:
            found["errors"].append(str(error).splitlines()[0])
    found["kept"] = len(kept)
    found["intact"] = all(int(t[0]) == i and int(t[-1]) == i for i, t in enumerate(kept))
    found["counted"] = torch.npu.memory_stats()["num_ooms"] >= 2
    kept.clear()
    again = torch.ones(total // 2, dtype=torch.uint8, device="npu")
    found["again"] = int(again[-1])
    return found


def training_out_of_memory() -> dict[str, Any]:
    """A step that finds no memory halves its batch, as programs do, and goes on."""
    torch.npu.empty_cache()
    model = torch.nn.Linear(256, 256).npu()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    rows, failures, losses = torch.npu.mem_get_info()[1] // 1024, 0, []
    while len(losses) < 2:
        try:
            optimizer.zero_grad()
            loss = model(torch.ones(rows, 256, device="npu")).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        except torch.OutOfMemoryError:
            failures, rows = failures + 1, max(rows // 64, 1)
    return {"failures": failures, "falls": losses[1] < losses[0]}


def expandable() -> dict[str, Any]:
    """Pieces that are freed one by one become room for a whole one; each is larger than two of the pages."""
    torch.npu.empty_cache()
    total = torch.npu.mem_get_info()[1]
    piece = total // 16 // MIB * MIB
    pieces = [torch.full((piece,), i, dtype=torch.uint8, device="npu") for i in range(12)]
    right = all(int(t[-1]) == i for i, t in enumerate(pieces))
    del pieces[::2]
    torch.npu.synchronize()
    whole = torch.full((5 * piece,), 77, dtype=torch.uint8, device="npu")
    return {
        "right": right,
        "whole": [int(whole[0]), int(whole[2 * piece + 5]), int(whole[-1])],
        "others": [int(t[piece // 2]) for t in pieces],
        **snapshot(),
    }
