"""torchair where torch_npu is not installed: graphs of CPU tensors, by its executor for the host."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

CONFORMANCE = Path(__file__).parents[1] / "conformance" / "conformance"
PROGRAM = """
import json, sys
sys.path.insert(0, {folder!r})
from torchair_alone import import_torchair
held = import_torchair()
import torch, torchair
backend = torchair.get_npu_backend(compiler_config=torchair.CompilerConfig())
function = torch.compile(lambda x, y: torch.relu(x @ y) - x, backend=backend, dynamic=True, fullgraph=True)
declared = hasattr(torch.ops.npu, "npu_rms_norm")
told = {{"torch_npu": "torch_npu" in sys.modules, "declared": declared, "wrong": []}}
for size in (2, 5):
    x, y = torch.randn(size, size), torch.randn(size, size)
    result = function(x, y)
    if result.device.type != "cpu" or not torch.allclose(result, torch.relu(x @ y) - x, atol=1e-5):
        told["wrong"].append(size)
print(json.dumps(told))
"""


def test_graphs_of_the_host_run_without_torch_npu(opweld: Callable[..., CompletedProcess[str]]) -> None:
    program = PROGRAM.format(folder=str(CONFORMANCE))
    result = opweld("run", "-q", "--software", "--", "python", "-W", "ignore", "-c", program)
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout.splitlines()[-1])
    assert told == {"torch_npu": False, "declared": True, "wrong": []}
