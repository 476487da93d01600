"""P6: memory of a compiled graph's intermediate results, against the largest set that is alive at once.

Run under `opweld run -- python bench/graph_memory.py [--json FILE]`.
"""

import argparse
import json
import os
import tempfile
from pathlib import Path

import torch
import torch_npu
from training_step import MODELS

from opweld.graph.report import find_models, read_reports


def compile_models(folder: Path) -> None:
    """Compiles a training step of each model; the engine writes the graphs to `folder`."""
    from torch_npu.dynamo import torchair  # the device must be known first

    assert torch_npu
    os.environ |= {"DUMP_GE_GRAPH": "2", "DUMP_GRAPH_PATH": str(folder)}
    for make, shape, _ in MODELS.values():
        torch.compiler.reset()
        model = torch.compile(make().npu(), backend=torchair.get_npu_backend(), dynamic=False)
        model(torch.randn(shape).npu()).square().mean().backward()


def main() -> None:
    """Prints a line for each graph, and the worst ratio last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compile_models(Path(folder))
        reports = read_reports(find_models([Path(folder)]), {}, 0)
    rows = []
    for found in reports:
        memory = found["memory"]
        ratio = memory["bytes"] / memory["largest_live_set"] if memory["largest_live_set"] else 1.0
        rows.append({"name": Path(found["file"]).stem, "ratio": ratio, **memory})
        sizes = f"{memory['bytes']:>12,} B {memory['largest_live_set']:>12,} B"
        print(f"{rows[-1]['name']:40s} {sizes} {ratio:6.3f}")
    worst = max(row["ratio"] for row in rows)
    if arguments.json is not None:
        arguments.json.write_text(
            json.dumps({"row": "P6", "ratio": worst, "goal": "1.05", "rows": rows}, indent=1)
        )
    print(f"P6 {worst:.3f} (goal 1.05)")


if __name__ == "__main__":
    main()
