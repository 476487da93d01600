"""P4: host time of a generated operator, against torch_npu's own operator of the same work, and against a
Python `torch.library.custom_op`.

The generated operator calls aclnnAdd, as `torch.add` does, so that only the ways differ. Run as
`opweld run -- python bench/generated_operator.py [--json FILE]`; builds the operator in a temporary folder.
"""

import argparse
import importlib
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import torch
from ratio import Ratio, report, side_by_side

SPEC = """
version: 1
package: bench_add
ops:
  - op: npu_bench_add
    doc: x + y
    input_desc:
      - {name: x, param_type: required, type: [float32]}
      - {name: y, param_type: required, type: [float32]}
    attr:
      - {name: alpha, param_type: optional, type: Scalar, default_value: 1}
    output_desc:
      - {name: out, type: x.dtype, shape: x.shape}
    constraints:
      - {expr: "y.shape == x.shape", message: "x and y must have one shape"}
    reference: "torch.add(x, y, alpha=alpha)"
    backward: none
    kernel:
      - {aclnn: aclnnAdd}
"""
CALLS = 2000


def build(folder: Path) -> None:
    """Builds the operator and makes it importable."""
    (folder / "spec.yaml").write_text(SPEC)
    opweld = Path(sys.executable).parent / "opweld"
    subprocess.run([opweld, "build", folder], check=True, capture_output=True)
    wheel = next((folder / "dist").glob("*.whl"))
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", folder / "site", wheel],
        check=True,
    )
    sys.path.insert(0, str(folder / "site"))
    importlib.import_module("bench_add")


@torch.library.custom_op("opweld_bench::python_add", mutates_args=())
def python_add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The same operator, written in Python."""
    return torch.add(x, y)


def many(call: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Callable[[], None]:
    """A function that makes CALLS calls on small tensors."""
    x, y = torch.ones(4, 4, device="npu"), torch.ones(4, 4, device="npu")

    def calls() -> None:
        for _ in range(CALLS):
            call(x, y)
        torch.npu.synchronize()

    return calls


def main() -> None:
    """Measures both rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder))
        generated = many(torch.ops.npu.npu_bench_add.default)
        ratios: list[Ratio] = [
            side_by_side(f"against torch.add, {CALLS} calls", generated, many(torch.ops.aten.add.Tensor), 11),
            side_by_side(f"against a Python custom_op, {CALLS} calls", generated, many(python_add), 11),
        ]
    report("P4", ratios, "1.05 and 0.4, row by row", arguments.json)


if __name__ == "__main__":
    main()
