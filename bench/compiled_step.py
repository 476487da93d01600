"""P2: a training step compiled through torchair, against the CPU device in eager mode, or with Inductor.

Run under `opweld run -- python bench/compiled_step.py [--against eager|inductor] [--threads N]`. With
fewer threads than CPUs, Python has a CPU to itself while a graph computes, as beside a device.
"""

import argparse
import functools
import os
from pathlib import Path

import torch
import torch_npu
from ratio import Ratio, report, side_by_side
from training_step import MODELS, step


def main() -> None:
    """Measures all models in float32 and bfloat16."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", choices=["eager", "inductor"], default="eager")
    parser.add_argument(
        "--threads", type=int, default=os.cpu_count() or 1, help="that compute, on both sides"
    )
    parser.add_argument("--models", nargs="*", default=list(MODELS), help="names, or their beginnings")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    from torch_npu.dynamo import torchair  # the device must be known first

    assert torch_npu
    backend = torchair.get_npu_backend()
    others = functools.partial(torch.compile, dynamic=False) if arguments.against == "inductor" else None
    ratios: list[Ratio] = []
    for name, (make, shape, rounds) in MODELS.items():
        if not any(name.startswith(wanted) for wanted in arguments.models):
            continue
        for dtype in (torch.float32, torch.bfloat16):
            torch.compiler.reset()
            ours = functools.partial(torch.compile, backend=backend, dynamic=False)
            ways = [step(make, shape, "npu", dtype, ours), step(make, shape, "cpu", dtype, others)]
            ratios.append(side_by_side(f"{name}, {str(dtype)[6:]}", *ways, rounds))
    report("P2", ratios, "0.8" if others is None else "1.0", arguments.json)


if __name__ == "__main__":
    main()
